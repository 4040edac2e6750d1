// A model that somebody else made: opened from its files, looked at, talked to, and held for a run that starts from it.
import { createContext } from 'svelte';
import { connectModels, type ModelConnection, type SaidText } from '../../api/modelConnection.ts';
import { TrainerLostError } from '../../base/errors.ts';
import { fieldAt, type Field } from '../../config/describe.ts';
import { presetConfig } from '../../config/presets.ts';
import { canMatter } from '../../config/matters.ts';
import type { StoredSeat } from '../../api/trainerApi.ts';
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import type { ChatMessage, HeldModel, ModelCard } from '../../records/stored/modelCard.ts';
import { errorWords } from '../notices.svelte.ts';
import type { Setup } from '../setup.svelte.ts';
import type { TrainerClient } from '../trainerClient.svelte.ts';

type Stage =
  { kind: 'none' } | { kind: 'reading' } | { kind: 'read'; card: ModelCard } | { kind: 'refused'; message: string };

/** A message, and where the model said it, its tokens. */
export interface Spoken extends ChatMessage {
  said?: SaidText;
}

/** How agents stand on somebody else's model. It has never ended a turn or finished a talk as ours do: neither is asked of it. */
const standing = {
  'agents.parameters': 'lora',
  'agents.stopWhenTruncated': false,
  'agents.maskUnfinished': false,
  'optimiser.learningRate': presetConfig('adapters').optimiser.learningRate,
};

/** Tokens of an answer at most. */
const answerTokens = 64;

export class Models {
  readonly #parts: { setup: Setup; trainer: TrainerClient };
  readonly #connection: ModelConnection;
  #stage = $state.raw<Stage>({ kind: 'none' });
  #messages = $state.raw<readonly Spoken[]>([]);
  #isSpeaking = $state(false);
  #refusal = $state('');
  #held = $state.raw<readonly HeldModel[]>([]);
  readonly stage = $derived(this.#stage);
  readonly messages = $derived(this.#messages);
  readonly isSpeaking = $derived(this.#isSpeaking);
  /** Why what was typed last was not answered; empty where it was. */
  readonly refusal = $derived(this.#refusal);
  /** Those that settings may name. */
  readonly held = $derived(this.#held);
  temperature = $state(1);
  /** What the model is told before anything is said, as `system`: an agent of ours reads there what it alone may see. */
  instruction = $state('');

  constructor(parts: { setup: Setup; trainer: TrainerClient }, connect: () => ModelConnection = connectModels) {
    this.#parts = parts;
    this.#connection = connect();
  }

  /** Reads a model's files. Never throws: what is wrong stands in `stage`. */
  async open(files: readonly File[]): Promise<void> {
    this.close();
    this.#stage = { kind: 'reading' };
    const asked = this.#stage;
    const stage = await this.#connection
      .ask((models) => models.read(files))
      .then(
        (card): Stage => ({ kind: 'read', card }),
        (thrown: unknown): Stage => ({ kind: 'refused', message: errorWords(thrown).text }),
      );
    // Of several that were chosen the newest counts.
    if (this.#stage === asked) this.#stage = stage;
  }

  /** Puts the model away; one that is held stays so. */
  close(): void {
    if (this.#stage.kind !== 'none') this.#connection.end();
    this.#stage = { kind: 'none' };
    this.instruction = '';
    this.forget();
  }

  /** Begins another chat. */
  forget(): void {
    this.#messages = [];
    this.#refusal = '';
  }

  /** Says something, which the model answers: each answer of a chat with draws of its own. */
  async say(content: string): Promise<void> {
    const messages: readonly Spoken[] = [...this.#messages, { role: 'user', content }];
    this.#isSpeaking = true;
    this.#refusal = '';
    const plain = messages.map((message): ChatMessage => ({ role: message.role, content: message.content }));
    const instruction = this.instruction.trim();
    if (instruction !== '') plain.unshift({ role: 'system', content: instruction });
    const wish = { messages: plain, tokens: answerTokens, temperature: this.temperature, seed: messages.length };
    await this.#connection
      .ask((models) => models.say(wish))
      .then(
        (said) => {
          const answer = said.tokens.map(({ text }) => text).join('');
          this.#messages = [...messages, { role: 'assistant', content: answer, said }];
        },
        (thrown: unknown) => this.#refuse(thrown),
      );
    this.#isSpeaking = false;
  }

  /** Lets the agents begin with the weights of the open model; what hinders that stands beside the setting. */
  async beginWith(card: ModelCard): Promise<void> {
    if (await this.#isHeld(card)) await this.#parts.setup.edit('agents.start', card.name);
  }

  /** Opens a run whose agents stand on the open model, each with an adapter; what hinders that is told. */
  async trainOn(card: ModelCard): Promise<void> {
    if (!(await this.#isHeld(card))) return;
    const { setup } = this.#parts;
    setup.take({ ...standing, 'agents.start': card.name });
    this.#refusal = setup.error?.message ?? '';
  }

  /** Hands the open model to the trainer; what hinders that is told. */
  async #isHeld(card: ModelCard): Promise<boolean> {
    try {
      const given = await this.#connection.ask((models) => models.given());
      await this.#parts.trainer.holdModel(card.name, given);
    } catch (thrown) {
      this.#refuse(thrown);
      return false;
    }
    this.#hold(card);
    return true;
  }

  /** A model went with the worker that held it: it has to be opened again. */
  #refuse(thrown: unknown): void {
    const { text } = errorWords(thrown);
    this.#refusal = text;
    if (thrown instanceof TrainerLostError) this.#stage = { kind: 'refused', message: text };
  }

  /**
   * Opens a run with the settings of the first agent's, whose agents begin with what these have learned: the others too,
   * where they may begin with weights of their own. Throws ConfigError and StorageError.
   */
  async beginWithAgents({ config, preset }: RunRecord, seats: readonly StoredSeat[]): Promise<void> {
    const { setup, trainer } = this.#parts;
    const settings: Record<string, string> = {};
    for (const [agent, seat] of seats.entries()) {
      const path = agent === 0 ? 'agents.start' : 'agents.otherStart';
      if (!canMatter(fieldAt(path) as Field, config)) continue;
      const held = await trainer.holdAgent(seat, agent);
      this.#hold(held);
      settings[path] = agent > 1 ? `${settings[path]},${held.name}` : held.name;
    }
    setup.accept(config, preset);
    setup.take(settings);
  }

  #hold({ name, label }: HeldModel): void {
    this.#held = [...this.#held.filter((held) => held.name !== name), { name, label }];
  }
}

export const [getModels, setModels] = createContext<Models>();
