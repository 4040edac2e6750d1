// Running totals of the engine's work. Counting costs so little time that it is always on; a profiler reads the totals
// before and after its measurement. The totals are sums over all backends of this thread, except that memory refers
// only to the current backend.
import * as tf from '@tensorflow/tfjs-core';

export interface Counters {
  /** Number of programs started on the device, including those of replayed recordings. */
  dispatches: number;
  /** Number of batches of commands submitted to the device. */
  submits: number;
  uploadedBytes: number;
  readBytes: number;
  readbacks: number;
  /** Milliseconds spent waiting for reads from the device. If several reads overlap, the time of each is counted. */
  readMs: number;
  /**
   * Milliseconds that replayed recordings took, measured by the device itself; null if the device cannot measure this.
   * The newest one or two replays are not yet included.
   */
  gpuMs: number | null;
  /** Bytes in use: of buffers on the device, or of the heap of the CPU's kernels. */
  usedBytes: number;
  /** The maximum of `usedBytes` since `restartPeak`. */
  peakBytes: number;
}

/** A backend that measures its own memory has a property `meter` of this type. */
export interface MemoryMeter {
  readonly usedBytes: number;
  readonly peakBytes: number;
  /** Whether the backend's device supports timestamp queries. */
  readonly hasTimestamps: boolean;
  restartPeak(): void;
}

/** Running totals; only the engine adds to them. */
export const tally = { dispatches: 0, submits: 0, uploadedBytes: 0, readBytes: 0, readbacks: 0, readMs: 0, gpuMs: 0 };

/** A snapshot of all counters. */
export function counters(): Counters {
  const meter = meterNow();
  return {
    ...tally,
    gpuMs: meter.hasTimestamps ? tally.gpuMs : null,
    usedBytes: meter.usedBytes,
    peakBytes: Math.max(meter.peakBytes, meter.usedBytes),
  };
}

/** Sets `peakBytes` to the number of bytes currently in use. */
export function restartPeak(): void {
  meterNow().restartPeak();
}

function meterNow(): MemoryMeter {
  const { meter, heap } = tf.backend() as { meter?: MemoryMeter; heap?: Heap };
  if (meter) return meter;
  const usedBytes = heap ? heap.usedBytes : tf.memory().numBytes;
  return {
    usedBytes,
    peakBytes: heap?.peakBytes ?? usedBytes,
    hasTimestamps: false,
    restartPeak: () => heap?.restartPeak?.(),
  };
}

/** The heap of the backend `simd`. */
interface Heap {
  readonly usedBytes: number;
  readonly peakBytes?: number;
  restartPeak?(): void;
}
