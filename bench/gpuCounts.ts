// What a step sends to a GPU, counted on all devices of this process or page, and the adapter's name.

/** The adapter in words. */
export function adapterName({ info }: GPUAdapter): string {
  return info.description || [info.vendor, info.architecture || info.device].filter(Boolean).join(' ') || 'unnamed';
}

/** Since the program began. */
export const gpuCounts = { dispatches: 0, submits: 0 };

/** Starts counting, by way of any device: at the prototypes, so that a library's own device is counted too. */
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
    submit.call(this, buffers);
  };
}
