// A visitor's experiments with stored agents, which are possible while training continues. The page shows two columns,
// each with a dialogue about the same problem. A separate worker samples both dialogues. The left column contains the
// original dialogue, or the dialogue of agents from an early checkpoint. The right column contains the changed
// dialogue, or the dialogue of agents from the newest checkpoint. Both columns use the same random numbers, so any
// difference results from the change.
import { createContext } from 'svelte';
import {
  connectInterventions,
  type ConnectInterventions,
  type InterventionConnection,
} from '../../api/interventionConnection.ts';
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { castOf } from '../../records/cast.ts';
import { writeBranch } from '../../formats/jsonl.ts';
import { agentId } from '../../records/ids.ts';
import type { AskedProblem, HeldTrajectory, Reweighed, StandingTurn, TriedSeat } from '../../records/intervention.ts';
import type { Problem } from '../../records/problem.ts';
import type { Trajectory, Turn } from '../../records/trajectory.ts';
import type { KeptBranch, KeptSide } from '../../records/stored/keptBranch.ts';
import { listBranches, listCheckpoints } from '../../storage/reading.ts';
import type { Library } from '../library/library.svelte.ts';
import { say } from '../visitor/language.svelte.ts';
import { errorWords } from '../visitor/notices.svelte.ts';
import type { Run } from '../run/run.svelte.ts';
import type { Selection } from '../run/selection.svelte.ts';
import type { TrainerClient } from '../trainer/trainerClient.svelte.ts';

export type Side = 'left' | 'right';
export const sides: readonly Side[] = ['left', 'right'];

export interface Column {
  seats: readonly TriedSeat[];
  /** The first turns of the dialogue, which are given. All later turns are sampled. */
  given: readonly StandingTurn[];
  hidden: readonly number[];
  /** 0 for the random numbers that both columns share; any other value selects other random numbers for this column. */
  roll: number;
  held: HeldTrajectory;
}

/** A dialogue from training that is opened here. */
interface Origin {
  trajectory: Trajectory;
  /** The iteration in which the dialogue was collected, counted from 1; null if it was not collected in training. */
  iteration: number | null;
  /**
   * The stored weights with which the dialogue was sampled, or those of the nearest checkpoint, and the dialogues of
   * its group. Both fields are absent if the visitor opened a stored experiment.
   */
  seat?: TriedSeat;
  group?: readonly Trajectory[];
}

/** Says why a request failed, and whether the error is shown next to the text that the visitor typed. */
export interface InterventionRefusal {
  text: string;
  isTyped: boolean;
}

interface Parts {
  trainer: TrainerClient;
  library: Library;
  selection: Selection;
  run: Run;
}

export class Interventions {
  readonly #parts: Parts;
  readonly #bench: InterventionConnection;
  #isOpen = $state(false);
  #turn = $state<number | null>(null);
  #problem = $state.raw<Problem | null>(null);
  #origin = $state.raw<Origin | null>(null);
  #columns = $state.raw<Partial<Record<Side, Column>>>({});
  #changes = $state.raw<readonly string[]>([]);
  #kept = $state.raw<readonly KeptBranch[]>([]);
  #reweighed = $state.raw<Reweighed | null>(null);
  #isBusy = $state(false);
  #refusal = $state.raw<InterventionRefusal | null>(null);
  /** The agents with the first weights of the open run, and the agents with the current weights. */
  #ends = $state.raw<{ first: TriedSeat; now: TriedSeat } | null>(null);
  /** The number of the next problem that agents solve when a message is replaced with one about another problem. */
  #drawn = 1;

