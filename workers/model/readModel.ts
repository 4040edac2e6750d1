// The model that was read last, and what it says: an engine of its own, on the CPU with one thread, so that training keeps
// its speed.
import type { ModelApi, SaidText, SayWish } from '../../src/api/modelConnection.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { spoken } from '../../src/base/spoken.ts';
import { chooseEngine } from '../../src/engine/choice.ts';
import { chatTokens, plainTemplate, readyTemplates } from '../../src/text/chat.ts';
import { givenOf, weightsIn, type LlamaModel } from '../../src/formats/llama/llamaModel.ts';
import { cardOf } from '../../src/formats/llama/modelCard.ts';
import { readLlama } from '../../src/formats/llama/readLlama.ts';
import { goOn, spokenShape } from '../../src/model/decoding/continuation.ts';
import { decodingPolicy } from '../../src/model/decoding/decoder.ts';
import { disposeTree, uploadInTurn, type ParameterTree } from '../../src/model/network/parameters.ts';
import type { Policy } from '../../src/records/policy.ts';
import type { GivenModel, ModelCard } from '../../src/records/stored/modelCard.ts';
import { ControlTokens, specialIn } from '../../src/text/controlTokens.ts';
import { piecesOf } from '../../src/text/pieces.ts';
import { tokenizerOf } from '../../src/text/tokenizer.ts';
import { loadKernels } from '../assets.ts';

export class ReadModel implements ModelApi {
  #read: { model: LlamaModel; label: string } | null = null;
  #engine: Promise<unknown> | null = null;
  #uploaded: { tree: ParameterTree; policy: Policy } | null = null;
  /** One answer at a time. */
  #last: Promise<unknown> = Promise.resolve();

  async read(files: readonly File[]): Promise<ModelCard> {
    const given = files.map((file) => ({
      // Of a folder that was chosen, with the folder.
      name: file.webkitRelativePath || file.name,
      size: file.size,
      bytes: async () => new Uint8Array(await file.arrayBuffer()),
      range: async (from: number, to: number) => new Uint8Array(await file.slice(from, to).arrayBuffer()),
    }));
    const model = await readLlama(given);
    const [folder = ''] = (given[0]?.name ?? '').split('/');
    const label =
      (given.length === 1 || given[0]?.name.includes('/') ? folder.replace(/\.(?:zip|gguf)$/i, '') : '') || 'model';
    if (this.#uploaded) disposeTree(this.#uploaded.tree);
    this.#uploaded = null;
    this.#read = { model, label };
    return cardOf(model, label);
  }

  say(wish: SayWish): Promise<SaidText> {
    const said = this.#last.then(() => this.#say(wish));
    this.#last = said.catch(() => undefined);
    return said;
  }

  given(): Promise<GivenModel> {
    const { model, label } = this.#model();
    return Promise.resolve(givenOf(model, label));
  }

  #model() {
    if (!this.#read) throw new ConfigError(spoken`model: none is open; choose its files first.`);
    return this.#read;
  }

  async #say({ messages, tokens, temperature, seed }: SayWish): Promise<SaidText> {
    const { chatTemplate: template, special, endIds, tokenizer: json, shape, matrices } = this.#model().model;
    await readyTemplates();
    const tokenizer = tokenizerOf(json);
    const controls = new ControlTokens(tokenizer, specialIn(json));
    const context = chatTokens({ template: template ?? plainTemplate, special, controls }, messages);
    await (this.#engine ??= startCpu());
    const tree = this.#uploaded?.tree ?? uploadInTurn(weightsIn({ matrices }), shape);
    const { policy } = (this.#uploaded ??= { tree, policy: decodingPolicy(tree, spokenShape(shape)) });
    if (context.length === 0 || context.length >= policy.maxPositions)
      throw new ConfigError(spoken`messages: expected 1 to ${policy.maxPositions - 1} tokens, got ${context.length}; begin another chat.`); // prettier-ignore
    const [said] = await goOn(policy, { context, tokens, temperature, seed, count: 1, endIds });
    const { ids = [], logprobs = [], isEnded = true } = said ?? {};
    const told = isEnded ? ids.slice(0, -1) : ids;
    const texts = piecesOf(tokenizer, told);
    return { tokens: texts.map((text, i) => ({ text, logprob: logprobs[i] ?? 0 })), isEnded };
  }
}

const startCpu = () =>
  chooseEngine('cpu', {
    ...{ loadKernels, probe: () => Promise.resolve(0), recall: () => Promise.resolve(null) },
    ...{ remember: () => Promise.resolve(), onFault: () => undefined, threads: 1 },
  });
