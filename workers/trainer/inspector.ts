// Inspects iterations on demand. The newest iteration is inspected with the weights after its update. Any other
// iteration is inspected with its stored dialogues and the weights of the nearest checkpoint.
import type { StoredSeat } from '../../src/api/trainerApi.ts';
import { ConfigError, StorageError } from '../../src/base/errors.ts';
import { spoken } from '../../src/base/spoken.ts';
import { withChanges } from '../../src/config/liveChange.ts';
import type { BackendChoice } from '../../src/config/names.ts';
import { parseConfig } from '../../src/config/parse.ts';
import type { Config } from '../../src/config/schema.ts';
import type { RunId } from '../../src/records/ids.ts';
import type { GroupInspection } from '../../src/records/inspection.ts';
import type { GroupAt, LookKind, Looks } from '../../src/records/looks.ts';
import type { Evaluation } from '../../src/records/metrics.ts';
import type { Checkpoint } from '../../src/records/stored/checkpoint.ts';
import {
  listCheckpoints,
  loadCheckpoint,
  loadIteration,
  loadNamedCheckpoints,
  loadRun,
  ownerOf,
} from '../../src/storage/reading.ts';
import { inspectGroup, type Inspectable } from '../../src/training/inspect/inspect.ts';
import { lookAnswers } from '../../src/training/review/analyses.ts';
import type { AskedAbout, CheckpointAnswer, IterationAnswer, LookAnswers } from '../../src/training/review/analysis.ts';
import { heldOutTrajectory, plainProblems } from '../../src/training/review/heldOut.ts';
import { withIteration } from '../../src/training/review/storedIteration.ts';
import { evaluateSeats } from '../../src/training/run/seats.ts';
import type { Session } from '../../src/training/run/session.ts';

interface InspectorParts {
  /** Returns the open run's session. */
  session: () => Session | null;
  /** Loads the world in the settings of a checkpoint. */
  ready: (config: Config) => Promise<void>;
  /** Makes sure that the model on which a run is based is available. */
  expectBase: (run: string, checkpoint: Checkpoint) => Promise<void>;
  /** Runs `work` on the device while training is paused. */
  aside: <T>(backend: BackendChoice, work: () => Promise<T>) => Promise<T>;
}

/** A function that is called with a prepared iteration. */
type Work<T> = (inspectable: Inspectable, about: AskedAbout) => Promise<T>;

export class Inspector {
  readonly #parts: InspectorParts;

  constructor(parts: InspectorParts) {
    this.#parts = parts;
  }

