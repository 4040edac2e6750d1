// The codebook of the displayed problem for every stored checkpoint. The codebooks show how messages came to contain
// information that only their sender sees.
import type { GroupInspection } from '../../../../records/inspection.ts';
import { ThroughCheckpoints, type Checkpointed } from '../../../../state/inspector/throughCheckpoints.svelte.ts';
import type { Selection } from '../../../../state/run/selection.svelte.ts';
import type { Codebook } from '../records.ts';

interface InTimeParts extends Checkpointed {
  selection: Selection;
}

export class CodebookInTime {
  readonly #parts: InTimeParts;
  #group = $state.raw<GroupInspection | null>(null);
  readonly checkpoints: ThroughCheckpoints<Codebook>;
  /** Whether the codebook was computed for the displayed problem. */
  readonly isOnShow = $derived.by(() => {
    const { group } = this.#parts.selection;
    return this.#group !== null && group?.iteration === this.#group.iteration && group.group === this.#group.group;
  });

  constructor(parts: InTimeParts) {
    this.#parts = parts;
    this.checkpoints = new ThroughCheckpoints(parts);
  }

  /**
   * Computes the codebook of the displayed problem for every checkpoint. The display does not switch to another problem
   * during the request.
   */
  async ask(draws: number): Promise<void> {
    const { selection, trainer } = this.#parts;
    selection.hold();
    const problem = selection.group?.rollouts[0]?.trajectory.problem;
    if (!problem) return;
    this.#group = selection.group;
    await this.checkpoints.ask((at) => trainer.look('codebook.checkpoint', { ...at, problem, draws }));
  }
}
