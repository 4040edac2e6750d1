// The visitor's selection: an iteration (the newest or a past one), one rollout of its group, and one turn of the
// rollout. If the selection is empty, the page follows the training. A selection that is made during training stays
// unchanged.
import { createContext } from 'svelte';
import type { GroupInspection } from '../../records/inspection.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { loadShownOf } from '../../storage/reading.ts';
import type { MetricLog } from '../trainer/metricLog.ts';
import type { Notices } from '../visitor/notices.svelte.ts';
import type { TrainerClient } from '../trainer/trainerClient.svelte.ts';

/** A dialogue whose numbers are not known yet, as a group of one rollout. */
function groupOfOne(trajectory: Trajectory): GroupInspection {
  const rollouts = [{ trajectory, turns: [], promptTexts: [] }];
  return { iteration: 0, group: trajectory.group, isDead: false, meanReward: trajectory.reward, rollouts };
}

interface TokenOnStage {
  rollout: number;
  turn: number;
  token: number;
}

/** The next token after `from` with a clipped ratio, wrapping from the last to the first; null if there is none. */
export function nextClipped({ rollouts }: GroupInspection, from: TokenOnStage): TokenOnStage | null {
  const clipped = rollouts.flatMap(({ turns }, rollout) =>
    turns.flatMap(({ won }, turn) => won.flatMap((side, token) => (side === 0 ? [] : { rollout, turn, token }))),
  );
  const isAfter = ({ rollout, turn, token }: TokenOnStage) =>
    (rollout - from.rollout || turn - from.turn || token - from.token) > 0;
  return clipped.find(isAfter) ?? clipped[0] ?? null;
}

/**
 * The token whose probability the update has changed most, upwards or downwards; null if no token was used for
 * learning.
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

/** If an iteration takes longer than this, it is shown turn by turn. */
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
   * The iteration that was displayed when the visitor closed a token. No token of this iteration is opened
   * automatically.
   */
  #closedAt = $state<number | null>(null);
  /**
   * The open token. It stays open from turn to turn within the group of one iteration, and never moves to another
   * group.
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
   * The token that is open by default. It is the token of the group that changed most, as long as nothing in the group
   * is selected. This applies to a past iteration, and to a run that was opened from the store. While the page follows
   * the training, no token is open by default, because the table would jump at each iteration.
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
  /** Whether the token that changed most is not the open one, so that it can be opened. */
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
   * Whether the dialogue that is being sampled is shown. It is shown until its numbers arrive or the visitor selects
   * something. If iterations are fast, the newest numbers stay instead, because each group is displayed only for one
   * iteration.
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
   * The selected turn. Without a selection it is the turn of the token that is open by default, or otherwise the first
   * turn, so that the table stays in its place.
   */
  readonly turnIndex = $derived(
    Math.min(this.#turn ?? this.opensOn?.turn ?? 0, Math.max(0, (this.trajectory?.turns.length ?? 0) - 1)),
  );
  /** The past iteration that is inspected; null while the page follows the training. */
  readonly pastIteration = $derived(this.#past?.iteration ?? null);
  /** The iteration whose dialogues are shown, if those of the inspected iteration are not kept; otherwise null. */
  readonly nearestKept = $derived.by(() => {
    const { iteration, group = null, isLoaded = false } = this.#past ?? {};
    return isLoaded && group && group.iteration !== iteration ? group.iteration : null;
  });

  /** Whether the inspected iteration is still being read; another one stays displayed until then. */
  readonly isOnWay = $derived.by(() => {
    const { iteration, group = null, isLoaded = false } = this.#past ?? {};
    return !isLoaded && group !== null && group.iteration !== iteration;
  });

  constructor(trainer: TrainerClient, notices: Notices) {
    this.#trainer = trainer;
    this.#notices = notices;
  }

  /** A branch is shown from the turn where it leaves its dialogue, because both are the same up to this turn. */
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

  /** Opens the token of the group that changed most; returns false if no token was used for learning. */
  openMostMoved(): boolean {
    return this.group !== null && this.#open(mostMoved(this.group), this.group.iteration);
  }

  /** Treats the token that is open by default as selected, before something else is selected. */
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
    // Closing a token that was open by default also counts as a selection.
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
   * Keeps the displayed selection while training continues. This is not necessary while the run is paused, because
   * nothing changes then.
   */
  hold(): void {
    const group = this.group;
    if (this.#past || !group || this.#trainer.view.state !== 'training') return;
    this.#rollout = this.rolloutIndex;
    this.#past = { iteration: group.iteration, group: group.iteration === 0 ? null : group };
  }

  /** Selects a group of an iteration. If neither rollout nor turn is given, it opens the token that changed most. */
  show(group: GroupInspection, at: { rollout?: number; turn?: number } = {}): void {
    const isChosen = at.rollout !== undefined || at.turn !== undefined;
    this.#past = { iteration: group.iteration, group, isLoaded: true };
    this.#rollout = isChosen ? (at.rollout ?? 0) : null;
    this.#turn = isChosen ? (at.turn ?? 0) : null;
  }

  /** Adds the numbers of the selected group, unless another group has been selected since. */
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

  /** Inspects a past iteration. If it is the newest iteration or a later one, the page follows the training instead. */
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
