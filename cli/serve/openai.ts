// The requests and answers of OpenAI's completions, as far as a small model has use for them. What a field cannot be is
// refused by name; fields that are unknown are left aside, as clients send many.
import * as v from 'valibot';
import { chatText } from '../../src/formats/llama/chat.ts';
import { inTime, read } from './http.ts';
import type { Model, Said, Wish } from './model.ts';

const most = { choices: 16, tokens: 4096, signs: 100_000 };

const wholeOf = (least: number, largest: number) => {
  const words = `a whole number from ${least} to ${largest}`;
  return v.pipe(v.number(words), v.integer(words), v.minValue(least, words), v.maxValue(largest, words));
};
const text = v.pipe(v.string('a text'), v.maxLength(most.signs, `at most ${most.signs} signs`));
const temperature = v.pipe(v.number('a number from 0 to 2'), v.minValue(0, 'a number from 0 to 2'), v.maxValue(2, 'a number from 0 to 2')); // prettier-ignore
const stop = v.nullish(v.union([text, v.array(text)], 'a text or a list of texts'), []);
const shared = {
  model: v.optional(v.string('a text'), ''),
  n: v.nullish(wholeOf(1, most.choices), 1),
  temperature: v.nullish(temperature, 1),
  seed: v.nullish(wholeOf(0, 2 ** 32 - 1)),
  stop,
  stream: v.nullish(v.boolean('true or false'), false),
  max_tokens: v.nullish(wholeOf(1, most.tokens)),
};
const only = <T extends string | number | boolean>(value: T) => v.nullish(v.literal(value, String(value)));
const chatForm = v.object({
  ...shared,
  max_completion_tokens: v.nullish(wholeOf(1, most.tokens)),
  messages: v.pipe(
    v.array(v.object({ role: v.picklist(['system', 'user', 'assistant'], 'system, user or assistant'), content: text, name: v.optional(text) }), 'a list of messages'), // prettier-ignore
    v.minLength(1, 'at least one message'),
    v.maxLength(1000, 'at most 1000 messages'),
  ),
  logprobs: v.nullish(v.boolean('true or false'), false),
  top_logprobs: only(0),
});
const completionForm = v.object({
  ...shared,
  prompt: text,
  logprobs: v.nullish(v.union([v.boolean(), wholeOf(0, 0)], '0: the sampled token alone')),
  echo: only(false),
});

export type Kind = 'chat' | 'text';

/** A request that was understood. */
export interface Asked {
  model: string;
  wish: (model: Model) => Wish;
  stop: readonly string[];
  isStreamed: boolean;
  hasLogprobs: boolean;
}

/** `seed` stands for a request that names none. Throws ConfigError for a field that is not what it must be. */
export function readAsked(kind: Kind, body: unknown, seed: number): Asked {
  if (kind === 'text') {
    const { prompt, logprobs, ...given } = read(completionForm, body);
    return { ...common(given), wish: () => wishOf(given, { prompt, isPlain: true }, seed), hasLogprobs: logprobs != null && logprobs !== false }; // prettier-ignore
  }
  const { messages, max_completion_tokens: longest, logprobs, ...given } = read(chatForm, body);
  const wish = (model: Model) => wishOf({ ...given, max_tokens: longest ?? given.max_tokens }, { prompt: inTime(() => chatText(model, messages)), isPlain: false }, seed); // prettier-ignore
  return { ...common(given), wish, hasLogprobs: logprobs ?? false };
}

type Shared = v.InferOutput<v.ObjectSchema<typeof shared, undefined>>;

const common = ({ model, stop: words, stream }: Shared) => ({
  model,
  // An empty text stands everywhere: it would end all that is said before it began.
  stop: (typeof words === 'string' ? [words] : (words ?? [])).filter((word) => word !== ''),
  isStreamed: stream ?? false,
});

