// Models that complete a text: the agents of a stored run, or an external model. Text is generated for one request at a
// time, while the others wait in the queue.
import { setImmediate } from 'node:timers/promises';
import { ConfigError } from '../../src/base/errors.ts';
import { plainTemplate, type ChatForm } from '../../src/text/chat.ts';
import type { LlamaModel } from '../../src/formats/llama/llamaModel.ts';
import { goOn, spokenShape } from '../../src/model/decoding/continuation.ts';
import { decodingPolicy } from '../../src/model/decoding/decoder.ts';
import { disposeTree, uploadFrozen } from '../../src/model/network/parameters.ts';
import type { Checkpoint, RunRecord } from '../../src/records/stored/checkpoint.ts';
import type { DrawnToken, Policy, TokenLimits } from '../../src/records/policy.ts';
import { chatTemplate, endOfTurn, feedbackTexts, finish, heardRoles } from '../../src/text/chatTemplate.ts';
import { ControlTokens, specialIn } from '../../src/text/controlTokens.ts';
import { specialTokens } from '../../src/text/lexicon.ts';
import { tokenizerOf, type Tokenizer } from '../../src/text/tokenizer.ts';
import { tokenScores, type ScoreRequest, type TokenScores } from '../../src/training/rows/tokenScores.ts';
import { seatTogether, type SeatedNetwork } from '../../src/training/run/seats.ts';
import { chatFormOf, ownTokenizer } from '../../src/training/team/foreignTokens.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import { roleWords } from '../../src/tasks/inWords/prompts.ts';
import { LeftError } from './http.ts';
import { Line } from './line.ts';
import type { ServedTeam } from './team.ts';
import { Telling } from './telling.ts';

export interface Model {
  id: string;
  /** The format of the model's chats, with a Jinja template as in an exported model. */
  chat: ChatForm;
  tokenizer: Tokenizer;
  policy: Policy;
  /** The weights, which compute the probabilities of given tokens. */
  network: SeatedNetwork;
  /** `endIds` are the tokens that end the output. The tokens in `silentIds` are not shown. */
  endIds: readonly number[];
  silentIds: readonly number[];
}

export interface GenerationRequest {
  /** The tokens that the model continues. */
  context: readonly number[];
  /** Maximum number of tokens to generate; fewer are generated if the context is full. */
  tokens: number;
  temperature: number;
  limits: TokenLimits;
  seed: number;
  /** Number of texts to generate. */
  count: number;
  /** Strings at which a text ends. */
  stops: readonly string[];
}

/** The receiver of the output during generation. */
export interface Hearer {
  /** Aborted when the client no longer waits for the output. */
  left: AbortSignal;
  /** Called before the first token and after each token, with the texts generated so far. */
  hear: (texts: readonly Telling[]) => void;
}

/** The possible endings of messages that an agent receives from other agents; see `chatTemplate`. */
const closing = new RegExp(`(?:${endOfTurn}|${finish})(?:${feedbackTexts[1]}|${feedbackTexts[2]})*$`);

export class ServedModels {
  readonly list: readonly Model[];
  /** All agents of the run as one model; null if an external model is served. */
  readonly team: ServedTeam | null;
  readonly #dispose: () => void;
  /** The queue for the engine. */
  readonly line = new Line();

  private constructor(list: readonly Model[], team: ServedTeam | null, dispose: () => void) {
    this.list = list;
    this.team = team;
    this.#dispose = dispose;
  }

  /** The names of all models, the team first. */
  get ids(): string[] {
    return [...(this.team ? [this.team.id] : []), ...this.list.map(({ id }) => id)];
  }

