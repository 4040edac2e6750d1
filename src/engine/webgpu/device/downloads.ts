// Reads numbers from the device.
import { DeviceLostError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import { tally } from '../../counters.ts';
import { partsOf } from './backendParts.ts';
import type { ReplayBackend } from './replayBackend.ts';

/**
 * The bytes of several parts of buffers, one after another, with the values that they will have after all commands
 * encoded so far. The copy is submitted together with those commands. Throws DeviceLostError if the device does not
 * deliver the bytes.
 */
export async function download(
  backend: ReplayBackend,
  stretches: readonly Required<GPUBufferBinding>[],
): Promise<ArrayBuffer> {
  const { pool } = backend;
  const size = stretches.reduce((sum, stretch) => sum + stretch.size, 0);
  const staging = pool.acquireBuffer(size, GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ);
  let at = 0;
  for (const stretch of stretches) {
    copyWithin(backend, stretch, { buffer: staging, offset: at });
    at += stretch.size;
  }
  backend.submitQueue();
  const started = performance.now();
  try {
    await staging.mapAsync(GPUMapMode.READ);
  } catch (error) {
    throw new DeviceLostError(
      spoken`The graphics device returned no numbers: ${(error as Error).message}. Resume from the last checkpoint, or train with run.backend = cpu.`,
    );
  }
  tally.readMs += performance.now() - started;
  tally.readbacks++;
  tally.readBytes += size;
  const bytes = staging.getMappedRange().slice(0);
  staging.unmap();
  pool.releaseBuffer(staging);
  return bytes;
}

/** Adds a command that copies a part of a buffer into another buffer. */
export function copyWithin(
  backend: ReplayBackend,
  from: Required<GPUBufferBinding>,
  to: { buffer: GPUBuffer; offset: number },
): void {
  backend.endComputePassEncoder();
  backend.ensureCommandEncoderReady();
  partsOf(backend).commandEncoder?.copyBufferToBuffer(from.buffer, from.offset, to.buffer, to.offset, from.size);
}
