// The requests and responses of OpenAI's completions API, as far as they are useful for a small model. A field is
// either applied, or has no effect on the answer, or is refused with an error that contains its name, because
// measurements would be wrong if a field were ignored silently.
import * as v from 'valibot';
import { ConfigError } from '../../../base/errors.ts';
import { pcg } from '../../../base/random.ts';
import { chatTokens, readyTemplates, type ChatTurn } from '../../../text/chat.ts';
import type { TokenLimits } from '../../../records/policy.ts';
import { inTime, read, refuseUnread } from '../../../../cli/serve/http.ts';
import type { Model, GenerationRequest } from '../../../../cli/serve/model.ts';
import type { Telling, ToldToken } from '../../../../cli/serve/telling.ts';

await readyTemplates();

const most = { choices: 16, signs: 100_000, stops: 64, stopSigns: 1000, messages: 1000 };

const within = (least: number, largest: number) => {
  const words = `a number from ${least} to ${largest}`;
  return v.pipe(v.number(words), v.minValue(least, words), v.maxValue(largest, words));
};
const wholeOf = (least: number, largest = Number.MAX_SAFE_INTEGER) => {
  const words =
    largest === Number.MAX_SAFE_INTEGER ? `a whole number from ${least}` : `a whole number from ${least} to ${largest}`;
  return v.pipe(v.number(words), v.safeInteger(words), v.minValue(least, words), v.maxValue(largest, words));
};
const text = v.pipe(v.string('a text'), v.maxLength(most.signs, `at most ${most.signs} characters`));
const isSet = v.nullish(v.boolean('true or false'), false);
const stopText = v.pipe(v.string('a text'), v.maxLength(most.stopSigns, `at most ${most.stopSigns} characters`));
const shared = {
  model: v.nullish(v.string('a text'), ''),
  n: v.nullish(wholeOf(1, most.choices), 1),
  temperature: v.nullish(within(0, 2), 1),
  top_p: v.nullish(within(0, 1), 1),
  // The value −1 or 0 switches this setting off.
  top_k: v.nullish(wholeOf(-1), 0),
  min_p: v.nullish(within(0, 1), 0),
  seed: v.nullish(wholeOf(-Number.MAX_SAFE_INTEGER)),
  stop: v.nullish(
    v.union(
      [stopText, v.pipe(v.array(stopText), v.maxLength(most.stops, `at most ${most.stops} texts`))],
      'a text or a list of texts',
    ),
    [],
  ),
  stream: isSet,
  stream_options: v.nullish(v.looseObject({ include_usage: isSet }, 'an object')),
  max_tokens: v.nullish(wholeOf(1)),
};
const only = <T extends string | number | boolean>(value: T) => v.nullish(v.literal(value, String(value)));
const part = v.object({ type: v.literal('text', '"text"'), text });
const message = v.looseObject({
  role: v.picklist(['system', 'developer', 'user', 'assistant', 'tool'], 'system, developer, user, assistant or tool'),
  content: v.nullish(v.union([text, v.array(part)], 'a text, or parts of type text')),
  name: v.nullish(text),
});
const chatForm = v.looseObject({
  ...shared,
  max_completion_tokens: v.nullish(wholeOf(1)),
  messages: v.pipe(
    v.array(message, 'a list of messages'),
    v.minLength(1, 'at least one message'),
    v.maxLength(most.messages, `at most ${most.messages} messages`),
  ),
  logprobs: isSet,
  top_logprobs: only(0),
});
const completionForm = v.looseObject({
  ...shared,
  prompt: text,
  logprobs: v.nullish(v.union([v.boolean(), wholeOf(0, 0)], '0 (only the sampled token)')),
  echo: only(false),
});

