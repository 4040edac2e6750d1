// The agents of a stored run, or a model that somebody else made, as models that go on with a text. One request speaks at a time, the others wait in line.
import { ConfigError } from '../../src/base/errors.ts';
import { plainTemplate } from '../../src/formats/llama/chat.ts';
import type { LlamaModel } from '../../src/formats/llama/llamaModel.ts';
import { goOn, spokenShape } from '../../src/model/decoding/continuation.ts';
import { decodingPolicy } from '../../src/model/decoding/decoder.ts';
import { disposeTree, uploadTree } from '../../src/model/network/parameters.ts';
import type { Checkpoint, RunRecord } from '../../src/records/stored/checkpoint.ts';
import type { Policy } from '../../src/records/policy.ts';
import { chatTemplate, endOfTurn, finish, heardRoles } from '../../src/text/chatTemplate.ts';
import { piecesOf } from '../../src/text/pieces.ts';
import { tokenizerOf, type Tokenizer } from '../../src/text/tokenizer.ts';
import { seatTogether } from '../../src/training/run/crossPlay.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import { BusyError, inTime } from './http.ts';

export interface Model {
  id: string;
  /** Jinja, as an exported model has it. */
  template: string;
  /** What the template reads beside the messages. */
  special: Readonly<Record<string, string>>;
  tokenizer: Tokenizer;
  policy: Policy;
  /** Tokens that end what it says, and those of them that are not told. */
  endIds: readonly number[];
  silentIds: readonly number[];
}

export interface Said {
  /** What each token adds to the text. */
  tokens: string[];
  /** Of each token, under the temperature it was sampled with. */
  logprobs: number[];
  /** Whether it ended its turn by itself. */
  isEnded: boolean;
}

export interface Wish {
  prompt: string;
  /** Whether the prompt is a text as it is, not one that a template has written with its special tokens. */
  isPlain: boolean;
  /** Tokens at most; fewer where the context is full. */
  tokens: number;
  temperature: number;
  seed: number;
  /** How many texts. */
  count: number;
}

/** Requests that may wait. */
const mostWaiting = 64;
/** The tokens of a prompt. Throws FormatError for signs unknown, and Refusal where it takes too long. */
export const contextOf = ({ tokenizer }: Model, { prompt, isPlain }: Pick<Wish, 'prompt' | 'isPlain'>): number[] =>
  inTime(() => (isPlain ? tokenizer.encodeWhole(prompt) : tokenizer.encode(prompt)));

export class Models {
  readonly list: readonly Model[];
  readonly #dispose: () => void;
  #line: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  private constructor(list: readonly Model[], dispose: () => void) {
    this.list = list;
    this.#dispose = dispose;
  }

  /** Uploads the agents of a checkpoint; its world and engine are ready. */
  static open(run: RunRecord, checkpoint: Checkpoint): Models {
    const { roles } = assembleTeam(checkpoint.config).protocol;
    const { team, policies, dispose } = seatTogether(roles.map(() => ({ checkpoint, name: run.name })));
    const { protocol, tokenizers, tokenizer } = team;
    const list = roles.map((role, agent): Model => {
      const others = roles.filter((other) => other === role).length > 1;
      const own = tokenizers[agent] ?? tokenizer;
      return {
        id: `${run.name}/${role}${others ? `-${agent + 1}` : ''}`,
        template: chatTemplate(role, heardRoles(protocol, agent)),
        ...{ special: {}, tokenizer: own, policy: policies[agent] as Policy },
        endIds: [endOfTurn, finish].map((token) => own.id(token)),
        silentIds: [own.id(endOfTurn)],
      };
    });
    return new Models(list, dispose);
  }

  /** Uploads a model that somebody else made; the engine is ready. */
  static ofLlama(
    { shape, weights, tokenizer, chatTemplate: template, special, endIds }: LlamaModel,
    id: string,
  ): Models {
    const tree = uploadTree(weights, shape);
    const policy = decodingPolicy(tree, spokenShape(shape));
    const written = { template: template ?? plainTemplate, special, tokenizer: tokenizerOf(tokenizer) };
    return new Models([{ id, ...written, policy, endIds, silentIds: endIds }], () => disposeTree(tree));
  }

  /** Goes on with a text. Throws BusyError, ConfigError for a text that leaves no room, FormatError for signs unknown. */
  async speak(model: Model, wish: Wish): Promise<Said[]> {
    const { tokenizer, policy, endIds, silentIds } = model;
    const context = contextOf(model, wish);
    if (context.length === 0) throw new ConfigError('prompt: expected a text, got nothing.');
    if (context.length >= policy.maxPositions)
      throw new ConfigError(`prompt: expected fewer than ${policy.maxPositions} tokens, got ${context.length}.`);
    const turn = async (): Promise<Said[]> =>
      (await goOn(policy, { ...wish, context, endIds })).map(({ ids, logprobs, isEnded }) => {
        const told = silentIds.includes(ids.at(-1) ?? -1) ? ids.slice(0, -1) : ids;
        return { tokens: piecesOf(tokenizer, told), logprobs: logprobs.slice(0, told.length), isEnded };
      });
    return this.inLine(turn);
  }

  /** Does something with the engine when those before have ended. Throws BusyError where too many wait. */
  inLine<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= mostWaiting)
      return Promise.reject(new BusyError('too many requests wait; try again in a moment.'));
    this.#waiting++;
    const done = this.#line.then(work).finally(() => this.#waiting--);
    this.#line = done.catch(() => undefined);
    return done;
  }

  dispose(): void {
    this.#dispose();
  }
}
