// Adapts a world to a third-party model. The texts of the world are encoded in the model's tokens. The world's limits,
// which are in tokens of its own vocabulary, are converted to tokens of the model. To convert the limits, the lengths
// of words and prompts in both vocabularies are compared.
import { ConfigError, FormatError } from '../../base/errors.ts';
import { quoted } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import { plainTemplate, type ChatForm } from '../../text/chat.ts';
import { ControlTokens, specialIn } from '../../text/controlTokens.ts';
import { tokenizerOf, type Tokenizer } from '../../text/tokenizer.ts';
import type { ForeignModel } from '../../records/stored/foreignModel.ts';
import type { Problem } from '../../records/problem.ts';
import type { Protocol } from '../../records/protocol.ts';
import type { ReadInWords } from '../../rollout/view.ts';
import type { HeardInWords, World } from '../../tasks/world.ts';

const parsed = new WeakMap<ForeignModel, object>();

/**
 * The parsed tokenizer.json of the agents' model. Each file is parsed only once. Throws FormatError for an invalid
 * file; the file may be invalid because it may come from another user's stored run.
 */
export function vocabularyOf(model: ForeignModel): object {
  const json = parsed.get(model) ?? read(model, model.agentsJson);
  parsed.set(model, json);
  return json;
}

function read({ label }: ForeignModel, text: string): object {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === 'object' && json !== null) return json;
  } catch {
    // The error is thrown below.
  }
  throw new FormatError(spoken`${label}: expected a tokenizer.json as JSON, got ${quoted(text)}; the run is damaged.`);
}

/**
 * The number of problems whose prompts are measured, and the number of tokens that are added because other prompts in
 * plain words may be longer.
 */
export const looked = 16;
const spare = 8;

/**
 * Converts a world to the vocabulary of a model. A world that already uses this vocabulary is returned unchanged. If
 * agents talk in plain words, `read` builds their chats.
 */
export function inTokensOf(world: World, model: ForeignModel, read?: ReadInWords): World {
  const json = vocabularyOf(model);
  const [written] = Object.values(world.tokenizers) as [object];
  if (written === json) return world;
  const [own, theirs] = [tokenizerOf(written), tokenizerOf(json)];
  // The measured windows are one token longer, because some vocabularies add a token at the start of a text, for
  // example the space that SentencePiece adds.
  const share = wordShare(own, theirs);
  const wider = (window: number) => 1 + Math.ceil(window * share);
  return {
    ...world,
    vocabularies: { [model.label]: model.label },
    tokenizers: { [model.label]: json },
    limits: (level, protocol) => {
      const problems = world.heldOut(level, looked);
      refuseUnsayable(problems, theirs, model);
      const prompts = problems.flatMap((problem) => protocol.sees.map((sees) => world.view(problem, sees)));
      const { windows, promptWindow, observationWindow, ...limits } = world.limits(level, protocol);
      if (world.inWords && read) {
        const { window, observationWindow: observed = 0 } = world.inWords;
        return {
          ...{ ...limits, windows: windows.map(() => window), promptWindow: longestChat(problems, protocol, read) },
          ...(observationWindow !== undefined && { observationWindow: Math.max(observed, wider(observationWindow)) }),
        };
      }
      return {
        ...{ ...limits, windows: windows.map(wider) },
        promptWindow: Math.ceil(promptWindow * promptShare(own, theirs, prompts)),
        ...(observationWindow !== undefined && { observationWindow: wider(observationWindow) }),
      };
    },
  };
}

/** Throws ConfigError if the vocabulary of a model lacks characters of an answer, so that no agent could give it. */
function refuseUnsayable(problems: readonly Problem[], tokenizer: Tokenizer, { label }: ForeignModel): void {
  const bare = (text: string) => text.replaceAll(/\s/g, '');
  for (const { answer } of problems) {
    const written = tokenizer.decode(tokenizer.encode(answer));
    if (bare(written) !== bare(answer))
      throw new ConfigError(
        spoken`agents.start: ${label} has no tokens for the answer ${quoted(answer)}, which becomes ${quoted(written)}; choose another model, for example one whose tokens are bytes (Llama 3, Qwen, SmolLM2), or another world.`,
      );
  }
}

/**
 * The number of tokens of the longest chat of these agents about a problem of a level. `heard` contains the messages that
 * each agent has heard, by default none.
 */
export function longestChat(
  problems: readonly Problem[],
  { roles }: Pick<Protocol, 'roles'>,
  read: ReadInWords,
  heard: (agent: number) => readonly HeardInWords[] = () => [],
): number {
  const agents = [...roles.keys()];
  const lengths = problems.flatMap((problem) => agents.map((agent) => read(problem, agent, heard(agent)).length));
  return spare + Math.max(...lengths);
}

/** The date that chat templates can insert. The date is fixed, so that the texts of a run are the same on any day. */
const day = new Date(Date.UTC(2025, 0, 1, 12));

/** The model's own tokenizer, in which special tokens have the model's names. */
export const ownTokenizer = (model: ForeignModel): Tokenizer => tokenizerOf(read(model, model.tokenizerJson));

/** The format in which a model reads a chat: its own template or, if it has none, one line per message. */
export function chatFormOf(model: ForeignModel): ChatForm {
  const tokenizer = ownTokenizer(model);
  const controls = new ControlTokens(tokenizer, specialIn(tokenizer.json));
  const { template = plainTemplate, special = { bos_token: model.names.bos ?? '' } } = model.chat ?? {};
  return { template, special, controls, now: day };
}

/**
 * The maximum number of the model's tokens that encode one word of the world inside a text. Special tokens are not
 * counted.
 */
function wordShare(own: Tokenizer, theirs: Tokenizer): number {
  const words = Array.from({ length: own.vocabSize }, (_, id) => own.token(id)).filter((word) => !/^<.+>$/.test(word));
  const lengths = words.map((word) => theirs.encode(word + word).length - theirs.encode(word).length);
  return Math.max(1, ...lengths);
}

/**
 * The maximum over these prompts of the number of the model's tokens divided by the number of the world's tokens; at
 * least 1.
 */
const promptShare = (own: Tokenizer, theirs: Tokenizer, prompts: readonly string[]) =>
  Math.max(1, ...prompts.map((text) => theirs.encode(text).length / own.encode(text).length));