  /**
   * Answers a question about an iteration or a checkpoint. Throws ConfigError if the question cannot be answered, and
   * StorageError if the required records are not stored.
   */
  async look<K extends LookKind>(kind: K, at: Looks[K]['at']): Promise<Looks[K]['answer']> {
    const own: Partial<LookAnswers>[K] = ownAnswers[kind];
    const found: IterationAnswer<K> | CheckpointAnswer<K> | undefined = own ?? lookAnswers[kind];
    if (!found) throw new ConfigError(spoken`${kind}: there is no such request.`);
    if (found.of === 'checkpoint') return this.#under(at, (checkpoint) => found.answer(checkpoint, at));
    const only = found.only?.(at);
    return this.#within({ ...at, ...(only !== undefined && { only }) }, (inspectable, about) =>
      found.answer(inspectable, at, about),
    );
  }

  /**
   * Measures the accuracy of a team of stored agents. Throws ConfigError if the agents cannot communicate, and
   * StorageError if a checkpoint cannot be read.
   */
  async evaluate(seats: readonly StoredSeat[]): Promise<Evaluation> {
    const seated = await loadNamedCheckpoints(seats);
    for (const { checkpoint, name } of seated) {
      await this.#parts.ready(checkpoint.config);
      await this.#parts.expectBase(name, checkpoint);
    }
    const { backend } = seated[0]?.checkpoint.config.run ?? parseConfig({}).run;
    return this.#parts.aside(backend, () => evaluateSeats(seated));
  }

  /**
   * Calls `work` with a prepared iteration. If `only` is given and the iteration is read from the store, only the
   * dialogue with this index is prepared.
   */
  async #within<T>(at: Pick<GroupAt, 'run' | 'iteration'> & { only?: number }, work: Work<T>): Promise<T> {
    const session = this.#parts.session();
    if (session?.run.id === at.run && session.inspectable?.iteration === at.iteration) {
      const found = await session.meanwhile(async () => {
        const { inspectable } = session;
        // The update of the next iteration may have started before training was paused.
        if (inspectable?.iteration !== at.iteration) return null;
        return { answer: await work(inspectable, { weightsAfter: null, lacking: '' }) };
      });
      if (found) return found.answer;
    }
    return this.#withinStored(at, work);
  }

  async #withinStored<T>(
    { run: id, iteration, only }: Pick<GroupAt, 'run' | 'iteration'> & { only?: number },
    work: Work<T>,
  ): Promise<T> {
    const owner = await ownerOf(await loadRun(id), iteration);
    if (owner === null)
      throw new StorageError(spoken`iteration ${iteration}: the run of this iteration is no longer stored.`);
    const run = await loadRun(owner);
    const all = await loadIteration(owner, iteration);
    const nearest = nearestTo(iteration, await listCheckpoints(owner));
    if (nearest === null)
      throw new StorageError(
        spoken`run ${run.name}: no checkpoint of this run is stored, so its numbers cannot be computed.`,
      );
    const checkpoint = await this.#checkpoint(owner, nearest);
    const begun =
      run.begun &&
      withChanges(
        run.begun,
        run.changes.filter((change) => change.iteration < iteration),
      );
    const config = begun ?? checkpoint.config;
    const trajectories = only === undefined ? all : all.filter(({ index }) => index === only);
    const stored = { checkpoint, config, iteration, trajectories };
    return this.#parts.aside(config.run.backend, () =>
      withIteration(stored, (inspectable, lacking) => work(inspectable, { weightsAfter: nearest, lacking })),
    );
  }

  async #under<T>(
    { run, iteration }: Pick<GroupAt, 'run' | 'iteration'>,
    work: (checkpoint: Checkpoint) => Promise<T>,
  ) {
    const checkpoint = await this.#checkpoint(run, iteration);
    return this.#parts.aside(checkpoint.config.run.backend, () => work(checkpoint));
  }

  async #checkpoint(run: RunId, iteration: number): Promise<Checkpoint> {
    const checkpoint = await loadCheckpoint(run, iteration);
    await this.#parts.ready(checkpoint.config);
    await this.#parts.expectBase((await loadRun(run)).name, checkpoint);
    return checkpoint;
  }
}

/** The functions that answer questions which belong to no analysis. */
const ownAnswers: Partial<LookAnswers> = {
  group: {
    of: 'iteration',
    answer: async (inspectable, at, { weightsAfter, lacking }) => {
      const group = await inspectGroup(inspectable, at.group);
      const isOther = weightsAfter !== null && weightsAfter !== at.iteration;
      return { ...(lacking ? unpaid(group, lacking) : group), ...(isOther && { weightsAfter }) };
    },
  },
  heldOut: { of: 'checkpoint', answer: (checkpoint, { problem }) => heldOutTrajectory(checkpoint, problem) },
  plainProblems: {
    of: 'checkpoint',
    answer: (checkpoint, { count }) => Promise.resolve(plainProblems(checkpoint, count)),
  },
};

/**
 * The checkpoint that is nearest to an iteration. If two checkpoints are equally near, the later one is used. The
 * result is null if there are no checkpoints.
 */
function nearestTo(iteration: number, checkpoints: readonly number[]): number | null {
  return checkpoints.reduce<number | null>(
    (best, at) => (best === null || Math.abs(at - iteration) <= Math.abs(best - iteration) ? at : best),
    null,
  );
}

/** The group without the values that depend on advantages. */
function unpaid(group: GroupInspection, lacking: string): GroupInspection {
  const { formula: _, ...rest } = group;
  const rollouts = group.rollouts.map((rollout) => ({
    ...rollout,
    turns: rollout.turns.map((turn) => ({ ...turn, advantage: [], won: [] })),
  }));
  return { ...rest, rollouts, lacking };
}
