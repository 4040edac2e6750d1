// Connects the page to the worker that lets agents talk about single problems on request. The worker has its own engine
// and weights, so training continues at the same time.
import { TrainerLostError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { RunId } from '../records/ids.ts';
import type {
  AskedProblem,
  HeldTrajectory,
  Reweighed,
  Reweighing,
  TriedSeat,
  TriedTrajectory,
} from '../records/intervention.ts';
import type { Problem } from '../records/problem.ts';
import type { KeptBranch } from '../records/stored/keptBranch.ts';
import type { Checkpoint } from '../records/stored/checkpoint.ts';
import { askedWorker, type AskedWorker } from './askedWorker.ts';
import { startWorker } from './startWorker.ts';

export interface InterventionApi {
  /** Passes weights that are not stored to the worker. After that, a seat can refer to them by run and iteration. */
  hold(checkpoint: Checkpoint): Promise<void>;
  /**
   * Keeps a copy of the newest stored weights of a run in the worker, because training may delete the stored ones.
   * Returns their iteration, or null if there are none.
   */
  holdNewest(run: RunId): Promise<number | null>;
  /**
   * A problem in the world of a seat's run. Throws FormatError if the visitor has typed a problem that the world cannot
   * read, and StorageError.
   */
  ask(asked: AskedProblem, seat: TriedSeat): Promise<Problem>;
  /**
   * Samples a dialogue up to its end, or up to the turn that the visitor wants to type. Throws FormatError if a turn
   * contains something that its agent cannot say, ConfigError if the agents in the seats cannot talk to each other, and
   * StorageError.
   */
  runTrajectory(asked: TriedTrajectory): Promise<HeldTrajectory>;
  /**
   * Computes rewards and advantages with other reward weights. The networks are those before the update. Throws
   * ConfigError and StorageError.
   */
  reweigh(asked: Reweighing): Promise<Reweighed>;
  /** Stores an edited dialogue with its run and returns its number. Throws StorageError. */
  keep(branch: Omit<KeptBranch, 'number'>): Promise<number>;
  forget(run: RunId, number: number): Promise<void>;
}

export type InterventionConnection = AskedWorker<InterventionApi>;
export type ConnectInterventions = () => InterventionConnection;

export const connectInterventions: ConnectInterventions = () =>
  askedWorker({
    begin: () => startWorker('interventions'),
    lost: (why) => new TrainerLostError(spoken`the intervention: the worker has stopped (${why}); try again.`),
  });