  /**
   * Uploads the weights of a checkpoint's agents to the engine. The engine is running and the run's world is loaded. If
   * the agents are adapters of a language model and talk in plain words, they are named after this model, as
   * `MODEL:planner`, and the model without adapters is served as `MODEL`.
   */
  static open(run: RunRecord, checkpoint: Checkpoint): ServedModels {
    const { roles } = assembleTeam(checkpoint.config).protocol;
    const { team, policies, networks, base, judge, dispose } = seatTogether(
      roles.map(() => ({ checkpoint, name: run.name })),
    );
    const { protocol, tokenizers, tokenizer } = team;
    const foreign = team.tokens.inWords ? team.foreign : undefined;
    const inWords = foreign && { chat: chatFormOf(foreign), tokenizer: ownTokenizer(foreign) };
    const list = roles.map((role, agent): Model => {
      const others = roles.filter((other) => other === role).length > 1;
      const own = tokenizers[agent] ?? tokenizer;
      const called = foreign ? `${foreign.label}:${roleWords[role]}` : `${run.name}/${role}`;
      const id = `${called}${others ? `-${agent + 1}` : ''}`;
      const [policy, network] = [policies[agent] as Policy, networks[agent] as SeatedNetwork];
      const endIds = [endOfTurn, finish].map((token) => own.id(token));
      // An agent trained on a language model uses that model's chat format.
      if (inWords) return { ...{ id, policy, network, endIds, silentIds: endIds }, ...inWords };
      return {
        id,
        chat: {
          ...{ template: chatTemplate(role, heardRoles(protocol, agent)), special: {}, closing },
          controls: new ControlTokens(own, team.foreign ? specialIn(own.json) : specialTokens),
        },
        ...{ tokenizer: own, policy, network, endIds },
        silentIds: [own.id(endOfTurn)],
      };
    });
    const { endIds = [], silentIds = [] } = list[0] ?? {};
    if (foreign && inWords && base) list.push({ id: foreign.label, ...base, endIds, silentIds, ...inWords });
    return new ServedModels(list, { id: run.name, team, policies, ...(judge && { judge }) }, dispose);
  }

  /** Uploads the weights of an external model to the engine, which is already running. */
  static ofLlama(
    { shape, matrices, tokenizer, chatTemplate: template, special, endIds }: LlamaModel,
    id: string,
  ): ServedModels {
    const tree = uploadFrozen(matrices, shape);
    const network = { tree, shape: spokenShape(shape) };
    const policy = decodingPolicy(tree, network.shape);
    const read = tokenizerOf(tokenizer);
    const controls = new ControlTokens(read, specialIn(tokenizer));
    const chat = { template: template ?? plainTemplate, special, controls };
    const list = [{ id, chat, tokenizer: read, policy, network, endIds, silentIds: endIds }];
    return new ServedModels(list, null, () => disposeTree(tree));
  }

  /**
   * Completes a text. If no tokens are wanted, the text may fill the whole context. Throws BusyError, LeftError, and
   * ConfigError if the text is too long.
   */
  async speak(model: Model, { stops, ...wish }: GenerationRequest, { left, hear }: Hearer): Promise<Telling[]> {
    const { tokenizer, policy, endIds } = model;
    const { length } = wish.context;
    if (length === 0) throw new ConfigError('prompt: the prompt is empty; send at least one token.');
    const longest = policy.maxPositions - Math.min(1, wish.tokens);
    if (length > longest) throw new ConfigError(`prompt: expected at most ${longest} tokens, got ${length}.`);
    const texts = Array.from({ length: wish.count }, () => new Telling(tokenizer, { ...model, stops }));
    const said = async () => {
      hear(texts);
      const continued = {
        ...{ ...wish, endIds },
        hear: async (drawn: readonly (DrawnToken | null)[]) => {
          // Lets Node handle other requests between two tokens, and notice whether the client has disconnected.
          await setImmediate();
          if (left.aborted) throw new LeftError();
          const goesOn = drawn.map((token, i) => token !== null && (texts[i] as Telling).add(token));
          hear(texts);
          return goesOn;
        },
      };
      if (wish.tokens > 0) await goOn(policy, continued);
      for (const text of texts) text.end();
      hear(texts);
      return texts;
    };
    return this.line.join(said, left);
  }

  /**
   * The probabilities of the tokens of a text, in the queue of the engine. Throws the same errors as `speak`, and
   * BusyError and LeftError.
   */
  score(model: Model, asked: ScoreRequest, left: AbortSignal): Promise<TokenScores> {
    return this.line.join(async () => {
      await setImmediate();
      if (left.aborted) throw new LeftError();
      return tokenScores(model.network, asked);
    }, left);
  }

  dispose(): void {
    this.#dispose();
  }
}