/** Fields of the API that are accepted although they have no effect. */
const others = {
  aside: [
    'user',
    'metadata',
    'store',
    'service_tier',
    'safety_identifier',
    'prompt_cache_key',
    'prompt_cache_retention',
    'prediction',
    'parallel_tool_calls',
  ],
  idle: {
    ...{ frequency_penalty: [0], presence_penalty: [0], repetition_penalty: [1], typical_p: [1] },
    ...{ tool_choice: ['none', 'auto'], function_call: ['none', 'auto'], response_format: [{ type: 'text' }] },
    ...{
      modalities: [['text']],
      suffix: [''],
      best_of: [1],
      min_tokens: [0],
      ignore_eos: [false],
      use_beam_search: [false],
    },
  },
};

export type Kind = 'chat' | 'text';

/** A parsed request. */
export interface CompletionRequest {
  model: string;
  wish: (model: Pick<Model, 'chat' | 'tokenizer'>) => GenerationRequest;
  isStreamed: boolean;
  /** Whether the client has asked for the token counts at the end of a stream. */
  hasUsage: boolean;
  hasLogprobs: boolean;
}

/**
 * Reads a request. `seed` is used if the request contains no seed. Throws ConfigError if a field is invalid or not
 * supported.
 */
export function readAsked(kind: Kind, body: unknown, seed: number): CompletionRequest {
  if (kind === 'text') {
    const given = read(completionForm, body);
    refuseUnread(body as object, completionForm.entries, others);
    const { prompt, logprobs } = given;
    const wish: CompletionRequest['wish'] = ({ tokenizer }) => ({
      context: inTime(() => tokenizer.encodeWhole(prompt)),
      ...wishOf(given, seed),
    });
    return { ...common(given), wish, hasLogprobs: logprobs != null && logprobs !== false };
  }
  const given = read(chatForm, body);
  refuseUnread(body as object, chatForm.entries, others);
  const turns = given.messages.map((one, i) => turnOf(one, `messages.${i}`));
  const wish: CompletionRequest['wish'] = ({ chat }) => ({
    context: chatTokens(chat, turns, inTime),
    ...wishOf({ ...given, max_tokens: given.max_completion_tokens ?? given.max_tokens }, seed),
  });
  return { ...common(given), wish, hasLogprobs: given.logprobs ?? false };
}

/**
 * Converts a message to the form that chat templates need. If the content of the message consists of several text
 * parts, the parts are concatenated. Throws ConfigError.
 */
function turnOf(given: v.InferOutput<typeof message>, at: string): ChatTurn {
  const { role, content, name, ...more } = given;
  const { tool_call_id: call, ...other } = more;
  refuseUnread(other, {}, { at: `${at}.` });
  // Only a message of the assistant may have no text, for example if it contains only a tool call.
  if (content == null && role !== 'assistant')
    throw new ConfigError(`${at}.content: this message needs a text, but it has none.`);
  const said = typeof content === 'string' ? content : (content ?? []).map((one) => one.text).join('');
  return {
    role: role === 'developer' ? 'system' : role,
    content: said,
    ...(name != null && { name }),
    ...(typeof call === 'string' && { tool_call_id: call }),
  };
}

type Shared = v.InferOutput<v.ObjectSchema<typeof shared, undefined>>;

const common = ({ model, stream, stream_options: options }: Shared) => ({
  model: model ?? '',
  isStreamed: stream ?? false,
  hasUsage: options?.include_usage ?? false,
});

const wishOf = (given: Shared, other: number): Omit<GenerationRequest, 'context'> => ({
  ...{ tokens: given.max_tokens ?? Infinity, temperature: given.temperature ?? 1, limits: limitsOf(given) },
  ...{ seed: given.seed == null ? other : seedOf(given.seed), count: given.n ?? 1 },
  // Empty stop strings are left out, because an empty string occurs in every text and would end the text immediately.
  stops: [given.stop ?? []].flat().filter((words) => words !== ''),
});

const limitsOf = ({ top_p: topP, top_k: topK, min_p: minP }: Shared): TokenLimits => ({
  ...{ topP: topP ?? 1, minP: minP ?? 0 },
  ...(topK != null && topK > 0 && { topK }),
});

