// Connects the page to the worker that checks and tries a visitor's world, separately from the page and from training.
import { SandboxError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { Config } from '../config/schema.ts';
import type { OwnWorld, WorldContent, WorldFault, WorldTemplate } from '../config/worlds/own.ts';
import type { Grade } from '../exercises/exercise.ts';
import type { TrialMessage, TrialView } from '../records/trajectory.ts';
import { askedWorker, type AskedWorker } from './askedWorker.ts';
import { startWorker } from './startWorker.ts';

/**
 * The result of a question, or the error in the world. The error is a plain record, because an error object would lose
 * its line number when it is passed to the page.
 */
export type Answered<T> = { value: T; fault?: undefined } | { value?: undefined; fault: WorldFault };

export interface TrialRequest {
  content: WorldContent;
  /** The settings of the agents and the level. The world itself is in `content`. */
  config: Config;
  /** Index of the problem, starting at 0. */
  problem: number;
  /** The messages that the visitor has typed, one list for each agent. If it is null, the agents say random words. */
  said: readonly (readonly TrialMessage[])[] | null;
}

export interface WorldApi {
  templates(): Promise<readonly WorldTemplate[]>;
  /** Opens a world without running dialogues in it. */
  open(content: WorldContent): Promise<Answered<OwnWorld>>;
  /** Opens a world and runs random dialogues on each of its levels, with the protocol in these settings. */
  check(content: WorldContent, config: Config): Promise<Answered<OwnWorld>>;
  /** One problem, with the dialogue about it so far. */
  play(request: TrialRequest): Promise<Answered<TrialView>>;
  /** Grades a solution of the exercise of this name. */
  grade(exercise: string, program: string): Promise<Grade>;
}

/** Time limit for a question in milliseconds. When it is exceeded, the worker is ended. */
const patienceMs = 30_000;

/**
 * The connection. Its questions reject with SandboxError if the worker does not answer; the next question starts a new
 * worker.
 */
export type WorldConnection = AskedWorker<WorldApi>;
export type ConnectWorlds = () => WorldConnection;

export const connectWorlds: ConnectWorlds = () =>
  askedWorker({
    begin: () => startWorker('world'),
    lost: (why) => new SandboxError(spoken`your world: the worker of the world has stopped (${why}); try again.`),
    patience: {
      ms: patienceMs,
      over: () =>
        new SandboxError(
          spoken`your world: a call took too long and was stopped; reduce the work that is done in one call.`,
        ),
    },
  });
