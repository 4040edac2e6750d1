// Reads models, and generates answers with the model that was read last. This worker uses a separate engine on the CPU,
// which has only one thread while a run is trained, so that training is not slowed down.
import type { HearTokens, ModelApi, ReadPrompt, SaidText, SaidToken, SayWish } from '../../src/api/modelConnection.ts';
import { hold, modelLock } from '../../src/api/writerLock.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { spoken } from '../../src/base/spoken.ts';
import { chooseEngine } from '../../src/engine/choice.ts';
import { restThreads } from '../../src/engine/simd.ts';
import { chatText, chatTokens, plainTemplate, readyTemplates, type ChatForm } from '../../src/text/chat.ts';
import type { LlamaModel } from '../../src/formats/llama/llamaModel.ts';
import { toldFiles } from '../../src/formats/givenFile.ts';
import { cardOf } from '../../src/formats/llama/modelCard.ts';
import { readLlama } from '../../src/formats/llama/readLlama.ts';
import { goOn, spokenShape } from '../../src/model/decoding/continuation.ts';
import { decodingPolicy } from '../../src/model/decoding/decoder.ts';
import { disposeTree, uploadFrozen, type WeightTree } from '../../src/model/network/parameters.ts';
import type { DrawnToken, Policy } from '../../src/records/policy.ts';
import type { KeptModel, TellKept } from '../../src/records/stored/keptModel.ts';
import { keepModel } from '../../src/storage/keepModel.ts';
import { keptFiles } from '../../src/storage/keptModels.ts';
import type { ChatMessage, ModelCard } from '../../src/records/stored/modelCard.ts';
import { ControlTokens, specialIn } from '../../src/text/controlTokens.ts';
import { PieceReader } from '../../src/text/pieces.ts';
import { tokenizerOf, type Tokenizer } from '../../src/text/tokenizer.ts';
import { loadKernels } from '../assets.ts';
import { filesOfModel, givenFiles, labelOf } from './givenFiles.ts';

/** The tokenizer and the chat format of a model, which convert a chat to tokens. */
interface Reading {
  tokenizer: Tokenizer;
  form: ChatForm;
}

export class ReadModel implements ModelApi {
  #read: LlamaModel | null = null;
  #brought: { card: ModelCard; files: readonly File[] } | null = null;
  #reading: Reading | null = null;
  #engine: Promise<unknown> | null = null;
  #uploaded: { tree: WeightTree; policy: Policy } | null = null;
  /** The last request. The next request waits for this request, because only one answer is generated at a time. */
  #last: Promise<unknown> = Promise.resolve();

  async read(files: readonly File[], tell: (bytes: number) => void, label?: string): Promise<ModelCard> {
    const given = givenFiles(files);
    const model = await readLlama(toldFiles(given, tell));
    if (this.#uploaded) disposeTree(this.#uploaded.tree);
    this.#uploaded = this.#reading = null;
    const card = cardOf(model, label ?? labelOf(given));
    this.#read = model;
    this.#brought = { card, files };
    return card;
  }

  async keep(tell: TellKept): Promise<KeptModel | null> {
    this.#model();
    const { card, files } = this.#brought as { card: ModelCard; files: readonly File[] };
    const { name, label, family, licence, parameters } = card;
    const release = await hold(modelLock(name));
    try {
      const kept = await keptFiles(name);
      if (kept) return kept.card;
      // The visitor may have cancelled the copy while the copy waited for another tab.
      if (!(await tell(0))) return null;
      const facts = { name, label, family, parameters, ...(licence !== undefined && { licence }) };
      return await keepModel(facts, filesOfModel(files), tell);
    } finally {
      await release?.();
    }
  }

  say(wish: SayWish, hear: HearTokens): Promise<SaidText> {
    const said = this.#last.then(() => this.#say(wish, hear));
    this.#last = said.catch(() => undefined);
    return said;
  }

  async prompt(messages: readonly ChatMessage[]): Promise<ReadPrompt> {
    const { form } = await this.#form();
    return { text: chatText(form, messages), tokens: chatTokens(form, messages).length };
  }

  #model(): LlamaModel {
    if (!this.#read) throw new ConfigError(spoken`model: no model is open; choose the files of a model first.`);
    return this.#read;
  }

  async #form(): Promise<Reading> {
    const { chatTemplate: template, special, tokenizer: json } = this.#model();
    if (this.#reading) return this.#reading;
    await readyTemplates();
    const tokenizer = tokenizerOf(json);
    const controls = new ControlTokens(tokenizer, specialIn(json));
    return (this.#reading = { tokenizer, form: { template: template ?? plainTemplate, special, controls } });
  }

  async #policy(): Promise<Policy> {
    const { shape, matrices } = this.#model();
    await (this.#engine ??= startCpu());
    const tree = this.#uploaded?.tree ?? uploadFrozen(matrices, shape);
    return (this.#uploaded ??= { tree, policy: decodingPolicy(tree, spokenShape(shape)) }).policy;
  }

  async #say({ messages, isAlone, ...wish }: SayWish, hear: HearTokens): Promise<SaidText> {
    const startMs = performance.now();
    const { endIds } = this.#model();
    const { tokenizer, form } = await this.#form();
    const context = chatTokens(form, messages);
    const policy = await this.#policy();
    restThreads(!isAlone);
    if (context.length === 0 || context.length >= policy.maxPositions)
      throw new ConfigError(
        spoken`messages: expected 1 to ${policy.maxPositions - 1} tokens, got ${context.length}; begin another chat.`,
      );
    const reader = new PieceReader(tokenizer);
    const tokens: SaidToken[] = [];
    const logprobs: number[] = [];
    let [firstMs, isEnded] = [0, false];
    /** There is exactly one piece for each token, and the pieces arrive in the order of the tokens. */
    const told = (pieces: readonly { text: string }[]): SaidToken[] => {
      const news = pieces.map(({ text }, i) => ({ text, logprob: logprobs[tokens.length + i] ?? 0 }));
      tokens.push(...news);
      return news;
    };
    const hearOne = async ([drawn]: readonly (DrawnToken | null)[]): Promise<boolean[]> => {
      firstMs ||= performance.now() - startMs;
      if (!drawn) return [false];
      isEnded = endIds.includes(drawn.id);
      if (isEnded) return [false];
      logprobs.push(drawn.logprob);
      const news = told(reader.add(drawn.id));
      return [await hear(news)];
    };
    await goOn(policy, { ...wish, context, count: 1, endIds, hear: hearOne });
    told(reader.end());
    return { tokens, isEnded, read: context.length, firstMs, restMs: performance.now() - startMs - firstMs };
  }
}

const startCpu = () =>
  chooseEngine('cpu', {
    ...{ loadKernels, probe: () => Promise.resolve(0), recall: () => Promise.resolve(null) },
    ...{ remember: () => Promise.resolve(), onFault: () => undefined },
  });
