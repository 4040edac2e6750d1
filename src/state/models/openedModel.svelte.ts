// An external model. It is opened from its files or from a copy in this browser, inspected, chatted with, kept, and
// passed to a run that starts from it. This code is loaded on the first request for models.
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
import { presetConfig } from '../../config/presets.ts';
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

/** A message, with its tokens if the model wrote it. */
export interface ChatEntry extends ChatMessage {
  said?: SaidText;
}

/**
 * The settings of agents based on an external model. Such a model was never trained to end a turn or a dialogue as our
 * agents do, so these settings do not require it to end them.
 */
const standing = {
  'agents.parameters': 'lora',
  'agents.stopWhenTruncated': false,
  'agents.maskUnfinished': false,
};
/**
 * The learning rate for settings that were not made for adapters. Adapters need a different learning rate from full
 * networks.
 */
const adapterRate = { 'optimiser.learningRate': presetConfig('adapters').optimiser.learningRate };

/**
 * How an answer is sampled: the allowed tokens, the temperature, and the maximum length. A `topK` of 0 allows all
 * tokens.
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

/** The models that settings can use. */
interface Held {
  hold: (...models: HeldModel[]) => void;
  letGo: (name: string) => void;
}

export interface OpenedParts {
  setup: Setup;
  trainer: TrainerClient;
  models: Held;
}

// These are getters instead of derived values, because a derived value ends with the dialog that created it.
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
  /** The copy in progress; null or a new object after the copy was cancelled. */
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
  /** The part of the current answer that has been generated so far. */
  get heard() {
    return this.#heard;
  }
  /** The chat as the model read it in the last request; null if the chat has changed since. */
  get prompt() {
    return this.#prompt;
  }
  /** The reason why the last typed message was not answered; empty if it was. */
  get refusal() {
    return this.#refusal;
  }
  /** The models that this browser keeps, newest first. */
  get kept() {
    return this.#kept;
  }
  /** The storage that these models use in total; null if the browser does not report it. */
  get room() {
    return this.#room;
  }
  /** Whether the browser can keep models at all. */
  get keeps() {
    return this.#keeps;
  }
  /** Number of bytes read so far of the model that is being opened. */
  get read() {
    return this.#read;
  }
  /** Number of bytes stored so far of the model that is being kept; null if none is being kept. */
  get keeping() {
    return this.#keeping;
  }
  drawing = $state<SamplingSettings>(usualDrawing());
  /** The instruction before the chat, with the role `system`. One of our own agents has its private text instead. */
  instruction = $state('');

  constructor(parts: OpenedParts, connect: () => ModelConnection = connectModels) {
    this.#parts = parts;
    this.#connection = connect();
  }

  /** Reads a model's files. Never throws: errors are in `stage`. */
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
                message: say('The copy of {label} in this browser is damaged. Delete it, and open its file again.', {
                  label: kept.label,
                }),
              }
            : { kind: 'read', card },
        (thrown: unknown): Stage => ({ kind: 'refused', message: errorWords(thrown).text }),
      );
    // Only the newest of several choices counts.
    if (this.#stage === asked) this.#stage = stage;
  }

  /**
   * Finds the models that this browser keeps. Incomplete models that were left by another tab or a closed page are
   * removed.
   */
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
      message: say('{label} is no longer stored in this browser. Open its file again.', { label }),
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
    // If the worker was terminated, its lock is released a moment later. The partial copy can be removed only after
    // that.
    else await (await hold(modelLock(name)))?.();
    await this.refresh();
    return isLeft;
  }

  /** Cancels the copy in progress; the worker removes the partial copy when it reaches the next part. */
  cancelKeeping(): void {
    this.#copy = null;
    this.#keeping = null;
  }

  /**
   * Deletes a kept model; a failure is reported. Runs that need the model cannot be opened until its file is opened
   * again.
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

  /** Cancels the reading in progress by terminating the worker, together with everything that the worker has read. */
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

  /** Closes the model; if a run uses the model, the model remains available to it. */
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

  /** Stops the answer in progress at the next token; the text so far is kept. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Requests the text that the model will read for the chat and the next message. */
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

  /** A chat in the form of a request to the model, which begins with the instruction. */
  #plain(messages: readonly ChatEntry[]): ChatMessage[] {
    const plain = messages.map((message): ChatMessage => ({ role: message.role, content: message.content }));
    const instruction = this.instruction.trim();
    return instruction === '' ? plain : [{ role: 'system', content: instruction }, ...plain];
  }

  /**
   * Sends a message, which the model answers with different random draws each time. Returns whether the model answered;
   * if not, the reason is reported.
   */
  async say(content: string): Promise<boolean> {
    const messages: readonly ChatEntry[] = [...this.#messages, { role: 'user', content }];
    this.#messages = messages;
    this.#prompt = null;
    this.#refusal = '';
    this.#isSpeaking = true;
    this.#isStopped = false;
    this.#heard = [];
    // The visitor may close the model or start a new chat before the answer is complete.
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
          // A message without an answer is not part of the chat.
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

  /** The typed number, clamped to its bounds; an empty field means the default. */
  #drawn(): SamplingSettings {
    const typed: Record<keyof SamplingSettings, number | null> = this.drawing;
    const within = drawings.map((name) => {
      const { least, most, usual } = drawingBounds[name];
      return [name, Math.min(most, Math.max(least, typed[name] ?? usual))];
    });
    return Object.fromEntries(within) as SamplingSettings;
  }

  /** Lets the agents start from the weights of the open model; a failure is shown next to the setting. */
  async beginWith(card: ModelCard): Promise<void> {
    if (await this.#isHeld(card)) await this.#parts.setup.edit('agents.start', card.name);
  }

  /** Opens a run in which all agents are based on the open model and each has an adapter; a failure is reported. */
  async trainOn(card: ModelCard): Promise<void> {
    if (!(await this.#isHeld(card))) return;
    const { setup } = this.#parts;
    const rate = setup.config.agents.parameters === 'lora' ? {} : adapterRate;
    setup.take({ ...standing, ...rate, 'agents.start': card.name });
    this.#refusal = setup.error?.message ?? '';
  }

  /**
   * Stores the open model in this browser and passes it to the trainer. Returns false if the copy was cancelled or an
   * error was reported.
   */
  async #isHeld(card: ModelCard): Promise<boolean> {
    // Without the stored model the run could not be resumed after a reload. If there is no room for the model, the run
    // still works until the page is reloaded.
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

  /** A model that was lost when its worker ended has to be opened again. */
  #refuse(thrown: unknown): void {
    const { text } = errorWords(thrown);
    this.#refusal = text;
    if (thrown instanceof TrainerLostError) this.#stage = { kind: 'refused', message: text };
  }
}
