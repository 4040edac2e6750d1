// The state of the stage (the panel in the middle of the page): the selected dialogue with its team and its numbers,
// the quantity that determines the colours of tokens, and the token whose formula is open.
import { createContext } from 'svelte';
import { talksInWords } from '../../config/warmStarts.ts';
import { castIn } from '../../records/cast.ts';
import { getRun } from '../../state/run/run.svelte.ts';
import { getSelection } from '../../state/run/selection.svelte.ts';
import { getSetup } from '../../state/settings/setup.svelte.ts';
import type { TurnInspection } from '../../records/inspection.ts';
import type { Turn } from '../../records/trajectory.ts';
import { castOnShow, roleName } from '../words.ts';
import { lanesOf } from './laneWords.ts';
import { availableQuantities, fullTint, tokenLook, type QuantityName, type TokenLook } from './quantity.ts';
import { tokenNumbers } from './turnSummary.ts';
import { shownFormIn, shownFormOf } from '../../state/visitor/worldForms.ts';

export class StageState {
  readonly #setup = getSetup();
  readonly #run = getRun();
  readonly selection = getSelection();
  /** The quantity that the visitor chose for the colours of tokens. */
  #wanted = $state<QuantityName>('advantage');
  readonly group = $derived(this.selection.group);
  /** The dialogue displayed in the lanes; null before the first dialogue. */
  readonly trajectory = $derived(this.selection.trajectory);
  /** The numbers of the displayed dialogue; null while it is being sampled. */
  readonly inspection = $derived(this.selection.isLive ? null : this.selection.rollout);
  readonly #config = $derived(this.#run.view.run?.config ?? this.#setup.config);
  /** Whether the messages are texts in plain words of a language model. */
  readonly isInWords = $derived(talksInWords(this.#config));
  /** The settings of the agents. */
  readonly agents = $derived(this.#config.agents);
  /** The iteration of the dialogue. */
  readonly iteration = $derived((this.selection.isLive ? this.#run.view.live?.iteration : this.group?.iteration) ?? 0);
  /** The agents of the dialogue, and the texts that each agent sees. */
  readonly cast = $derived.by(() => {
    const { agents, world } = this.#setup.config;
    const problem = this.trajectory?.problem;
    return castOnShow(this.trajectory, castIn(agents, problem ? shownFormOf(problem.world) : shownFormIn(world)));
  });
  readonly lanes = $derived(lanesOf(this.cast));
  /** The selected turn and its numbers. If a turn was not used for learning, its inspection has no tokens. */
  readonly turn = $derived(this.trajectory?.turns[this.selection.turnIndex] ?? null);
  readonly turnInspection = $derived(this.inspection?.turns[this.selection.turnIndex] ?? null);
  /**
   * The quantities for which the displayed group has numbers, and the quantity that determines the colours of tokens.
   */
  readonly available = $derived(availableQuantities(this.group));
  readonly quantity = $derived(this.available.includes(this.#wanted) ? this.#wanted : 'probability');
  /** The distance between its value and the neutral value at which a token gets the full colour. */
  readonly full = $derived(fullTint(this.quantity, this.group));
  /** The formula of the loss for the selected turn; null if nothing was learned from the turn. */
  readonly formula = $derived(this.turnInspection?.tokens.length ? (this.group?.formula ?? null) : null);
  /** The index of the token whose formula is open; null if no formula is open. */
  readonly token = $derived.by(() => {
    const token = this.selection.tokenIndex;
    if (token === null || !this.turnInspection) return null;
    return Math.min(token, this.turnInspection.tokens.length - 1);
  });

  /** The name of the agent that speaks in a turn. */
  nameOf = ({ agent, role }: Turn) => this.lanes[agent]?.name ?? roleName(role);

  /** The look of each token of a turn by the chosen quantity. `inspection` is null if there are no numbers. */
  looksOf(tokens: readonly string[], turn: Turn, inspection: TurnInspection | null): TokenLook[] {
    const numbers = tokenNumbers(turn, inspection, this.quantity);
    const isKnown = numbers.length === tokens.length;
    const by = { name: this.quantity, full: this.full };
    return tokens.map((token, i) => tokenLook(token, isKnown ? numbers[i] : undefined, by));
  }

  colourBy(quantity: QuantityName): void {
    this.#wanted = quantity;
  }

  /** Opens the formula of a token or, if this formula is already open, closes it. */
  toggleFormula(token: number): void {
    this.selection.openToken(token === this.token ? null : token);
  }
}

const [getStage, setStage] = createContext<StageState>();
/** `getStage` returns the stage that `provideStage` created in an enclosing component. */
export { getStage };
export const provideStage = () => setStage(new StageState());
