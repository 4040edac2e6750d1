// Double-entry bookkeeping of an iteration: every millisecond of the loop is charged to the current part. Waiting time
// that the engine's meters and the gate report is subtracted, and charged to readback, yielding or a pause. Nothing is
// charged while the loop does not run, so a run that was paused for an hour does not have a long iteration.
import { counters, restartPeak, type Counters } from '../../engine/counters.ts';
import { profilePartNames, type EngineWork, type IterationProfile, type ProfilePart } from '../../records/profile.ts';
import type { Gate } from '../team/gate.ts';
import type { Team } from '../team/team.ts';

export interface LedgerParts {
  /** Milliseconds, from an arbitrary origin. */
  now: () => number;
  meters: () => Counters;
  /** Restarts the measurement of the memory peak. */
  restartPeak: () => void;
  /** Milliseconds spent at the gate so far. */
  waits: () => { yieldedMs: number; heldMs: number };
  /** Milliseconds so far in which the world's own code was running. */
  worldMs: () => number;
}

interface Reading {
  nowMs: number;
  meters: Counters;
  yieldedMs: number;
  heldMs: number;
  worldMs: number;
}

const noTimes = () => Object.fromEntries(profilePartNames.map((part) => [part, 0])) as Record<ProfilePart, number>;
const counted = ['dispatches', 'submits', 'uploadedBytes', 'readBytes', 'readbacks'] as const;
const noWork: EngineWork = { dispatches: 0, submits: 0, uploadedBytes: 0, readBytes: 0, readbacks: 0, gpuMs: null };

/** The charges of an iteration so far. */
const newAccount = () => ({
  times: noTimes(),
  /** Duration of each part, including all waiting but excluding pauses: the denominator of rates. */
  spans: noTimes(),
  waits: {} as Partial<Record<ProfilePart, number>>,
  pausedMs: 0,
  work: noWork,
  sampled: 0,
  trained: 0,
});

export class Ledger {
  readonly #parts: LedgerParts;
  #part: ProfilePart | null = null;
  #last: Reading | null = null;
  #account = newAccount();

  constructor(parts: LedgerParts) {
    this.#parts = parts;
  }

  /** From now on time is charged to `part`. */
  enter(part: ProfilePart): void {
    this.#charge();
    this.#part = part;
  }

  /** No time is charged from now on, because the loop has ended. */
  rest(): void {
    this.#charge();
    this.#part = null;
    this.#last = null;
  }

  /**
   * Charges the time of `work` to `part`, and the time after it to the previous part again. Charges nothing while the
   * ledger is stopped.
   */
  async during<T>(part: ProfilePart, work: () => Promise<T>): Promise<T> {
    const before = this.#part;
    if (!before) return work();
    this.enter(part);
    try {
      return await work();
    } finally {
      this.enter(before);
    }
  }

  /** Adds to the number of tokens that were sampled, or that an update learned from. */
  count(tokens: { sampled?: number; trained?: number }): void {
    this.#account.sampled += tokens.sampled ?? 0;
    this.#account.trained += tokens.trained ?? 0;
  }

  /** Returns the charges since the last call and starts a new account. The current part continues. */
  close(): IterationProfile {
    this.#charge();
    const { usedBytes, peakBytes } = (this.#last ?? this.#read()).meters;
    const perSecond = (tokens: number, ms: number) => (ms > 0 ? (1000 * tokens) / ms : 0);
    const { times, spans, waits, pausedMs, work, sampled, trained } = this.#account;
    const profile: IterationProfile = {
      parts: times,
      waits,
      pausedMs,
      ...work,
      sampledTokens: sampled,
      sampledPerSecond: perSecond(sampled, spans.rollout),
      trainedTokens: trained,
      trainedPerSecond: perSecond(trained, spans.update),
      usedBytes,
      peakBytes: Math.max(usedBytes, peakBytes),
    };
    this.#forget();
    return profile;
  }

  /** Discards the charges so far, because they belong to no iteration. */
  drop(): void {
    this.#charge();
    this.#forget();
  }

  #forget(): void {
    this.#parts.restartPeak();
    this.#account = newAccount();
  }

  #read(): Reading {
    return {
      nowMs: this.#parts.now(),
      meters: this.#parts.meters(),
      ...this.#parts.waits(),
      worldMs: this.#parts.worldMs(),
    };
  }

  #charge(): void {
    const now = this.#read();
    const last = this.#last;
    this.#last = now;
    if (!last || !this.#part) return;
    let leftMs = now.nowMs - last.nowMs;
    // Waits may overlap with each other and with work, so each is charged at most the time that is left.
    const take = (ms: number) => {
      const taken = Math.max(0, Math.min(leftMs, ms));
      leftMs -= taken;
      return taken;
    };
    const { times, spans, waits } = this.#account;
    this.#account.pausedMs += take(now.heldMs - last.heldMs);
    spans[this.#part] += leftMs;
    times.idle += take(now.yieldedMs - last.yieldedMs);
    times.world += take(now.worldMs - last.worldMs);
    const waitedMs = take(now.meters.readMs - last.meters.readMs);
    times.readback += waitedMs;
    if (waitedMs > 0) waits[this.#part] = (waits[this.#part] ?? 0) + waitedMs;
    times[this.#part] += leftMs;
    this.#account.work = addWork(this.#account.work, last.meters, now.meters);
  }
}

/** A ledger for the current engine, for a gate and for the current team of a run. */
export function openLedger(now: () => number, gate: Gate, team: () => Team): Ledger {
  const worldMs = () => team().clock.ms;
  return new Ledger({ now, meters: counters, restartPeak, waits: () => gate.waits, worldMs });
}

function addWork(sum: EngineWork, before: EngineWork, after: EngineWork): EngineWork {
  const isTimed = before.gpuMs !== null && after.gpuMs !== null;
  const gpuMs = isTimed ? (sum.gpuMs ?? 0) + (after.gpuMs as number) - (before.gpuMs as number) : sum.gpuMs;
  const work = { ...sum, gpuMs };
  for (const name of counted) work[name] += after[name] - before[name];
  return work;
}
