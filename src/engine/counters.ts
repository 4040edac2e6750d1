// Running totals of the engine's work. Counting is so cheap that it is always on; a profiler only takes a snapshot
// before and after its measurement. Totals are sums over all backends of this thread, except that memory refers to the
// current backend.
import * as tf from '@tensorflow/tfjs-core';

export interface Counters {
  /** Programs started on the device, including those of replays. */
  dispatches: number;
  /** Batches of commands submitted to the device. */
  submits: number;
  uploadedBytes: number;
  readBytes: number;
  readbacks: number;
  /** Milliseconds spent waiting for reads from the device; concurrent reads are counted separately. */
  readMs: number;
  /**
   * Milliseconds of replays as measured by the device itself; null if the device cannot measure them. The value does
   * not yet include the newest one or two replays.
   */
  gpuMs: number | null;
  /** Bytes of buffers, or of the CPU's heap, in use. */
  usedBytes: number;
  /** The maximum of `usedBytes` since `restartPeak`. */
  peakBytes: number;
}

/** The form in which a backend that measures its own memory reports it, in its property `meter`. */
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

/** Resets `peakBytes` to the bytes currently in use. */
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