/** Converts any integer to a seed of 32 bits. Integers from 0 to 2³² − 1 stay unchanged. */
function seedOf(seed: number): number {
  const high = Math.floor(seed / 2 ** 32);
  return high === 0 ? seed : (seed ^ pcg(high >>> 0)) >>> 0;
}

/** Log-probabilities, in one format for each kind of request. */
function logprobsOf(kind: Kind, tokens: readonly ToldToken[]) {
  if (kind === 'chat')
    return {
      content: tokens.map(({ text: token, logprob, bytes }) => ({ token, logprob, bytes, top_logprobs: [] })),
      refusal: null,
    };
  return {
    tokens: tokens.map((token) => token.text),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    ...{ top_logprobs: null, text_offset: tokens.map(({ offset }) => offset) },
  };
}

export interface CompletionAnswer {
  kind: Kind;
  id: string;
  /** Seconds since 1970. */
  created: number;
  model: string;
  hasLogprobs: boolean;
  promptTokens: number;
}

function usageOf({ promptTokens }: CompletionAnswer, texts: readonly Telling[]) {
  const completionTokens = texts.reduce((sum, { told }) => sum + told.length, 0);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

/** The complete response. */
export function answerOf(answer: CompletionAnswer, texts: readonly Telling[]): object {
  const { kind, id, created, model, hasLogprobs } = answer;
  return {
    ...{ id, object: kind === 'chat' ? 'chat.completion' : 'text_completion', created, model },
    choices: texts.map(({ text: whole, told, reason }, index) => ({
      index,
      ...(kind === 'chat' ? { message: { role: 'assistant', content: whole, refusal: null } } : { text: whole }),
      logprobs: hasLogprobs ? logprobsOf(kind, told) : null,
      finish_reason: reason,
    })),
    usage: usageOf(answer, texts),
  };
}

/** The chunks of a response that is sent while it is generated, as server-sent events. */
export class Chunks {
  readonly #answer: CompletionAnswer;
  readonly #hasUsage: boolean;
  /** For each text, the number of tokens that were already sent; null once the end of the text was sent. */
  readonly #sent: (number | null)[] = [];

  constructor(answer: CompletionAnswer, hasUsage: boolean) {
    this.#answer = answer;
    this.#hasUsage = hasUsage;
  }

  /** The chunks for everything that is new since the last call. */
  *news(texts: readonly Telling[]): Generator<object> {
    const { kind, hasLogprobs } = this.#answer;
    for (const [index, { told, rest, reason }] of texts.entries()) {
      const sent = this.#sent[index];
      if (sent === null) continue;
      if (sent === undefined && kind === 'chat')
        yield this.#chunk(index, { delta: { role: 'assistant', content: '' }, logprobs: null }, null);
      for (const token of told.slice(sent ?? 0)) {
        const delta = kind === 'chat' ? { delta: { content: token.text } } : { text: token.text };
        yield this.#chunk(index, { ...delta, logprobs: hasLogprobs ? logprobsOf(kind, [token]) : null }, null);
      }
      this.#sent[index] = reason === null ? told.length : null;
      if (reason === null) continue;
      // If a stop string begins within a token, the part of the token before the stop string still has to be sent.
      const last = kind === 'chat' ? { delta: rest ? { content: rest } : {} } : { text: rest };
      yield this.#chunk(index, { ...last, logprobs: null }, reason);
    }
  }

  /** The chunk with the token counts at the end of a stream, if the client has asked for it. */
  *end(texts: readonly Telling[]): Generator<object> {
    if (this.#hasUsage) yield { ...this.#head(), choices: [], usage: usageOf(this.#answer, texts) };
  }

  #chunk(index: number, delta: object, finish_reason: string | null): object {
    return {
      ...this.#head(),
      choices: [{ index, ...delta, finish_reason }],
      ...(this.#hasUsage && { usage: null }),
    };
  }

  #head() {
    const { kind, id, created, model } = this.#answer;
    return { id, object: kind === 'chat' ? 'chat.completion.chunk' : 'text_completion', created, model };
  }
}
