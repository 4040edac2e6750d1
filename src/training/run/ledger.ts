// Double-entry bookkeeping of an iteration: every millisecond of the loop is charged to the part it is in, less what
// the engine's meters and the gate say was waiting, which is charged to readback, yielding or a pause. Nothing is
// charged while the loop does not run, so a run that was left alone for an hour has not had a long iteration.
import { counters, restartPeak, type Counters } from '../../engine/counters.ts';
import { profilePartNames, type EngineWork, type IterationProfile, type ProfilePart } from '../../records/profile.ts';
import type { Gate } from '../team/gate.ts';

export interface LedgerParts {
  /** Milliseconds, from any origin. */
  now: () => number;
  meters: () => Counters;
  /** Starts the search for the peak of memory anew. */
  restartPeak: () => void;
  /** Milliseconds of the gate so far. */
  waits: () => { yieldedMs: number; heldMs: number };
}

interface Reading {
  nowMs: number;
  meters: Counters;
  yieldedMs: number;
  heldMs: number;
}

const noTimes = () => Object.fromEntries(profilePartNames.map((part) => [part, 0])) as Record<ProfilePart, number>;
const noWork = (): EngineWork => ({
  dispatches: 0,
  submits: 0,
  uploadedBytes: 0,
  readBytes: 0,
  readbacks: 0,
  gpuMs: null,
});

export class Ledger {
  readonly #parts: LedgerParts;
  #part: ProfilePart | null = null;
  #last: Reading | null = null;
  #times = noTimes();
  /** Of each part with all its waiting, but not its pauses: what a rate is taken over. */
  #spans = noTimes();
  #waits: Partial<Record<ProfilePart, number>> = {};
  #pausedMs = 0;
  #work = noWork();
  #tokens = { sampled: 0, trained: 0 };

  constructor(parts: LedgerParts) {
    this.#parts = parts;
  }

  /** From now on time belongs to `part`. */
  enter(part: ProfilePart): void {
    this.#charge();
    this.#part = part;
  }

  /** From now on time belongs to nobody: the loop has ended. */
  rest(): void {
    this.#charge();
    this.#part = null;
    this.#last = null;
  }

  /** Charges `work` to `part`, and what follows to the part before; nothing while the ledger rests. */
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

  /** Adds tokens that were sampled, or that an update learned from. */
  count(tokens: { sampled?: number; trained?: number }): void {
    this.#tokens.sampled += tokens.sampled ?? 0;
    this.#tokens.trained += tokens.trained ?? 0;
  }

  /** What has been charged since the last closing. The part under way goes on. */
  close(): IterationProfile {
    this.#charge();
    const { usedBytes, peakBytes } = (this.#last ?? this.#read()).meters;
    const perSecond = (tokens: number, ms: number) => (ms > 0 ? (1000 * tokens) / ms : 0);
    const profile: IterationProfile = {
      parts: this.#times,
      waits: this.#waits,
      pausedMs: this.#pausedMs,
      ...this.#work,
      sampledTokens: this.#tokens.sampled,
      sampledPerSecond: perSecond(this.#tokens.sampled, this.#spans.rollout),
      trainedTokens: this.#tokens.trained,
      trainedPerSecond: perSecond(this.#tokens.trained, this.#spans.update),
      usedBytes,
      peakBytes: Math.max(usedBytes, peakBytes),
    };
    this.#forget();
    return profile;
  }

  /** Drops what has been charged: it belongs to no iteration. */
  drop(): void {
    this.#charge();
    this.#forget();
  }

  #forget(): void {
    this.#parts.restartPeak();
    this.#times = noTimes();
    this.#spans = noTimes();
    this.#waits = {};
    this.#pausedMs = 0;
    this.#work = noWork();
    this.#tokens = { sampled: 0, trained: 0 };
  }

  #read(): Reading {
    return { nowMs: this.#parts.now(), meters: this.#parts.meters(), ...this.#parts.waits() };
  }

  #charge(): void {
    const now = this.#read();
    const last = this.#last;
    this.#last = now;
    if (!last || !this.#part) return;
    let leftMs = now.nowMs - last.nowMs;
    // Waits may overlap with each other and with work: none is charged more than what is left.
    const take = (ms: number) => {
      const taken = Math.max(0, Math.min(leftMs, ms));
      leftMs -= taken;
      return taken;
    };
    this.#pausedMs += take(now.heldMs - last.heldMs);
    this.#spans[this.#part] += leftMs;
    this.#times.idle += take(now.yieldedMs - last.yieldedMs);
    const waitedMs = take(now.meters.readMs - last.meters.readMs);
    this.#times.readback += waitedMs;
    if (waitedMs > 0) this.#waits[this.#part] = (this.#waits[this.#part] ?? 0) + waitedMs;
    this.#times[this.#part] += leftMs;
    this.#work = addWork(this.#work, last.meters, now.meters);
  }
}

/** A ledger of the engine as it is, and of a gate. */
export function openLedger(now: () => number, gate: Gate): Ledger {
  return new Ledger({ now, meters: counters, restartPeak, waits: () => gate.waits });
}

function addWork(sum: EngineWork, before: EngineWork, after: EngineWork): EngineWork {
  const grown = (name: Exclude<keyof EngineWork, 'gpuMs'>) => sum[name] + after[name] - before[name];
  const isTimed = before.gpuMs !== null && after.gpuMs !== null;
  return {
    dispatches: grown('dispatches'),
    submits: grown('submits'),
    uploadedBytes: grown('uploadedBytes'),
    readBytes: grown('readBytes'),
    readbacks: grown('readbacks'),
    gpuMs: isTimed ? (sum.gpuMs ?? 0) + (after.gpuMs as number) - (before.gpuMs as number) : sum.gpuMs,
  };
}