  readonly isOpen = $derived(this.#isOpen);
  /** The turn for which the experiment was opened. */
  readonly turn = $derived(this.#turn);
  readonly problem = $derived(this.#problem);
  /** The original dialogue; null if the agents only solve a problem with the first and the current weights. */
  readonly origin = $derived(this.#origin);
  readonly columns = $derived(this.#columns);
  /** The changes in the right column, as sentences, in order. */
  readonly changes = $derived(this.#changes);
  /** The newest result for other reward weights in the group of this dialogue. */
  readonly reweighed = $derived(this.#reweighed);
  /** The experiments that are stored with the open run. */
  readonly kept = $derived(this.#kept);
  readonly isBusy = $derived(this.#isBusy);
  /** Says why a button cannot be pressed while the team is working. */
  readonly busyWords = $derived(this.#isBusy ? say('The team is answering.') : undefined);
  /** Says why the last request failed; null if it succeeded. */
  readonly refusal = $derived(this.#refusal);
  /**
   * The weights that the visitor can choose for each agent: the current weights of the open run, followed by all stored
   * checkpoints, newest first.
   */
  readonly choices: readonly TriedSeat[] = $derived.by(() => {
    const stored = this.#parts.library.runs.flatMap(({ run: { id, name }, summary }) =>
      summary.checkpoints.toReversed().map(({ iteration }): TriedSeat => ({ run: id, name, iteration })),
    );
    const { first, now } = this.#ends ?? {};
    const ends = [now, first].filter((seat) => seat !== undefined);
    return [...ends, ...stored].filter((seat, i, all) => all.findIndex((other) => isSame(other, seat)) === i);
  });

  constructor(parts: Parts, connect: ConnectInterventions = connectInterventions) {
    this.#parts = parts;
    this.#bench = connect();
  }

  /**
   * Opens the experiment with the displayed problem. The problem is solved by the agents with the first weights and by
   * the agents with the current weights.
   */
  async openAsked(): Promise<void> {
    this.#isOpen = true;
    this.#turn = null;
    const shown = this.#parts.selection.trajectory?.problem;
    await this.#attempt(async () => {
      const { first, now } = await this.#findEnds();
      const { level = 1 } = this.#parts.run.view.run?.config.world ?? {};
      const problem = shown ?? (await this.#bench.ask((bench) => bench.ask({ level, number: 1 }, now)));
      await this.#ask(problem, first, now);
    });
  }

  /**
   * Opens the experiment with the displayed dialogue, and with the weights that sampled this dialogue or, if these
   * weights are not stored, those of the nearest checkpoint.
   */
  async openShown(): Promise<void> {
    const { trajectory, group, turnIndex } = this.#parts.selection;
    if (!trajectory) return this.openAsked();
    this.#isOpen = true;
    this.#turn = turnIndex;
    await this.#attempt(async () => {
      const { first, now } = await this.#findEnds();
      const iteration = group && group.iteration > 0 ? group.iteration : null;
      const { run, name } = now;
      // The weights with which the dialogue was sampled. If they are not stored, those of the nearest checkpoint.
      const collected = (iteration ?? 1) - 1;
      const away = (at: number) => Math.abs(at - collected);
      const stored = [...(await listCheckpoints(run)), now.iteration, first.iteration];
      const seat = { run, name, iteration: stored.reduce((best, at) => (away(at) < away(best) ? at : best)) };
      const seats = trajectory.prompts.map(() => seat);
      this.#origin = { trajectory, iteration, seat, group: (group?.rollouts ?? []).map((one) => one.trajectory) };
      this.#reweighed = null;
      this.#problem = trajectory.problem;
      this.#changes = [];
      const column: Column = {
        ...{ seats, given: trajectory.turns, hidden: [], roll: 0 },
        held: { trajectory, awaited: null },
      };
      this.#columns = { left: column, right: column };
    });
  }

  /** Closes the experiment and terminates its worker. */
  close(): void {
    this.#isOpen = false;
    this.#bench.end();
  }

  /**
   * Lets the agents with the first weights and the agents with the current weights solve a problem that the visitor
   * typed or chose by its number.
   */
  async ask(asked: AskedProblem): Promise<void> {
    await this.#attempt(async () => {
      const { first, now } = await this.#findEnds();
      const problem = await this.#bench.ask((bench) => bench.ask(asked, now));
      await this.#ask(problem, first, now);
    });
  }

  async #ask(problem: Problem, first: TriedSeat, now: TriedSeat): Promise<void> {
    this.#origin = null;
    this.#changes = [];
    this.#problem = problem;
    const agents = this.#parts.run.view.run ? castOf(this.#parts.run.view.run.config) : [];
    const ofSide = (seat: TriedSeat) => ({ seats: agents.map(() => seat), given: [], hidden: [], roll: 0 });
    const [left, right] = [await this.#held(ofSide(first)), await this.#held(ofSide(now))];
    this.#columns = { left, right };
  }

  /**
   * Replaces the text of a turn in the right column, and lets the other agents continue. Returns whether the change was
   * accepted.
   */
  edit = (turn: number, text: string, isFinish: boolean) =>
    this.#change(turn, spoken`turn ${turn + 1} edited`, ({ held }) => ({
      given: [...before(held, turn), { agent: agentOf(held, turn), text, isFinish }],
    }));

  /** Samples a turn of the right column again, with other random numbers. */
  reroll = (turn: number) =>
    this.#change(turn, spoken`turn ${turn + 1} said again`, ({ held, roll }) => ({
      given: before(held, turn),
      roll: roll + 1,
    }));

  /** Hides a turn of the right column from the other agents, or shows it to them again. */
  hide = (turn: number) =>
    this.#change(turn, spoken`turn ${turn + 1} hidden`, ({ held, hidden }) => ({
      given: before(held, turn + 1),
      hidden: hidden.includes(turn) ? hidden.filter((one) => one !== turn) : [...hidden, turn],
    }));

  /**
   * Replaces a turn of the right column with a message of the same agent about another problem. For this purpose, the
   * same agents solve the other problem first.
   */
  shuffle = (turn: number) =>
    this.#change(turn, spoken`turn ${turn + 1} exchanged`, async ({ held, seats }) => {
      const [seat] = seats as [TriedSeat];
      const { level, id } = this.#problem as Problem;
      for (;;) {
        const problem = await this.#bench.ask((bench) => bench.ask({ level, number: this.#drawn++ }, seat));
        if (problem.id === id) continue;
        const other = await this.#held(
          { seats: seats.map(({ isYou: _, ...own }) => own), given: [], hidden: [], roll: 0 },
          problem,
        );
        const said = other.held.trajectory.turns[turn];
        // The dialogue about the other problem may have ended before this turn. It then contains no message for the
        // replacement.
        if (said) return { given: [...before(held, turn), said] };
      }
    });

  /** Continues a dialogue with a message that the visitor typed as the next turn of an agent. */
  say(side: Side, text: string, isFinish: boolean): Promise<boolean> {
    return this.#attempt(async () => {
      const column = this.#columns[side];
      if (!column?.held.awaited) return;
      const { trajectory, awaited } = column.held;
      const given = [...trajectory.turns, { agent: agentId(awaited.agent), text, isFinish }];
      await this.#put(side, { ...column, given });
    }, true);
  }

  /** Chooses other weights for an agent of a column. Other changes in this column stay in effect. */
  seat(side: Side, agent: number, seat: TriedSeat): Promise<boolean> {
    return this.#attempt(async () => {
      const column = this.#columns[side];
      if (!column) return;
      const seats = column.seats.with(agent, seat);
      // All turns of the original dialogue are given. If the weights are changed, all turns must be sampled again.
      const given = column.held.trajectory === this.#origin?.trajectory || seat.isYou ? [] : column.given;
      await this.#put(side, { ...column, seats, given });
    });
  }

  /** Computes the effect of other reward weights on the group of this dialogue. */
  reweigh = (weights: Readonly<Record<string, number>>) =>
    this.#attempt(async () => {
      const { seat, iteration, group } = this.#origin ?? {};
      if (!seat || !iteration || !group) return;
      this.#reweighed = await this.#bench.ask((bench) => bench.reweigh({ seat, iteration, group, weights }));
    });

  /** Stores both columns with the open run, under a name. */
  keep = (name: string) =>
    this.#attempt(async () => {
      const { left, right } = this.#columns;
      const { run } = this.#parts.run.view;
      if (!run || !left || !right) return;
      const side = ({ seats, hidden, held }: Column): KeptSide => ({
        ...{ seats: [...seats], hidden: [...hidden], trajectory: held.trajectory },
      });
      const branch = { runId: run.id, name, changes: [...this.#changes], left: side(left), right: side(right) };
      await this.#bench.ask((bench) => bench.keep(branch));
      await this.#refreshKept();
    });

  forget = ({ runId, number }: KeptBranch) =>
    this.#attempt(async () => {
      await this.#bench.ask((bench) => bench.forget(runId, number));
      await this.#refreshKept();
    });

  /** A stored experiment as JSON Lines: the original dialogue, then the changed one. */
  lines = writeBranch;

  /** Shows a kept dialogue again. */
  reopen({ left, right, changes }: KeptBranch): void {
    const column = ({ seats, hidden, trajectory }: KeptSide): Column => ({
      ...{ seats, hidden, given: trajectory.turns, roll: 0, held: { trajectory, awaited: null } },
    });
    this.#refusal = null;
    this.#problem = left.trajectory.problem;
    this.#origin = { trajectory: left.trajectory, iteration: null };
    this.#columns = { left: column(left), right: column(right) };
    this.#changes = changes;
  }

  async #refreshKept(): Promise<void> {
    const { run } = this.#parts.run.view;
    if (!run) return;
    const { branches, damaged } = await listBranches(run.id);
    this.#kept = branches;
    if (damaged[0]) this.#refusal = { text: damaged[0].message, isTyped: false };
  }

  /** Undoes all changes: the right column becomes a copy of the left one. */
  undo(): void {
    const { left } = this.#columns;
    this.#changes = [];
    this.#refusal = null;
    if (left) this.#columns = { left, right: left };
  }

  /**
   * Changes the right column. The left column then shows the same dialogue without the change: the turns up to the
   * changed one are given, and the same agents sample the later turns with the same random numbers.
   */
  #change(
    turn: number,
    words: string,
    changed: (column: Column) => Partial<Column> | Promise<Partial<Column>>,
  ): Promise<boolean> {
    return this.#attempt(async () => {
      const { left, right } = this.#columns;
      if (!left || !right) return;
      await this.#put('right', { ...right, ...(await changed(right)) });
      const stands = Math.min(turn + 1, left.given.length);
      if (this.#origin && stands < left.given.length)
        await this.#put('left', { ...left, given: left.given.slice(0, stands) });
      this.#changes = [...this.#changes, words];
    }, true);
  }

  async #put(side: Side, column: Column): Promise<void> {
    const held = await this.#held(column);
    this.#columns = { ...this.#columns, [side]: held };
  }

  /** Samples the dialogue of a column. Errors of the worker are thrown. */
  async #held(
    { seats, given, hidden, roll }: Omit<Column, 'held'>,
    problem = this.#problem as Problem,
  ): Promise<Column> {
    const { trajectory, iteration = null } = this.#origin ?? {};
    const draws = { iteration: iteration === null ? null : iteration - 1, row: trajectory?.index ?? 0, roll };
    const held = await this.#bench.ask((bench) => bench.runTrajectory({ seats, problem, given, hidden, draws }));
    return { seats, given, hidden, roll, held };
  }

  /**
   * Executes a request, unless another one is being executed. If the request fails, nothing changes and the reason is
   * displayed.
   */
  async #attempt(wish: () => Promise<void>, isTyped = false): Promise<boolean> {
    if (this.#isBusy) return false;
    this.#isBusy = true;
    this.#refusal = null;
    try {
      await wish();
      return true;
    } catch (thrown) {
      this.#refusal = { ...errorWords(thrown), isTyped };
      return false;
    } finally {
      this.#isBusy = false;
    }
  }

  /**
   * The first stored weights of the open run and its current weights. The current weights are available only while
   * training is paused.
   */
  async #findEnds(): Promise<{ first: TriedSeat; now: TriedSeat }> {
    const {
      trainer,
      run: { view },
      library,
    } = this.#parts;
    const { run } = view;
    if (!run) throw new ConfigError(spoken`no run is open yet; choose a preset, or wait until the run is prepared.`);
    void library.refresh();
    await this.#refreshKept();
    const present = view.state === 'training' ? null : await trainer.worker.present();
    if (present) await this.#bench.ask((bench) => bench.hold(present));
    const newest = present?.iteration ?? (await this.#bench.ask((bench) => bench.holdNewest(run.id)));
    if (newest === null)
      throw new ConfigError(
        spoken`the weights of this run are not stored yet; pause the run to store the weights, then try again.`,
      );
    const at = (iteration: number): TriedSeat => ({ run: run.id, name: run.name, iteration });
    this.#ends = { first: at((await listCheckpoints(run.id))[0] ?? newest), now: at(newest) };
    return this.#ends;
  }
}

const isSame = (one: TriedSeat, other: TriedSeat) => one.run === other.run && one.iteration === other.iteration;
const before = ({ trajectory }: HeldTrajectory, turn: number): readonly Turn[] => trajectory.turns.slice(0, turn);
const agentOf = ({ trajectory }: HeldTrajectory, turn: number) => (trajectory.turns[turn] as Turn).agent;

export const [getInterventions, setInterventions] = createContext<Interventions>();
