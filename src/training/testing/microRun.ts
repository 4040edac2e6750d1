// Small real runs for tests. A micro team with random weights is rewarded for finishing dialogues, so that the team can
// learn from the first iteration on.
import * as tf from '@tensorflow/tfjs-core';
import { parseConfig } from '../../config/parse.ts';
import { presets } from '../../config/presets.ts';
import type { Config, ConfigInput } from '../../config/schema.ts';
import { checkpointFormat, type Checkpoint, type RunRecord } from '../../records/stored/checkpoint.ts';
import type { TrainerEvent } from '../../records/events.ts';
import { runId } from '../../records/ids.ts';
import type { World } from '../../tasks/world.ts';
import { memoryStore, type MemoryStore } from '../run/memoryStore.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import type { Inspectable } from '../inspect/inspect.ts';
import { Gate } from '../team/gate.ts';
import type { Revive } from '../run/revival.ts';
import { Session } from '../run/session.ts';
import { startingCheckpoint } from '../run/start.ts';

const lively = {
  ...presets.micro.settings,
  agents: { ...presets.micro.settings.agents, stopWhenTruncated: false, maskUnfinished: false, roundLimit: 3 },
  warmStart: { ...presets.micro.settings.warmStart, source: 'none' },
  reward: { finished: 1 },
  houseRule: { rewrite: 0.5, legalOperation: 0.5 },
  evaluation: { problems: 8 },
  optimiser: { learningRate: 3e-3, warmupUpdates: 0 },
} as const;

/** Settings with which the micro team can learn. The given settings replace single fields of these settings. */
export function microConfig(settings: ConfigInput = {}): Config {
  const merged: Record<string, object> = { ...lively };
  for (const [section, fields] of Object.entries(settings)) merged[section] = { ...merged[section], ...fields };
  return parseConfig(merged);
}

/** The checkpoint of iteration 0 of a configuration that needs no shipped weights. */
export function microCheckpoint(config: Config, world?: World): Promise<Checkpoint> {
  return startingCheckpoint({
    config,
    ...(world && { world }),
    runId: runId('test-run'),
    backend: 'simd',
    loadShipped: () => Promise.reject(new Error('tests start from random weights or train their own')),
  });
}

export interface MicroRun {
  session: Session;
  store: MemoryStore;
  events: TrainerEvent[];
  /** All stored trajectories, for each iteration. */
  collected: () => Trajectory[][];
}

/** The last iteration of a session, as the inspector receives it. Throws if there is none. */
export function inspectableOf({ inspectable }: Pick<Session, 'inspectable'>): Inspectable {
  if (!inspectable) throw new Error('nothing has moved since the iteration');
  return inspectable;
}

let noteOpened: (session: Session) => void = () => undefined;

/** Calls `note` with every session that is opened from now on. */
export function whenRunOpens(note: (session: Session) => void): void {
  noteOpened = note;
}

interface RunParts {
  store?: MemoryStore;
  changes?: RunRecord['changes'];
  now?: () => number;
  revive?: Revive;
  worldOf?: (config: Config) => World;
}

/**
 * Opens a session that continues from a checkpoint, with a store in memory. If no clock is given, the time for the
 * session does not change, so only scheduled checkpoints are stored.
 */
export function openRun(checkpoint: Checkpoint, parts: RunParts = {}) {
  const events: TrainerEvent[] = [];
  const store = parts.store ?? memoryStore({ keepsIterations: true });
  const { config, iteration, backend, runId: id } = checkpoint;
  const run: RunRecord = {
    format: checkpointFormat,
    id,
    name: 'calm-otter',
    preset: 'micro',
    config,
    changes: parts.changes ?? [],
    backend,
    createdMs: 0,
    iteration,
    isDone: false,
  };
  const session = new Session({
    run,
    checkpoint,
    store,
    emit: (event) => events.push(event),
    now: parts.now ?? (() => 0),
    ...(parts.revive && { revive: parts.revive }),
    ...(parts.worldOf && { worldOf: parts.worldOf }),
  });
  noteOpened(session);
  const collected = () => store.iterations.map(({ trajectories }) => trajectories).filter(({ length }) => length > 0);
  return { session, store, events, collected } satisfies MicroRun;
}

/** Opens a session of a new run with the settings of `microConfig`. */
export async function startRun(settings: ConfigInput = {}): Promise<MicroRun> {
  return openRun(await microCheckpoint(microConfig(settings)));
}

/** The number of all tensors. */
export const tensorCount = (): number => tf.memory().numTensors;

/**
 * The number of tensors that a run keeps between iterations. The decoding caches are freed before the count, so their
 * tensors are not included.
 */
export function heldTensors({ session }: Pick<MicroRun, 'session'>): number {
  session.trainState.rooms?.dispose();
  return tensorCount();
}

/** A gate that is always open. */
export const openGate = () => new Gate();