const wishOf = (
  { n, temperature: heat, seed, max_tokens: tokens }: Shared,
  prompt: Pick<Wish, 'prompt' | 'isPlain'>,
  other: number,
): Wish => ({
  // prettier-ignore
  ...{ ...prompt, tokens: tokens ?? most.tokens, temperature: heat ?? 1 },
  ...{ seed: seed ?? other, count: n ?? 1 },
});

/** The part of what was said that is told: up to the end of the turn, or to a text to stop at. */
export function told({ tokens, logprobs, isEnded }: Said, stops: readonly string[]) {
  const whole = tokens.join('');
  const at = Math.min(...stops.map((words) => whole.indexOf(words)).filter((place) => place >= 0), whole.length);
  let length = 0;
  const kept = tokens.filter((token) => (length += token.length) <= at);
  const isStopped = isEnded || at < whole.length;
  return { text: whole.slice(0, at), tokens: kept, logprobs: logprobs.slice(0, kept.length), finish_reason: isStopped ? 'stop' : 'length' } as const; // prettier-ignore
}
export type Told = ReturnType<typeof told>;

const bytesOf = (token: string) => [...new TextEncoder().encode(token)];

/** Log-probabilities as each kind writes them. */
function logprobsOf(kind: Kind, { tokens, logprobs }: Pick<Told, 'tokens' | 'logprobs'>) {
  if (kind === 'chat') return { content: tokens.map((token, i) => ({ token, logprob: logprobs[i], bytes: bytesOf(token), top_logprobs: [] })), refusal: null }; // prettier-ignore
  const offsets = tokens.map((_, i) => tokens.slice(0, i).join('').length);
  return { tokens, token_logprobs: logprobs, top_logprobs: null, text_offset: offsets };
}

export interface Answer {
  kind: Kind;
  id: string;
  /** Seconds since 1970. */
  created: number;
  model: string;
  hasLogprobs: boolean;
}

/** The whole answer. */
export function answerOf(answer: Answer, choices: readonly Told[], promptTokens: number): object {
  const { kind, id, created, model, hasLogprobs } = answer;
  const completionTokens = choices.reduce((sum, { tokens }) => sum + tokens.length, 0);
  return {
    ...{ id, object: kind === 'chat' ? 'chat.completion' : 'text_completion', created, model },
    choices: choices.map((choice, index) => ({
      index,
      ...(kind === 'chat' ? { message: { role: 'assistant', content: choice.text, refusal: null } } : { text: choice.text }), // prettier-ignore
      logprobs: hasLogprobs ? logprobsOf(kind, choice) : null,
      finish_reason: choice.finish_reason,
    })),
    usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens: promptTokens + completionTokens }, // prettier-ignore
  };
}

/** The same token by token, for server-sent events. */
export function* chunksOf(answer: Answer, choices: readonly Told[]): Generator<object> {
  const { kind, id, created, model, hasLogprobs } = answer;
  const chunk = (index: number, delta: object, finish_reason: string | null) => ({
    ...{ id, object: kind === 'chat' ? 'chat.completion.chunk' : 'text_completion', created, model },
    choices: [{ index, ...delta, finish_reason }],
  });
  for (const [index, { text: whole, tokens, logprobs, finish_reason }] of choices.entries()) {
    if (kind === 'chat') yield chunk(index, { delta: { role: 'assistant', content: '' }, logprobs: null }, null);
    for (const [i, token] of tokens.entries()) {
      const said = { tokens: [token], logprobs: [logprobs[i] as number] };
      const delta = kind === 'chat' ? { delta: { content: token } } : { text: token };
      yield chunk(index, { ...delta, logprobs: hasLogprobs ? logprobsOf(kind, said) : null }, null);
    }
    // A text to stop at may lie within a token.
    const rest = whole.slice(tokens.join('').length);
    yield chunk(index, { ...(kind === 'chat' ? { delta: rest ? { content: rest } : {} } : { text: rest }), logprobs: null }, finish_reason); // prettier-ignore
  }
}
