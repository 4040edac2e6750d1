// Records how much time the parts of an iteration take. Every millisecond of the training loop is added to the current
// part. The engine's meters and the gate report waiting times. Waiting times are subtracted from the current part and
// added to the parts for readback, yielding or pauses. While the loop does not run, no time is added, so a pause of an
// hour does not make an iteration an hour longer.
import { counters, restartPeak, type Counters } from '../../engine/counters.ts';
import { profilePartNames, type EngineWork, type IterationProfile, type ProfilePart } from '../../records/profile.ts';
import type { Gate } from '../team/gate.ts';
import type { Team } from '../team/team.ts';

export interface LedgerParts {
  /** Returns the time in milliseconds since an arbitrary point in time. */
  now: () => number;
  meters: () => Counters;
  /** Restarts the measurement of peak memory. */
  restartPeak: () => void;
  /** The milliseconds that were spent waiting at the gate so far. */
  waits: () => { yieldedMs: number; heldMs: number };
  /** The milliseconds so far during which the world's own code was running. */
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

/** The times and counts that have been recorded for an iteration so far. */
const newAccount = () => ({
  times: noTimes(),
  /**
   * The total duration of the parts, including all waiting but excluding pauses. Rates are computed from this duration.
   */
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

  /** From now on, time is added to `part`. */
  enter(part: ProfilePart): void {
    this.#charge();
    this.#part = part;
  }

  /** Stops the recording of time. This is called when the training loop has ended. */
  rest(): void {
    this.#charge();
    this.#part = null;
    this.#last = null;
  }

  /**
   * Adds the time that `work` takes to `part`. After `work` has finished, time is added to the previous part again. If
   * the ledger is stopped, no time is recorded.
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

  /** Adds to the number of sampled tokens, and to the number of tokens from which an update learned. */
  count(tokens: { sampled?: number; trained?: number }): void {
    this.#account.sampled += tokens.sampled ?? 0;
    this.#account.trained += tokens.trained ?? 0;
  }

  /**
   * Returns the times and counts that were recorded since the last call, and resets them to zero. The current part
   * remains the same.
   */
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

  /** Discards all times and counts recorded so far, because they belong to no iteration. */
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
    // Waiting times may overlap with each other and with computation, so each waiting time is limited to the time that
    // has not yet been assigned to a part.
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

/** A ledger for the current engine, a gate, and the current team of a run. */
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
