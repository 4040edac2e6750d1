// The visitor's selection: an iteration of the past or the newest, one rollout of its group, one turn of it. Nothing
// chosen means: follow the training. A choice made while training continues stays where it is.
import { createContext } from 'svelte';
import type { GroupInspection } from '../../records/inspection.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { loadShownOf } from '../../storage/reading.ts';
import type { MetricLog } from '../trainer/metricLog.ts';
import type { Notices } from '../visitor/notices.svelte.ts';
import type { TrainerClient } from '../trainer/trainerClient.svelte.ts';

/** A dialogue of which no numbers are known yet, in the form of a group. */
function groupOfOne(trajectory: Trajectory): GroupInspection {
  const rollouts = [{ trajectory, turns: [], promptTexts: [] }];
  return { iteration: 0, group: trajectory.group, isDead: false, meanReward: trajectory.reward, rollouts };
}

interface TokenOnStage {
  rollout: number;
  turn: number;
  token: number;
}

/** The next token after `from` whose ratio was clipped, after the last the first again; null where none was. */
export function nextClipped({ rollouts }: GroupInspection, from: TokenOnStage): TokenOnStage | null {
  const clipped = rollouts.flatMap(({ turns }, rollout) =>
    turns.flatMap(({ won }, turn) => won.flatMap((side, token) => (side === 0 ? [] : { rollout, turn, token }))),
  );
  const isAfter = ({ rollout, turn, token }: TokenOnStage) =>
    (rollout - from.rollout || turn - from.turn || token - from.token) > 0;
  return clipped.find(isAfter) ?? clipped[0] ?? null;
}

/** The token whose probability the update has moved most, up or down; null where none was learned from. */
export function mostMoved({ rollouts }: GroupInspection): TokenOnStage | null {
  const tokens = rollouts.flatMap(({ turns }, rollout) =>
    turns.flatMap(({ tokenRatio }, turn) =>
      tokenRatio.map((ratio, token) => ({ rollout, turn, token, moved: Math.abs(Math.log(ratio)) })),
    ),
  );
  const [first] = tokens;
  if (!first) return null;
  const { moved: _, ...most } = tokens.reduce((a, b) => (b.moved > a.moved ? b : a), first);
  return most;
}

/** An iteration longer than this is worth watching turn by turn. */
const slowMs = 4000;
const iterationMs = (metrics: MetricLog) =>
  (metrics.newest('time/rollout') ?? 0) + (metrics.newest('time/update') ?? 0);

export class Selection {
  readonly #trainer: TrainerClient;
  readonly #notices: Notices;
  #rollout = $state<number | null>(null);
  #turn = $state<number | null>(null);
  #past = $state.raw<{ iteration: number; group: GroupInspection | null; isLoaded?: true } | null>(null);

  /** The iteration on show when the visitor closed a token: nothing opens there by itself. */
  #closedAt = $state<number | null>(null);
  /** The token that is opened; it stays from turn to turn of one iteration's group, and never goes on to another. */
  opened = $state.raw<{ token: number; iteration: number } | null>(null);

