// News from the worker: one stream of plain records, batched, in order.
import type { ErrorName, Settings } from '../base/errors.ts';
import type { Told } from '../base/spoken.ts';
import type { RunRecord } from './stored/checkpoint.ts';
import type { GroupInspection } from './inspection.ts';
import type { Evaluation, IterationMetrics } from './metrics.ts';
import type { IterationProfile, ProfilePart } from './profile.ts';
import type { Trajectory } from './trajectory.ts';

export type RunState = 'idle' | 'preparing' | 'training' | 'paused' | 'done' | 'failed';

/** The engine that the run computes on. */
export interface EngineNotes {
  /** `webgpu`, `simd` or `wasm`. */
  backend: string;
  /** Adapter or processor in words. */
  adapter: Told;
  /** Why this one was chosen, in one sentence. */
  reason: Told;
  isSoftware: boolean;
}

/** Measured before the start, on this machine. */
export interface Preflight {
  iterationMs: number;
  /** Milliseconds by part, as far as they were tried; evaluations are spread over the iterations between them. */
  parts: Partial<Record<ProfilePart, number>>;
  memoryBytes: number;
  parameters: number;
}

/** The remaining work of a warm start that is trained here. */
export interface WarmStartRest {
  /** Share done in [0, 1]. */
  share: number;
  /** Milliseconds to its end on this machine. */
  msLeft: number;
}

export type TrainerEvent =
  /** `remedies`: settings with which a failed preparation would succeed; absent if there are none. */
  | { kind: 'state'; state: RunState; message: string; remedies?: readonly Settings[] }
  /**
   * Share done in [0, 1] of a long preparation, the remaining milliseconds if known, and the supervised loss of a warm
   * start in progress.
   */
  | { kind: 'progress'; label: string; share: number; loss: number | null; msLeft?: number }
  /** The engine that a run in preparation will use. */
  | { kind: 'engine'; engine: EngineNotes }
  /** No run is open: its warm start would take long, and waits to be asked for. */
  | { kind: 'warmStart'; rest: WarmStartRest }
  | { kind: 'run'; run: RunRecord; engine: EngineNotes }
  /** The open run is called otherwise. */
  | { kind: 'renamed'; name: string }
  /** The device was lost: the run went back to its last checkpoint, on another engine, and continues by itself. */
  | { kind: 'revived'; run: RunRecord; engine: EngineNotes }
  /** Why nothing is stored at present, in words; empty: everything is stored again. */
  | { kind: 'unstored'; why: string }
  /** Something that the visitor should know and need not act on, in words. */
  | { kind: 'note'; text: string }
  /** All that went since the run began because there is no room, in words. */
  | { kind: 'thinned'; text: string }
  | { kind: 'preflight'; preflight: Preflight }
  /** The dialogue being sampled right now: the shown trajectory after each turn. */
  | { kind: 'turn'; iteration: number; trajectory: Trajectory }
  | {
      kind: 'iteration';
      metrics: IterationMetrics;
      shown: GroupInspection | null;
      iterationsLeft: number;
      msLeft: number;
    }
  /** Where the time of an iteration went: its last event, after its evaluation. */
  | { kind: 'profile'; iteration: number; profile: IterationProfile }
  /** Names a computation on a slower path than necessary, in one sentence; empty: there is none any more. */
  | { kind: 'engineNote'; note: string }
  /** How many imported preference pairs the run learns from. */
  | { kind: 'pairs'; count: number }
  | { kind: 'evaluation'; evaluation: Evaluation }
  /**
   * A setting was changed or pairs were given, now or by a replayed history: the settings from the next iteration on,
   * the changes so far, those still planned, and how many planned ones are dropped.
   */
  | ({ kind: 'config'; dropped: number } & Pick<RunRecord, 'config' | 'changes' | 'imports' | 'plan'>)
  /** A checkpoint was stored; the iterations, rising, at which the run now has one. */
  | { kind: 'checkpoint'; iteration: number; kept: readonly number[] }
  /** A run under way has failed; `remedies` as of a state. */
  | {
      kind: 'failed';
      name: ErrorName | 'Error';
      message: string;
      iteration: number;
      remedies?: readonly Settings[];
    };
