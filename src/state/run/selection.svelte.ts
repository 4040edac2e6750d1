// The visitor's selection: an iteration (the newest or a past one), one rollout of its group, and one turn of the
// rollout. If nothing is selected, the page always shows the newest iteration. A selection stays unchanged while
// training continues.
import { createContext } from 'svelte';
import type { GroupInspection } from '../../records/inspection.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { loadShownOf } from '../../storage/reading.ts';
import type { MetricLog } from '../trainer/metricLog.ts';
import type { Notices } from '../visitor/notices.svelte.ts';
import type { TrainerClient } from '../trainer/trainerClient.svelte.ts';

/** Creates a group with a single rollout from a dialogue whose token numbers are not known yet. */
function groupOfOne(trajectory: Trajectory): GroupInspection {
  const rollouts = [{ trajectory, turns: [], promptTexts: [] }];
  return { iteration: 0, group: trajectory.group, isDead: false, meanReward: trajectory.reward, rollouts };
}

interface TokenOnStage {
  rollout: number;
  turn: number;
  token: number;
}

/**
 * The next token after `from` whose ratio was clipped. After the last token, the search continues at the first token.
 * Null if no token was clipped.
 */
export function nextClipped({ rollouts }: GroupInspection, from: TokenOnStage): TokenOnStage | null {
  const clipped = rollouts.flatMap(({ turns }, rollout) =>
    turns.flatMap(({ won }, turn) => won.flatMap((side, token) => (side === 0 ? [] : { rollout, turn, token }))),
  );
  const isAfter = ({ rollout, turn, token }: TokenOnStage) =>
    (rollout - from.rollout || turn - from.turn || token - from.token) > 0;
  return clipped.find(isAfter) ?? clipped[0] ?? null;
}

/**
 * The token whose probability was changed most by the update, in either direction; null if the update did not use any
 * token.
 */
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

/**
 * If an iteration takes longer than this time (in milliseconds), the displayed dialogue is shown turn by turn while it
 * is sampled.
 */
const slowMs = 4000;
const iterationMs = (metrics: MetricLog) =>
  (metrics.newest('time/rollout') ?? 0) + (metrics.newest('time/update') ?? 0);

export class Selection {
  readonly #trainer: TrainerClient;
  readonly #notices: Notices;
  #rollout = $state<number | null>(null);
  #turn = $state<number | null>(null);
  #past = $state.raw<{ iteration: number; group: GroupInspection | null; isLoaded?: true } | null>(null);

  /**
   * The iteration that was displayed when the visitor closed a token. No token of this iteration is opened by default
   * any more.
   */
  #closedAt = $state<number | null>(null);
  /**
   * The open token. It stays open when another turn of the same group is displayed, but not when another group is
   * displayed.
   */
  opened = $state.raw<{ token: number; iteration: number } | null>(null);

