// Measures, for tests, how much the counters increase during a single piece of work.
import { counters, type Counters } from '../counters.ts';

/** The increase of the counters since a snapshot. For memory, the current value is returned instead. */
export function countersSince(before: Counters): Counters {
  const now = counters();
  return {
    dispatches: now.dispatches - before.dispatches,
    submits: now.submits - before.submits,
    uploadedBytes: now.uploadedBytes - before.uploadedBytes,
    readBytes: now.readBytes - before.readBytes,
    readbacks: now.readbacks - before.readbacks,
    readMs: now.readMs - before.readMs,
    gpuMs: now.gpuMs === null ? null : now.gpuMs - (before.gpuMs ?? 0),
    usedBytes: now.usedBytes,
    peakBytes: now.peakBytes,
  };
}
