// The states of all analyses, which are imported from the folders of the analyses.
import { createContext } from 'svelte';
import { analysisMeasures } from '../../config/analyses/registry.ts';
import type { AnalysisParts, AskedInLessons, MakeState } from './analysis.ts';

const makers = Object.entries(
  import.meta.glob<MakeState>('../../extensions/analyses/*/state/state.ts', { eager: true, import: 'makeState' }),
);

export class Analyses {
  readonly #states: Readonly<Record<string, Partial<AskedInLessons>>>;
  /**
   * For each section below the formula, by name, whether it is open. An open section stays open when another token is
   * selected.
   */
  isOpen = $state<Record<string, boolean>>({});

  constructor(parts: AnalysisParts) {
    this.#states = Object.fromEntries(makers.map(([file, make]) => [file.split('/').at(-3), make(parts)]));
  }

  /** The state of an analysis, which is passed to the panel of the analysis. */
  stateOf(name: string): Partial<AskedInLessons> {
    const state = this.#states[name];
    if (!state) throw new Error(`src/extensions/analyses/${name}/state/state.ts: there is no such file.`);
    return state;
  }

  /** Runs an analysis on the displayed group. Called by the buttons of lessons. */
  async ask(name: string, draws: number): Promise<void> {
    await this.stateOf(name).ask?.(draws);
  }

  /** The current value of a measure; null while it is unknown. */
  measured(measure: string): number | null {
    const facts = analysisMeasures[measure];
    return (facts && this.stateOf(facts.analysis).measures?.[measure]?.()) ?? null;
  }
}

export const [getAnalyses, setAnalyses] = createContext<Analyses>();
