// The state of an imported model. The visitor can open the model from its files or from a copy in this browser, inspect
// it, chat with it, store it, and start a run with it. This code is loaded on the first request for models.
import {
  connectModels,
  hearing,
  telling,
  tellingKept,
  type ModelConnection,
  type ReadPrompt,
  type SaidText,
  type SaidToken,
  type SayWish,
} from '../../api/modelConnection.ts';
import { TrainerLostError } from '../../base/errors.ts';
import { presetConfig, type PresetName } from '../../config/presets.ts';
import { hold, modelLock } from '../../api/writerLock.ts';
import type { KeptModel } from '../../records/stored/keptModel.ts';
import type { ChatMessage, HeldModel, ModelCard } from '../../records/stored/modelCard.ts';
import { deleteModel, keepsModels, keptFiles, keptModels, unfinishedModels } from '../../storage/keptModels.ts';
import { storageEstimate, type StorageSpace } from '../../storage/room.ts';
import { errorWords } from '../visitor/notices.svelte.ts';
import type { Setup } from '../settings/setup.svelte.ts';
import type { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { say } from '../visitor/language.svelte.ts';

type Stage =
  { kind: 'none' } | { kind: 'reading' } | { kind: 'read'; card: ModelCard } | { kind: 'refused'; message: string };

/** A message. If the model generated the message, its tokens are included. */
export interface ChatEntry extends ChatMessage {
  said?: SaidText;
}

/**
 * The settings of agents based on an external model. An external model has not learned to end a turn or a dialogue with
 * special tokens, so these settings do not require such tokens.
 */
const standing = {
  'agents.parameters': 'lora',
  'agents.stopWhenTruncated': false,
  'agents.maskUnfinished': false,
};
/**
 * The learning rate for adapters. It is used if the other settings were chosen for training whole networks, which need
 * a different learning rate.
 */
const adapterRate = { 'optimiser.learningRate': presetConfig('adapters').optimiser.learningRate };

/**
 * How an answer is sampled: limits on the tokens, the temperature, and the maximum length. If `topK` is 0, all tokens
 * are allowed.
 */
export interface SamplingSettings {
  temperature: number;
  topK: number;
  topP: number;
  minP: number;
  tokens: number;
}

export const drawingBounds = {
  temperature: { least: 0, most: 2, step: 0.1, usual: 0.7 },
  topK: { least: 0, most: 1000, step: 1, usual: 0 },
  topP: { least: 0, most: 1, step: 0.05, usual: 1 },
  minP: { least: 0, most: 1, step: 0.05, usual: 0 },
  tokens: { least: 1, most: 512, step: 1, usual: 128 },
} as const satisfies Record<keyof SamplingSettings, { least: number; most: number; step: number; usual: number }>;

const drawings = Object.keys(drawingBounds) as (keyof SamplingSettings)[];
const usualDrawing = () =>
  Object.fromEntries(drawings.map((name) => [name, drawingBounds[name].usual])) as unknown as SamplingSettings;

/** The models to which settings can refer. */
interface Held {
  hold: (...models: HeldModel[]) => void;
  letGo: (name: string) => void;
}

export interface OpenedParts {
  setup: Setup;
  trainer: TrainerClient;
  models: Held;
}

// These properties are getters and not derived values, because a derived value no longer works after the dialog in
// which it was created is closed.
export class OpenedModel {
  readonly #parts: OpenedParts;
  readonly #connection: ModelConnection;
  #stage = $state.raw<Stage>({ kind: 'none' });
  #messages = $state.raw<readonly ChatEntry[]>([]);
  #isSpeaking = $state(false);
  #isStopped = false;
  #heard = $state.raw<readonly SaidToken[]>([]);
  #prompt = $state.raw<ReadPrompt | null>(null);
  #files: readonly File[] = [];
  #refusal = $state('');
  #kept = $state.raw<readonly KeptModel[]>([]);
  #room = $state.raw<StorageSpace | null>(null);
  #keeps = $state(false);
  #keeping = $state<number | null>(null);
  /** The copy that is being stored. After this copy was cancelled, the field is null or another object. */
  #copy: object | null = null;
  #read = $state(0);
  get stage() {
    return this.#stage;
  }
  get messages() {
    return this.#messages;
  }
  get isSpeaking() {
    return this.#isSpeaking;
  }
  /** The text of the current answer that has been sampled so far. */
  get heard() {
    return this.#heard;
  }
  /** The text of the chat that the model read in the last request; null if the chat has changed since then. */
  get prompt() {
    return this.#prompt;
  }
  /** Says why the last message was not answered; empty if there was no error. */
  get refusal() {
    return this.#refusal;
  }
  /** The models that are stored in this browser, newest first. */
  get kept() {
    return this.#kept;
  }
  /** The number of bytes that these models use together; null if the browser does not report it. */
  get room() {
    return this.#room;
  }
  /** Whether models can be stored in this browser at all. */
  get keeps() {
    return this.#keeps;
  }
  /** The number of bytes of the model that have been read so far. */
  get read() {
    return this.#read;
  }
  /** The number of bytes of the model that have been stored so far; null if no model is being stored. */
  get keeping() {
    return this.#keeping;
  }
  drawing = $state<SamplingSettings>(usualDrawing());
  /**
   * The instruction before the chat, with the role `system`. If the model is one of our own agents, this is the agent's
   * hidden text.
   */
  instruction = $state('');

  constructor(parts: OpenedParts, connect: () => ModelConnection = connectModels) {
    this.#parts = parts;
    this.#connection = connect();
  }

  /** Reads a model's files. Never throws; errors are in `stage`. */
  async open(files: readonly File[], kept?: KeptModel): Promise<void> {
    this.close();
    this.#stage = { kind: 'reading' };
    this.#files = files;
    this.#read = 0;
    const asked = this.#stage;
    const tell = telling((bytes) => {
      if (this.#stage === asked) this.#read = bytes;
    });
    const stage = await this.#connection
      .ask((models) => models.read(files, tell, kept?.label))
      .then(
        (card): Stage =>
          kept && card.name !== kept.name
            ? {
                kind: 'refused',
                message: say(
                  'The copy of {label} in this browser is damaged. Delete this copy, and open the model’s file again.',
                  {
                    label: kept.label,
                  },
                ),
              }
            : { kind: 'read', card },
        (thrown: unknown): Stage => ({ kind: 'refused', message: errorWords(thrown).text }),
      );
    // If the visitor has chosen other files meanwhile, this result is ignored.
    if (this.#stage === asked) this.#stage = stage;
  }

  /** Finds the models that are stored in this browser. Incomplete copies from a closed page are removed. */
  async refresh(): Promise<void> {
    this.#keeps = await keepsModels();
    for (const name of await unfinishedModels()) {
      const release = await hold(modelLock(name), { ifAvailable: true });
      if (!release) continue;
      await deleteModel(name).catch(() => undefined);
      await release();
    }
    [this.#kept, this.#room] = await Promise.all([keptModels(), storageEstimate()]);
    this.#parts.models.hold(...this.#kept);
  }

  /** Opens a kept model. */
  async openKept({ name, label }: KeptModel): Promise<void> {
    const found = await keptFiles(name);
    if (found) return this.open(found.files, found.card);
    this.close();
    this.#stage = {
      kind: 'refused',
      message: say('{label} is no longer stored in this browser. Open the file of this model again.', { label }),
    };
    await this.refresh();
  }

  /** Stores the open model in this browser. Returns whether the copy is complete; a failure is reported. */
  async keep(): Promise<boolean> {
    this.#refusal = '';
    const copy = (this.#copy = {});
    const name = this.#stage.kind === 'read' ? this.#stage.card.name : '';
    this.#keeping = 0;
    const goesOn = () => this.#copy === copy;
    const tell = tellingKept((bytes) => {
      if (goesOn()) this.#keeping = bytes;
      return goesOn();
    });
    await this.#connection
      .ask((models) => models.keep(tell))
      .catch((thrown: unknown) => {
        if (goesOn()) this.#refuse(thrown);
      });
    const isLeft = goesOn();
    if (isLeft) this.cancelKeeping();
    // If the worker was terminated, its lock is released a moment later. The incomplete copy can be removed only after
    // this.
    else await (await hold(modelLock(name)))?.();
    await this.refresh();
    return isLeft;
  }

  /**
   * Cancels the copy that is being made. The worker removes the incomplete copy before it would store the next part.
   */
  cancelKeeping(): void {
    this.#copy = null;
    this.#keeping = null;
  }

  /**
   * Deletes a stored model; a failure is reported. Runs that need the model can be opened again only after its file was
   * opened.
   */
  async delete({ name }: KeptModel): Promise<void> {
    this.#refusal = '';
    const release = await hold(modelLock(name));
    try {
      await deleteModel(name);
      this.#parts.models.letGo(name);
    } catch (thrown) {
      this.#refuse(thrown);
    } finally {
      await release?.();
    }
    await this.refresh();
  }

  /** Stops reading a model by terminating the worker. The part that was already read is lost. */
  cancel(): void {
    if (this.#stage.kind === 'reading') this.close();
  }

  /** The size of the open model's files in bytes. */
  get bytes(): number {
    return this.#files.reduce((sum, { size }) => sum + size, 0);
  }

  isKept(name: string): boolean {
    return this.#kept.some((kept) => kept.name === name);
  }

  /** Closes the model. A run that already uses the model is not affected. */
  close(): void {
    this.cancelKeeping();
    if (this.#stage.kind !== 'none') this.#connection.end();
    this.#stage = { kind: 'none' };
    this.instruction = '';
    this.forget();
  }

  /** Starts a new chat. */
  forget(): void {
    this.stop();
    this.#messages = [];
    this.#refusal = '';
    this.#prompt = null;
  }

  /** Stops the current answer at the next token. The text so far is kept. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Requests the whole text that the model would read if the typed message were sent. */
  async look(content: string): Promise<void> {
    const messages = [...this.#messages, ...(content.trim() === '' ? [] : [{ role: 'user', content } as const])];
    const wish = this.#plain(messages);
    this.#refusal = '';
    await this.#connection
      .ask((models) => models.prompt(wish))
      .then(
        (prompt) => (this.#prompt = prompt),
        (thrown: unknown) => this.#refuse(thrown),
      );
  }

  /** The messages that are sent to the model: the instruction, then the chat. */
  #plain(messages: readonly ChatEntry[]): ChatMessage[] {
    const plain = messages.map((message): ChatMessage => ({ role: message.role, content: message.content }));
    const instruction = this.instruction.trim();
    return instruction === '' ? plain : [{ role: 'system', content: instruction }, ...plain];
  }

  /**
   * Sends a message to the model. Each answer is sampled with different random numbers. Returns whether there is an
   * answer; if not, the reason is reported.
   */
  async say(content: string): Promise<boolean> {
    const messages: readonly ChatEntry[] = [...this.#messages, { role: 'user', content }];
    this.#messages = messages;
    this.#prompt = null;
    this.#refusal = '';
    this.#isSpeaking = true;
    this.#isStopped = false;
    this.#heard = [];
    // The visitor may have closed the model or started a new chat before the answer was complete.
    const isCurrent = () => this.#messages === messages;
    const wish = this.#wish(messages);
    const hear = hearing((tokens) => {
      if (isCurrent()) this.#heard = [...this.#heard, ...tokens];
      return !this.#isStopped && isCurrent();
    });
    await this.#connection
      .ask((models) => models.say(wish, hear))
      .then(
        (said) => {
          const answer = said.tokens.map(({ text }) => text).join('');
          if (isCurrent()) this.#messages = [...messages, { role: 'assistant', content: answer, said }];
        },
        (thrown: unknown) => {
          if (!isCurrent()) return;
          // A message that was not answered is removed from the chat.
          this.#messages = messages.slice(0, -1);
          this.#refuse(thrown);
        },
      );
    this.#isSpeaking = false;
    this.#heard = [];
    return this.#refusal === '';
  }

  #wish(messages: readonly ChatEntry[]): SayWish {
    const { temperature, tokens, topK, topP, minP } = this.#drawn();
    return {
      messages: this.#plain(messages),
      ...{ tokens, temperature, seed: messages.length },
      limits: { ...(topK > 0 && { topK }), ...(topP < 1 && { topP }), ...(minP > 0 && { minP }) },
      isAlone: this.#parts.trainer.own.state !== 'training',
    };
  }

  /** The number that the visitor typed, limited to the allowed range; the default if the field is empty. */
  #drawn(): SamplingSettings {
    const typed: Record<keyof SamplingSettings, number | null> = this.drawing;
    const within = drawings.map((name) => {
      const { least, most, usual } = drawingBounds[name];
      return [name, Math.min(most, Math.max(least, typed[name] ?? usual))];
    });
    return Object.fromEntries(within) as SamplingSettings;
  }

  /**
   * Changes the settings so that agents start from the weights of the open model. A failure is shown next to the
   * setting.
   */
  async beginWith(card: ModelCard): Promise<void> {
    if (await this.#isHeld(card)) await this.#parts.setup.edit('agents.start', card.name);
  }

  /**
   * Opens a run in which each agent consists of the open model and an adapter: with the settings of a preset, or with the
   * current settings. If the preset is already chosen, its settings that the visitor, a link or a lesson changed are
   * kept. A failure is reported.
   */
  async trainOn(card: ModelCard, preset?: PresetName): Promise<void> {
    if (!(await this.#isHeld(card))) return;
    const { setup } = this.#parts;
    if (preset && preset !== setup.preset) return setup.usePreset(preset, { 'agents.start': card.name });
    const rate = setup.config.agents.parameters === 'lora' ? {} : adapterRate;
    setup.take({ ...(!preset && { ...standing, ...rate }), 'agents.start': card.name });
    this.#refusal = setup.error?.message ?? '';
  }

  /**
   * Stores the open model in this browser and passes it to the trainer. Returns false if the copy was cancelled, or if
   * there was an error, which is reported.
   */
  async #isHeld(card: ModelCard): Promise<boolean> {
    // Without the stored model the run could not be resumed after a reload. If there is not enough storage for the
    // model, the run is possible until the page is reloaded.
    if (this.#keeps && !this.isKept(card.name) && !(await this.keep())) return false;
    try {
      await this.#parts.trainer.worker.holdModel({ name: card.name, label: card.label }, this.#files);
    } catch (thrown) {
      this.#refuse(thrown);
      return false;
    }
    this.#parts.models.hold(card);
    return true;
  }

  /** If the worker was terminated, the model is no longer in memory and must be opened again. */
  #refuse(thrown: unknown): void {
    const { text } = errorWords(thrown);
    this.#refusal = text;
    if (thrown instanceof TrainerLostError) this.#stage = { kind: 'refused', message: text };
  }
}