  /** The displayed group with its numbers; null before the first iteration. */
  readonly group = $derived.by(() => {
    const { shown, opening } = this.#trainer.view;
    if (this.#past?.group) return this.#past.group;
    if (this.#past && this.#past.iteration > 0) return null;
    if (shown && !this.#past) return shown;
    return opening ? groupOfOne(opening) : null;
  });
  /**
   * The token whose probability changed most. It is open if the visitor has selected nothing in the group. A token is
   * open by default only in past iterations, and in a run that was opened from the store. While the page shows each new
   * iteration, no token is open by default, because the layout of the table would change at each iteration.
   */
  readonly opensOn: TokenOnStage | null = $derived.by(() => {
    if (this.#rollout !== null || this.#turn !== null || !this.group) return null;
    if (this.#closedAt === this.group.iteration) return null;
    const { state, live } = this.#trainer.view;
    const isOpened = this.#past ? this.#past.isLoaded === true : state !== 'training' && live === null;
    return isOpened ? mostMoved(this.group) : null;
  });
  /** The token whose formula is open, in the displayed turn. */
  readonly tokenIndex: number | null = $derived.by(() => {
    const chosen = this.opened && this.opened.iteration === this.group?.iteration ? this.opened.token : null;
    return this.opensOn?.token ?? chosen;
  });
  /** Whether the update used any token, and the token that changed most is not already open. */
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
   * Whether the dialogue that is being sampled is shown. Such a dialogue is shown until its token numbers arrive, or
   * until the visitor selects something. If iterations are fast, no dialogue is shown while it is sampled, because the
   * numbers of each group would be visible only for a moment.
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
  /**
   * The selected turn. If nothing is selected, this is the turn of the token that is open by default or, if no token is
   * open, the first turn, so that the table always shows the same turn.
   */
  readonly turnIndex = $derived(
    Math.min(this.#turn ?? this.opensOn?.turn ?? 0, Math.max(0, (this.trajectory?.turns.length ?? 0) - 1)),
  );
  /** The past iteration that is inspected; null while the page follows the training. */
  readonly pastIteration = $derived(this.#past?.iteration ?? null);
  /**
   * If the dialogues of the inspected iteration are no longer stored, the iteration whose dialogues are shown in their
   * place; otherwise null.
   */
  readonly nearestKept = $derived.by(() => {
    const { iteration, group = null, isLoaded = false } = this.#past ?? {};
    return isLoaded && group && group.iteration !== iteration ? group.iteration : null;
  });

  /** Whether the inspected iteration is still being read; until then, the previous one stays displayed. */
  readonly isOnWay = $derived.by(() => {
    const { iteration, group = null, isLoaded = false } = this.#past ?? {};
    return !isLoaded && group !== null && group.iteration !== iteration;
  });

  constructor(trainer: TrainerClient, notices: Notices) {
    this.#trainer = trainer;
    this.#notices = notices;
  }

  /**
   * If the rollout is a branch, its last turn is selected first, because the turns before it are the same as in its
   * trunk.
   */
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

  /** Opens the next token of the group with a clipped ratio; returns false if there is none. */
  openClipped(): boolean {
    if (!this.group) return false;
    const { iteration } = this.group;
    const token = this.tokenIndex ?? -1;
    const from = { rollout: this.rolloutIndex, turn: this.turnIndex, token };
    return this.#open(nextClipped(this.group, from), iteration);
  }

  /** Opens the token of the group whose probability changed most. Returns false if the update did not use any token. */
  openMostMoved(): boolean {
    return this.group !== null && this.#open(mostMoved(this.group), this.group.iteration);
  }

  /** Marks the token that is open by default as selected. Must be called before something else is selected. */
  #adopt(): void {
    const { opensOn, group } = this;
    if (!opensOn || !group) return;
    this.#rollout = opensOn.rollout;
    this.#turn = opensOn.turn;
    this.opened = { token: opensOn.token, iteration: group.iteration };
  }

  /** Opens a token of the displayed turn; null closes the open token. */
  openToken(token: number | null): void {
    if (!this.group) return;
    // The fact that the visitor closed a token that was open by default is also part of the selection.
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

  /**
   * Selects everything that is displayed, so that it stays displayed while training continues. Not needed while the run
   * is paused.
   */
  hold(): void {
    const group = this.group;
    if (this.#past || !group || this.#trainer.view.state !== 'training') return;
    this.#rollout = this.rolloutIndex;
    this.#past = { iteration: group.iteration, group: group.iteration === 0 ? null : group };
  }

  /**
   * Selects a group of an iteration. If neither a rollout nor a turn is passed, the token whose probability changed
   * most is opened.
   */
  show(group: GroupInspection, at: { rollout?: number; turn?: number } = {}): void {
    const isChosen = at.rollout !== undefined || at.turn !== undefined;
    this.#past = { iteration: group.iteration, group, isLoaded: true };
    this.#rollout = isChosen ? (at.rollout ?? 0) : null;
    this.#turn = isChosen ? (at.turn ?? 0) : null;
  }

  /** Adds the numbers of the selected group. The numbers are ignored if another group has been selected meanwhile. */
  renew(group: GroupInspection): void {
    const held = this.#past?.group;
    if (this.#past && held?.iteration === group.iteration && held.group === group.group)
      this.#past = { ...this.#past, group };
  }

  /** Goes back to the newest iteration with an empty selection. */
  follow(): void {
    this.#rollout = this.#turn = this.#closedAt = null;
    this.#past = null;
  }

  /**
   * Inspects a past iteration. If the iteration is the newest one or a later one, the page shows each new iteration
   * again.
   */
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
