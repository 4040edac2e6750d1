// Counts the commands that a step sends to a GPU, on all devices of this process or page, and reads the adapter's name.
import type { Taken } from '../step/contract.ts';

/** The adapter in words: device and driver if it reports them. */
export function adapterName({ info }: GPUAdapter): string {
  const device = info.isFallbackAdapter ? '' : info.device;
  if (info.description) return [device, info.description].filter(Boolean).join(', ');
  return [info.vendor, info.architecture || info.device].filter(Boolean).join(' ') || 'unnamed';
}

/** Totals since the program started; `queueMs` is the time inside `queue.submit`. */
export const gpuCounts = { dispatches: 0, submits: 0, queueMs: 0 };

/** Starts counting. The prototypes are changed, so that the device of any library is counted too. */
export function countCommands(device: GPUDevice): void {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  const passes = Object.getPrototypeOf(pass) as GPUComputePassEncoder;
  const queues = Object.getPrototypeOf(device.queue) as GPUQueue;
  pass.end();
  encoder.finish();
  const { dispatchWorkgroups } = passes;
  passes.dispatchWorkgroups = function (this: GPUComputePassEncoder, x: number, y?: number, z?: number) {
    gpuCounts.dispatches++;
    dispatchWorkgroups.call(this, x, y ?? 1, z ?? 1);
  };
  const { submit } = queues;
  queues.submit = function (this: GPUQueue, buffers: Iterable<GPUCommandBuffer>) {
    gpuCounts.submits++;
    const started = performance.now();
    submit.call(this, buffers);
    gpuCounts.queueMs += performance.now() - started;
  };
}

/**
 * Measures the processor's part of a step: starts before the first call and stops when the call that requests the
 * result has returned a promise, because then everything is submitted. Idle waiting is subtracted.
 */
export function submitClock(backend: string): (waitedMs?: number) => Pick<Taken, 'submitMs' | 'encodeMs'> {
  const started = performance.now();
  const { queueMs } = gpuCounts;
  return (waitedMs = 0) => {
    if (backend !== 'webgpu') return { submitMs: null };
    const submitMs = performance.now() - started - waitedMs;
    return { submitMs, encodeMs: submitMs - (gpuCounts.queueMs - queueMs) };
  };
}
