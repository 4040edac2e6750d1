// When the run of this page has to be taken up again at its newest checkpoint before it can be trained: it went on in
// another tab meanwhile, or the trainer has ended by itself.
import type { Claim } from '../api/trainerApi.ts';
import type { RunRecord } from '../records/checkpoint.ts';
import type { RunState } from '../records/events.ts';
import type { RunId } from '../records/ids.ts';
import type { Notices } from './notices.svelte.ts';
import type { Session } from './session.svelte.ts';

interface TakingUpParts {
  session: Session;
  notices: Notices;
  resume: (run: RunRecord) => Promise<unknown>;
  train: () => Promise<void>;
}

/** A trainer that ends again within so many iterations is not started again unasked. */
const trialIterations = 10;

export class TakingUp {
  readonly #parts: TakingUpParts;
  /** Where a run was last taken up because its trainer had ended. */
  #last: { id: RunId; iteration: number } | null = null;

  constructor(parts: TakingUpParts) {
    this.#parts = parts;
  }

  /** Trains by one of the verbs, on from the newest checkpoint where the run went on elsewhere. */
  async go(verb: () => Promise<Claim | null>): Promise<Claim | null> {
    const { session, notices, resume } = this.#parts;
    const claim = await verb();
    const { run } = session.own;
    if (claim !== 'stale' || !run) return claim;
    await resume(run);
    const { iteration } = session.own;
    notices.say(`${run.name} went on in another tab; here it goes on from its newest checkpoint, ${iteration}.`);
    return verb();
  }

  /** After the trainer has ended by itself: goes on, once; if it ends again soon, the visitor decides. */
  async afterLoss(state: RunState): Promise<void> {
    const { session, notices, resume, train } = this.#parts;
    const { run, iteration, checkpoints } = session.own;
    const isSoon =
      this.#last !== null && this.#last.id === run?.id && iteration < this.#last.iteration + trialIterations;
    if (!run || checkpoints.length === 0 || isSoon || !session.isWriter) return;
    if (state === 'preparing' || state === 'failed') return;
    this.#last = { id: run.id, iteration };
    await resume(run);
    const { iteration: from } = session.own;
    notices.say(`The trainer ended unexpectedly. ${run.name} goes on from its last checkpoint, iteration ${from}.`);
    if (state === 'training') await train();
  }
}
