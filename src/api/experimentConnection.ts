// Connects the page to the worker that runs an experiment. Each experiment has its own worker, separate from the
// trainer. This worker ends when the experiment finishes or is cancelled. The worker stores the measurements as runs of
// the library, and the page reads them there.
import { proxy } from 'comlink';
import { TrainerLostError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { Changed } from '../config/fork.ts';
import type { Config } from '../config/schema.ts';
import type { MeasureName } from '../records/claims/measures.ts';
import type { ClaimResult } from '../records/claims/result.ts';
import type { RunId } from '../records/ids.ts';
import type { SeatLookKind, SeatLooks } from '../records/looks.ts';
import { askedOnce, type UnderWay } from './askedWorker.ts';
import { startWorker } from './startWorker.ts';
import type { StoredSeat } from './trainerApi.ts';

/**
 * Two arms that start from the same checkpoint of a stored run. Each arm is trained for the number of iterations in
 * `iterations`. One arm keeps the settings of the run; in the other arm, `settings` are changed. The `shared` changes
 * apply to both arms.
 */
export interface SameLuckRequest {
  kind: 'sameLuck';
  run: RunId;
  iteration: number;
  settings: readonly Changed[];
  shared?: readonly Changed[];
  iterations: number;
}

/** Runs with the same settings, each trained from start to end with a different seed. */
export interface SeedsRequest {
  kind: 'seeds';
  preset: string;
  config: Config;
  seeds: readonly number[];
}

/**
 * Both arms of a claim with one seed. Each arm is trained until it has sampled `tokens` tokens. Only the result is
 * stored.
 */
export interface ClaimRequest {
  kind: 'claim';
  claim: string;
  digest: string;
  /** The settings of the first and the second arm, with their seed. */
  arms: readonly [Config, Config];
  tokens: number;
  measuredBy: MeasureName;
}

export type ExperimentRequest = SameLuckRequest | SeedsRequest | ClaimRequest;

/** The progress of the experiment. */
export interface ExperimentProgress {
  /** The current step, in words. */
  words: string;
  /** The completed share of the whole experiment, from 0 to 1. */
  share: number;
  /** Number of evaluations and runs stored so far. When this number has increased, there are new results to read. */
  stored: number;
}

export interface ExperimentApi {
  /**
   * Runs the whole experiment and returns the id that its runs have in common (`RunRecord.experiment`). Throws
   * ConfigError if settings contradict each other or the networks of the stored run cannot be used with them, and
   * StorageError.
   */
  run(request: ExperimentRequest, tell: (progress: ExperimentProgress) => void): Promise<string>;
  /**
   * Runs an analysis of several checkpoints and stores nothing. Throws ConfigError if these checkpoints cannot be
   * analysed, and StorageError.
   */
  analyse<K extends SeatLookKind>(
    kind: K,
    seats: readonly StoredSeat[],
    tell: (part: SeatLooks[K]) => void | Promise<void>,
  ): Promise<void>;
  /** Stores results of claims that other people measured; returns how many were new. Throws StorageError. */
  keepResults(results: readonly ClaimResult[]): Promise<number>;
  /** Deletes the measurements of one experiment. Throws StorageError. */
  forgetResults(digest: string): Promise<void>;
}

/** Starts an experiment. The result is the id that the runs of the experiment have in common. */
export type StartExperiment = (
  request: ExperimentRequest,
  tell: (progress: ExperimentProgress) => void,
) => UnderWay<string>;

const asked = <T>(question: (worker: ExperimentApi) => Promise<T>) =>
  askedOnce<ExperimentApi, T>(
    {
      begin: () => startWorker('experiment'),
      lost: (why) => new TrainerLostError(spoken`the experiment has stopped: ${why}; start it again.`),
    },
    question,
  );

export const startExperiment: StartExperiment = (request, tell) => asked((worker) => worker.run(request, proxy(tell)));

/** Starts an analysis of several checkpoints; the result arrives in parts. */
export type StartAnalysis<K extends SeatLookKind> = (
  seats: readonly StoredSeat[],
  tell: (part: SeatLooks[K]) => void,
) => UnderWay<void>;

export const startAnalysis =
  <K extends SeatLookKind>(kind: K): StartAnalysis<K> =>
  (seats, tell) =>
    asked((worker) => worker.analyse(kind, seats, proxy(tell)));

/** The calls that change the stored results of claims; each call runs in its own worker. */
export const resultKeeper: Pick<ExperimentApi, 'keepResults' | 'forgetResults'> = {
  keepResults: (results) => asked((worker) => worker.keepResults(results)).done,
  forgetResults: (digest) => asked((worker) => worker.forgetResults(digest)).done,
};
