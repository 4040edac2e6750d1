// The requests of OpenAI's completions API, as far as they are useful for a small model. A field is
// either applied, or has no effect on the answer, or is refused with an error that contains its name, because
// measurements would be wrong if a field were ignored silently.
import * as v from 'valibot';
import { ConfigError } from '../../../base/errors.ts';
import { pcg } from '../../../base/random.ts';
import { chatTokens, readyTemplates, type ChatTurn } from '../../../text/chat.ts';
import type { TokenLimits } from '../../../records/policy.ts';
import { inTime, read, refuseUnread } from '../../../../cli/serve/http.ts';
import type { Model, GenerationRequest } from '../../../../cli/serve/model.ts';

await readyTemplates();

const most = { choices: 16, signs: 100_000, stops: 64, stopSigns: 1000, messages: 1000, prompts: 128, top: 100 };

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
};
const part = v.object({ type: v.literal('text', '"text"'), text });
const message = v.looseObject({
  role: v.picklist(['system', 'developer', 'user', 'assistant', 'tool'], 'system, developer, user, assistant or tool'),
  content: v.nullish(v.union([text, v.array(part)], 'a text, or parts of type text')),
  name: v.nullish(text),
});
const chatForm = v.looseObject({
  ...shared,
  max_tokens: v.nullish(wholeOf(1)),
  max_completion_tokens: v.nullish(wholeOf(1)),
  messages: v.pipe(
    v.array(message, 'a list of messages'),
    v.minLength(1, 'at least one message'),
    v.maxLength(most.messages, `at most ${most.messages} messages`),
  ),
  logprobs: isSet,
  top_logprobs: v.nullish(wholeOf(0, most.top), 0),
});
const tokenIds = v.array(wholeOf(0, 2 ** 31 - 1), 'a list of token ids');
const prompts = <T extends v.GenericSchema>(one: T) =>
  v.pipe(
    v.array(one),
    v.minLength(1, 'at least one prompt'),
    v.maxLength(most.prompts, `at most ${most.prompts} prompts`),
  );
