// The counters of a piece of work. For tests.
import { counters, type Counters } from '../counters.ts';

/** The increase since a snapshot; memory as it is now. */
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
