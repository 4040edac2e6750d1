// Runs experiments with dialogues of stored agents. These dialogues run on a separate engine, which uses one thread of
// the CPU, so that training is not slowed down. The agents of the last dialogues remain uploaded, because they are
// usually needed again.
import type { InterventionApi } from '../src/api/interventionConnection.ts';
import { chooseEngine } from '../src/engine/choice.ts';
import type { RunId } from '../src/records/ids.ts';
import type {
  AskedProblem,
  HeldTrajectory,
  Reweighed,
  Reweighing,
  TriedSeat,
  TriedTrajectory,
} from '../src/records/intervention.ts';
import type { Problem } from '../src/records/problem.ts';
import type { KeptBranch } from '../src/records/stored/keptBranch.ts';
import type { Checkpoint } from '../src/records/stored/checkpoint.ts';
import { IndexedDbStore } from '../src/storage/checkpointStore.ts';
import { loadIteration, loadNamedCheckpoints, resumePoint } from '../src/storage/reading.ts';
import { reweigh } from '../src/training/interventions/reweigh.ts';
import { askProblem, tryTrajectory } from '../src/training/interventions/tryTrajectory.ts';
import { seatTogether, type Seat, type Seated } from '../src/training/run/seats.ts';
import { loadKernels, readyWorld } from './assets.ts';
import { HeldModels } from './model/heldModels.ts';

/**
 * The maximum number of checkpoints that are kept in memory. Checkpoints are kept in memory because the store may not
 * contain them, or because they may be deleted from the store in the meantime.
 */
const mostHeld = 4;

export class InterventionWorker implements InterventionApi {
  readonly #store = new IndexedDbStore();
  #engine: Promise<unknown> | null = null;
  /** The models on which runs are based, from the storage of this browser. */
  readonly #models = new HeldModels();
  readonly #held = new Map<string, Checkpoint>();
  readonly #seated = new Map<string, Seated>();
  /** The last request. The next request waits for this request, because only one dialogue is sampled at a time. */
  #last: Promise<unknown> = Promise.resolve();

  hold(checkpoint: Checkpoint): Promise<void> {
    const key = keyOf({ run: checkpoint.runId, iteration: checkpoint.iteration });
    this.#held.delete(key);
    this.#held.set(key, checkpoint);
    const [oldest] = this.#held.keys();
    if (this.#held.size > mostHeld && oldest) this.#held.delete(oldest);
    return Promise.resolve();
  }

  async holdNewest(run: RunId): Promise<number | null> {
    const { checkpoint } = (await resumePoint(run)) ?? {};
    if (checkpoint) await this.hold(checkpoint);
    return checkpoint?.iteration ?? null;
  }

  async ask(asked: AskedProblem, seat: TriedSeat): Promise<Problem> {
    const [{ checkpoint }] = (await this.#seats([seat])) as [Seat];
    return askProblem(checkpoint.config, asked);
  }

  runTrajectory(asked: TriedTrajectory): Promise<HeldTrajectory> {
    const talk = this.#last.then(() => this.#talk(asked));
    this.#last = talk.catch(() => undefined);
    return talk;
  }

  keep = (branch: Omit<KeptBranch, 'number'>) => this.#store.saveBranch(branch);
  forget = (run: RunId, number: number) => this.#store.deleteBranch(run, number);

  reweigh(asked: Reweighing): Promise<Reweighed> {
    const found = this.#last.then(() => this.#reweigh(asked));
    this.#last = found.catch(() => undefined);
    return found;
  }

  async #reweigh({ seat, iteration, group, weights }: Reweighing): Promise<Reweighed> {
    await this.#start();
    const [{ checkpoint }] = (await this.#seats([seat])) as [Seat];
    // If the iteration is not stored, only the dialogues of the shown group are available.
    const all = await loadIteration(seat.run, iteration).catch(() => group);
    const places = group.map(({ index }) => all.findIndex((one) => one.index === index));
    const isWhole = places.every((place) => place >= 0);
    return reweigh(checkpoint, {
      weights,
      trajectories: isWhole ? all : group,
      group: isWhole ? places : [...group.keys()],
    });
  }

  async #start(): Promise<void> {
    this.#engine ??= chooseEngine('cpu', {
      ...{ loadKernels, threads: 1 },
      onFault: () => undefined,
      probe: () => Promise.resolve(0),
      recall: () => Promise.resolve(null),
      remember: () => Promise.resolve(),
    });
    await this.#engine;
  }

  async #talk(asked: TriedTrajectory): Promise<HeldTrajectory> {
    await this.#start();
    const key = asked.seats.map(keyOf).join();
    let seated = this.#seated.get(key);
    if (!seated) {
      seated = seatTogether(await this.#seats(asked.seats));
      this.#seated.set(key, seated);
    }
    // The page shows two dialogues next to each other, so the teams of the last two are kept.
    this.#seated.delete(key);
    this.#seated.set(key, seated);
    for (const [other, { dispose }] of this.#seated) {
      if (this.#seated.size <= 2) break;
      this.#seated.delete(other);
      dispose();
    }
    return tryTrajectory(seated, asked);
  }

  async #seats(seats: readonly TriedSeat[]): Promise<Seat[]> {
    const found: Seat[] = [];
    for (const seat of seats) {
      const held = this.#held.get(keyOf(seat));
      const [stored] = held ? [{ checkpoint: held, name: seat.name }] : await loadNamedCheckpoints([seat]);
      // The checkpoint is kept in memory, because training continues and may delete it from the store.
      const { checkpoint } = stored as Seat;
      await this.hold(checkpoint);
      await readyWorld(checkpoint.config);
      await this.#models.expectBase(seat.name, checkpoint);
      // Agents of the same checkpoint share one object, so that its weights are uploaded only once.
      const same = found[seats.findIndex((other) => keyOf(other) === keyOf(seat))];
      found.push(same ?? (stored as Seat));
    }
    return found;
  }
}

const keyOf = ({ run, iteration }: Pick<TriedSeat, 'run' | 'iteration'>) => `${iteration} ${run}`;