const completionForm = v.looseObject({
  ...shared,
  // Without tokens, only the prompt is scored.
  max_tokens: v.nullish(wholeOf(0)),
  prompt: v.union(
    [text, prompts(text), v.pipe(tokenIds, v.minLength(1)), prompts(tokenIds)],
    `a text, a list of token ids, or a list of at most ${most.prompts} texts or lists of token ids`,
  ),
  logprobs: v.nullish(
    v.union([v.boolean(), wholeOf(0, most.top)], `a whole number from 0 to ${most.top}, true or false`),
  ),
  echo: isSet,
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
  /** The requests to the model, one for each prompt. */
  wishes: (model: Asked) => GenerationRequest[];
  isStreamed: boolean;
  /** Whether the client has asked for the token counts at the end of a stream. */
  hasUsage: boolean;
  hasLogprobs: boolean;
  /** The number of likeliest tokens that are wanted for each place; 0 if none are. */
  top: number;
  /** Whether a text begins with its prompt. */
  isEchoed: boolean;
}

/** The parts of a model that a request needs. */
type Asked = Pick<Model, 'chat' | 'tokenizer'> & { network: { shape: { vocabSize: number } } };

/**
 * Reads a request. `seed` is used if the request contains no seed. Throws ConfigError if a field is invalid or not
 * supported.
 */
export function readAsked(kind: Kind, body: unknown, seed: number): CompletionRequest {
  return kind === 'text' ? readText(body, seed) : readMessages(body, seed);
}

function readText(body: unknown, seed: number): CompletionRequest {
  const given = read(completionForm, body);
  refuseUnread(body as object, completionForm.entries, others);
  const { prompt, logprobs, echo } = given;
  const [hasLogprobs, top] = [logprobs != null && logprobs !== false, typeof logprobs === 'number' ? logprobs : 0];
  const contexts = promptsIn(prompt);
  if (given.stream) refuseStreamed({ echo: echo ?? false, 'logprobs above 0': top > 0, prompt: contexts.length > 1 });
  const wish = { ...wishOf(given, seed), tokens: given.max_tokens ?? Infinity };
  return {
    ...{ ...common(given), hasLogprobs, top, isEchoed: echo ?? false },
    wishes: (model) => contexts.map((one) => ({ ...wish, context: contextOf(one, model) })),
  };
}

function readMessages(body: unknown, seed: number): CompletionRequest {
  const given = readChat(body);
  const turns = given.messages.map((one, i) => turnOf(one, `messages.${i}`));
  const [hasLogprobs, top] = [given.logprobs ?? false, given.top_logprobs ?? 0];
  if (top > 0 && !hasLogprobs)
    throw new ConfigError(`top_logprobs: expected 0 without logprobs, got ${top}; set logprobs to true as well.`);
  if (given.stream) refuseStreamed({ 'top_logprobs above 0': top > 0 });
  const tokens = given.max_completion_tokens ?? given.max_tokens ?? Infinity;
  return {
    ...{ ...common(given), hasLogprobs, top, isEchoed: false },
    wishes: ({ chat }) => [{ ...wishOf(given, seed), tokens, context: chatTokens(chat, turns, inTime) }],
  };
}

/** The fields of a chat request. */
export type ChatFields = v.InferOutput<typeof chatForm>;

/** Reads a chat request, which may also have the fields in `more`. Throws ConfigError. */
export function readChat(body: unknown, more: object = {}): ChatFields {
  const given = read(chatForm, body);
  refuseUnread(body as object, { ...chatForm.entries, ...more }, others);
  return given;
}

type Prompt = string | readonly number[];

const promptsIn = (prompt: v.InferOutput<typeof completionForm>['prompt']): Prompt[] =>
  Array.isArray(prompt) && typeof prompt[0] !== 'number' ? (prompt as Prompt[]) : [prompt as Prompt];

/** The tokens of a prompt. Throws ConfigError for a token that the model does not have. */
function contextOf(prompt: Prompt, { tokenizer, network }: Asked): readonly number[] {
  if (typeof prompt === 'string') return inTime(() => tokenizer.encodeWhole(prompt));
  const { vocabSize } = network.shape;
  const strange = prompt.find((id) => id >= vocabSize);
  if (strange === undefined) return prompt;
  throw new ConfigError(
    `prompt: expected token ids below ${vocabSize}, got ${strange}; use the tokenizer of this model.`,
  );
}

/** Throws ConfigError if a stream is requested together with something that is known only at the end. */
function refuseStreamed(together: Readonly<Record<string, boolean>>): void {
  const [name] = Object.entries(together).find(([, isAsked]) => isAsked) ?? [];
  if (name === undefined) return;
  const what = name === 'prompt' ? 'several prompts' : name;
  throw new ConfigError(`stream: expected false together with ${what}, got true; leave stream out.`);
}

/**
 * Converts a message to the form that chat templates need. If the content of the message consists of several text
 * parts, the parts are concatenated. Throws ConfigError.
 */
export function turnOf(given: v.InferOutput<typeof message>, at: string): ChatTurn {
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

const wishOf = (given: Shared, other: number): Omit<GenerationRequest, 'context' | 'tokens'> => ({
  ...{ temperature: given.temperature ?? 1, limits: limitsOf(given) },
  ...{ seed: given.seed == null ? other : seedOf(given.seed), count: given.n ?? 1, stops: stopsOf(given) },
});

/** Empty stop strings are left out, because an empty string occurs in every text and would end the text immediately. */
export const stopsOf = ({ stop }: Pick<Shared, 'stop'>): string[] =>
  [stop ?? []].flat().filter((words) => words !== '');

const limitsOf = ({ top_p: topP, top_k: topK, min_p: minP }: Shared): TokenLimits => ({
  ...{ topP: topP ?? 1, minP: minP ?? 0 },
  ...(topK != null && topK > 0 && { topK }),
});

/** Converts any integer to a seed of 32 bits. Integers from 0 to 2³² − 1 stay unchanged. */
export function seedOf(seed: number): number {
  const high = Math.floor(seed / 2 ** 32);
  return high === 0 ? seed : (seed ^ pcg(high >>> 0)) >>> 0;
}