  /** The inspected group on show; null before the first iteration. */
  readonly group = $derived.by(() => {
    const { shown, opening } = this.#trainer.view;
    if (this.#past?.group) return this.#past.group;
    if (this.#past && this.#past.iteration > 0) return null;
    if (shown && !this.#past) return shown;
    return opening ? groupOfOne(opening) : null;
  });
  /**
   * The token that a group opens on, the one that moved most, as long as nothing in it was chosen: of an iteration that is
   * looked back at, and of a run that was opened from the store. While training is followed there is none, or the table would
   * leap with each iteration.
   */
  readonly opensOn: TokenOnStage | null = $derived.by(() => {
    if (this.#rollout !== null || this.#turn !== null || !this.group) return null;
    if (this.#closedAt === this.group.iteration) return null;
    const { state, live } = this.#trainer.view;
    const isOpened = this.#past ? this.#past.isLoaded === true : state !== 'training' && live === null;
    return isOpened ? mostMoved(this.group) : null;
  });
  /** The token whose formula is open, in the turn on show. */
  readonly tokenIndex: number | null = $derived.by(() => {
    const chosen = this.opened && this.opened.iteration === this.group?.iteration ? this.opened.token : null;
    return this.opensOn?.token ?? chosen;
  });
  /** Whether the token that moved most is not the one that is open: then there is something to open. */
  readonly isElsewhere: boolean = $derived.by(() => {
    const most = this.group && mostMoved(this.group);
    if (!most) return false;
    return most.token !== this.tokenIndex || most.turn !== this.turnIndex || most.rollout !== this.rolloutIndex;
  });
  readonly rolloutIndex = $derived.by(() => {
    const rollouts = this.group?.rollouts ?? [];
    if (this.opensOn) return this.opensOn.rollout;
    if (this.#rollout !== null) return Math.min(this.#rollout, Math.max(0, rollouts.length - 1));
    const live = this.#trainer.view.live?.trajectory.index;
    const same = rollouts.findIndex((rollout) => rollout.trajectory.index === live);
    return same < 0 ? 0 : same;
  });
  /**
   * The dialogue being sampled is shown until its numbers arrive or the visitor chooses something; where iterations
   * are quick the newest numbers stay instead, since each group is on show only as long as an iteration takes.
   */
  readonly isLive = $derived.by(() => {
    const { live, shown, state } = this.#trainer.view;
    if (this.#past || this.#rollout !== null || this.#turn !== null || !live) return false;
    const isQuick = shown !== null && iterationMs(this.#trainer.view.metrics) < slowMs;
    return state === 'training' && !isQuick && live.iteration > (shown?.iteration ?? 0);
  });

  readonly rollout = $derived(this.group?.rollouts[this.rolloutIndex] ?? null);
  /** The dialogue in the lanes. */
  readonly trajectory = $derived.by(() => {
    const { live } = this.#trainer.view;
    return (this.isLive ? live : this.rollout)?.trajectory ?? null;
  });
  /** The chosen turn; without a choice that of the token which the group opens on, else the first: the table stays where it is. */
  readonly turnIndex = $derived(
    Math.min(this.#turn ?? this.opensOn?.turn ?? 0, Math.max(0, (this.trajectory?.turns.length ?? 0) - 1)),
  );
  /** The iteration looked back at; null while following. */
  readonly pastIteration = $derived(this.#past?.iteration ?? null);
  /** The iteration whose dialogues are shown instead of those of the one looked back at, which are not kept. */
  readonly nearestKept = $derived.by(() => {
    const { iteration, group = null, isLoaded = false } = this.#past ?? {};
    return isLoaded && group && group.iteration !== iteration ? group.iteration : null;
  });

  /** The iteration looked back at is being read: until then another stays on show. */
  readonly isOnWay = $derived.by(() => {
    const { iteration, group = null, isLoaded = false } = this.#past ?? {};
    return !isLoaded && group !== null && group.iteration !== iteration;
  });

  constructor(trainer: TrainerClient, notices: Notices) {
    this.#trainer = trainer;
    this.#notices = notices;
  }

  /** A branch is looked at where it leaves its dialogue: all before that belongs to both. */
  chooseRollout(index: number): void {
    const rollouts = this.group?.rollouts ?? [];
    if (rollouts.length === 0) return;
    this.#adopt();
    this.hold();
    this.#rollout = Math.min(rollouts.length - 1, Math.max(0, index));
    this.#turn = rollouts[this.#rollout]?.trajectory.branch?.from ?? this.turnIndex;
  }
  chooseTurn(index: number): void {
    const count = this.trajectory?.turns.length ?? 0;
    if (count === 0) return;
    this.#adopt();
    this.hold();
    this.#turn = Math.min(count - 1, Math.max(0, index));
  }

  /** Opens the next token of the group whose ratio was clipped; answers false where none was. */
  openClipped(): boolean {
    if (!this.group) return false;
    const { iteration } = this.group;
    const token = this.tokenIndex ?? -1;
    const from = { rollout: this.rolloutIndex, turn: this.turnIndex, token };
    return this.#open(nextClipped(this.group, from), iteration);
  }

  /** Opens the token of the group that moved most; answers false where none was learned from. */
  openMostMoved(): boolean {
    return this.group !== null && this.#open(mostMoved(this.group), this.group.iteration);
  }

  /** The token that a group opened on stays as if it had been chosen, before something else is. */
  #adopt(): void {
    const { opensOn, group } = this;
    if (!opensOn || !group) return;
    this.#rollout = opensOn.rollout;
    this.#turn = opensOn.turn;
    this.opened = { token: opensOn.token, iteration: group.iteration };
  }

  /** Opens a token of the turn on show; null closes the one that is open. */
  openToken(token: number | null): void {
    if (!this.group) return;
    // Also who closes what opened by itself has chosen.
    this.#adopt();
    if (token !== null) this.hold();
    this.#closedAt = token === null ? this.group.iteration : null;
    this.opened = token === null ? null : { token, iteration: this.group.iteration };
  }

  #open(next: TokenOnStage | null, iteration: number): boolean {
    if (!next) return false;
    this.hold();
    this.#rollout = next.rollout;
    this.#turn = next.turn;
    this.opened = { token: next.token, iteration };
    return true;
  }

  /** Keeps what is on show while training goes on; a run that stands still changes nothing by itself. */
  hold(): void {
    const group = this.group;
    if (this.#past || !group || this.#trainer.view.state !== 'training') return;
    this.#rollout = this.rolloutIndex;
    this.#past = { iteration: group.iteration, group: group.iteration === 0 ? null : group };
  }

  /** Holds a group of an iteration; where neither rollout nor turn is given, on the token that moved most. */
  show(group: GroupInspection, at: { rollout?: number; turn?: number } = {}): void {
    const isChosen = at.rollout !== undefined || at.turn !== undefined;
    this.#past = { iteration: group.iteration, group, isLoaded: true };
    this.#rollout = isChosen ? (at.rollout ?? 0) : null;
    this.#turn = isChosen ? (at.turn ?? 0) : null;
  }

  /** Takes the numbers of the group that is held, unless another is by now. */
  renew(group: GroupInspection): void {
    const held = this.#past?.group;
    if (this.#past && held?.iteration === group.iteration && held.group === group.group)
      this.#past = { ...this.#past, group };
  }

  /** Back to the newest iteration and to nothing chosen. */
  follow(): void {
    this.#rollout = this.#turn = this.#closedAt = null;
    this.#past = null;
  }

  /** Looks back at an iteration; the newest one, or a later one, means follow. */
  async scrub(iteration: number): Promise<void> {
    const { run, iteration: newest } = this.#trainer.view;
    if (!run || iteration >= newest) return this.follow();
    this.#past = { iteration, group: iteration === 0 ? null : this.group };
    const { shownAt } = this.#trainer;
    const group = await this.#notices.attempt(() => (shownAt ? shownAt(iteration) : loadShownOf(run, iteration)));
    if (group !== undefined && this.#past?.iteration === iteration) this.#past = { iteration, group, isLoaded: true };
  }
}

export const [getSelection, setSelection] = createContext<Selection>();
