// The codebook of the problem on show under every stored checkpoint: how what is said came to tell what only its sender sees.
import type { Codebook } from '../../records/besides.ts';
import type { GroupInspection } from '../../records/inspection.ts';
import { ThroughCheckpoints, type Checkpointed } from '../inspector/throughCheckpoints.svelte.ts';
import type { Selection } from '../run/selection.svelte.ts';

interface InTimeParts extends Checkpointed {
  selection: Selection;
}

export class CodebookInTime {
  readonly #parts: InTimeParts;
  #group = $state.raw<GroupInspection | null>(null);
  readonly checkpoints: ThroughCheckpoints<Codebook>;
  /** Whether the problem that was asked about is the one on show. */
  readonly isOnShow = $derived.by(() => {
    const { group } = this.#parts.selection;
    return this.#group !== null && group?.iteration === this.#group.iteration && group.group === this.#group.group;
  });

  constructor(parts: InTimeParts) {
    this.#parts = parts;
    this.checkpoints = new ThroughCheckpoints(parts);
  }

  /** Asks about the problem on show, which is held meanwhile. */
  async ask(draws: number): Promise<void> {
    const { selection, trainer } = this.#parts;
    selection.hold();
    const problem = selection.group?.rollouts[0]?.trajectory.problem;
    if (!problem) return;
    this.#group = selection.group;
    await this.checkpoints.ask((at) => trainer.look('checkpointCodebook', { ...at, problem, draws }));
  }
}
