// Opens a stored run for inspection: loads the weights after one of its iterations into a session that stores nothing.
import { ConfigError } from '../../src/base/errors.ts';
import type { Checkpoint, RunRecord } from '../../src/records/stored/checkpoint.ts';
import type { ArchivedRun } from '../../src/storage/archive/archivedRun.ts';
import { memoryStore } from '../../src/training/run/memoryStore.ts';
import { Session } from '../../src/training/run/session.ts';
import type { CommandArguments } from '../command.ts';
import { readyWorld, startEngine } from '../engine.ts';
import { openRun } from '../runFolder.ts';
import { evaluationsOf } from '../train/collapse.ts';
import { readyModel } from './modelNote.ts';

export interface Stored {
  place: string;
  archived: ArchivedRun;
  run: RunRecord;
  checkpoint: Checkpoint;
}

/** The checkpoint that the option --at names: the iteration after which it was stored, or the best one. */
export type WantedCheckpoint = number | 'best';

export const checkpointIn = (given: CommandArguments): WantedCheckpoint | undefined =>
  given.text('at') === 'best' ? 'best' : given.whole('at');

/** The run at a path, with the wanted checkpoint, or with its newest undamaged checkpoint. Throws named errors. */
export async function openStored(place: string, wanted?: WantedCheckpoint): Promise<Stored> {
  const archived = await openRun(place);
  const run = await archived.run();
  const at = wanted === 'best' ? await bestOf(archived, place) : wanted;
  if (at !== undefined && !archived.checkpoints.includes(at))
    throw new ConfigError(
      `--at: ${place} has no checkpoint after iteration ${at}; choose one of ${archived.checkpoints.join(', ')}.`,
    );
  const checkpoint = at === undefined ? (await archived.resumePoint()).checkpoint : await archived.checkpoint(at);
  return { place, archived, run, checkpoint };
}

/**
 * The iteration of the stored checkpoint whose team was right most often in the evaluations of the run. If several were
 * right equally often, it is the latest of them.
 */
async function bestOf(archived: ArchivedRun, place: string): Promise<number> {
  const evaluations = await evaluationsOf(archived);
  const measured = evaluations.filter(({ iteration }) => archived.checkpoints.includes(iteration));
  const [first, ...others] = measured;
  if (!first)
    throw new ConfigError(
      `--at best: ${place} has no checkpoint that was measured; choose one of ${archived.checkpoints.join(', ')}.`,
    );
  return others.reduce((best, one) => (one.accuracy >= best.accuracy ? one : best), first).iteration;
}

/**
 * Prepares a stored run for use: starts the engine, and loads the world and the model on which the run is based. Throws
 * named errors.
 */
export async function readyFor({ place, archived, checkpoint }: Stored, given: CommandArguments): Promise<void> {
  const { config } = checkpoint;
  await readyModel(place, checkpoint, given);
  await readyWorld(config, await archived.world());
  const threads = given.whole('threads', 1);
  // Runs trained on WebGPU can be inspected on any backend.
  const wish = config.run.backend === 'webgpu' ? 'auto' : config.run.backend;
  await startEngine(wish, threads === undefined ? {} : { threads });
}

/** Opens a session of a stored run; the caller must dispose it. */
export function sessionOf({ run, checkpoint }: Stored): Session {
  const { iteration, config } = checkpoint;
  return new Session({
    ...{ run: { ...run, iteration, config }, checkpoint, store: memoryStore({ keepsIterations: false }) },
    ...{ emit: () => undefined, now: () => performance.now() },
  });
}

/** Runs a task with the session of a stored run. */
export async function inSession<T>(stored: Stored, work: (session: Session) => Promise<T>): Promise<T> {
  const session = sessionOf(stored);
  try {
    return await work(session);
  } finally {
    await session.dispose();
  }
}
