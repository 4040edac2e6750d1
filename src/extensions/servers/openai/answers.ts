// The responses of OpenAI's completions API, complete or in chunks.
import type { Telling, ToldToken } from '../../../../cli/serve/telling.ts';
import type { Kind } from './openai.ts';

/** A token of a response. `logprob` is null for the first token of a text, which has no tokens before it. */
export interface AnswerToken extends Pick<ToldToken, 'text' | 'bytes' | 'offset'> {
  logprob: number | null;
  /** The likeliest tokens at this place, best first; absent if they were not requested. */
  top?: readonly { text: string; bytes: number[]; logprob: number }[];
}

/** A text of a response. */
export interface AnswerText {
  text: string;
  reason: 'stop' | 'length' | null;
  /** The number of generated tokens. */
  length: number;
  tokens: readonly AnswerToken[];
}

/** A generated text as it is told while it is generated. */
export const plainText = ({ text, reason, told }: Telling): AnswerText => ({
  ...{ text, reason, tokens: told },
  length: told.length,
});

/** Log-probabilities, in one format for each kind of request. */
function logprobsOf(kind: Kind, tokens: readonly AnswerToken[]) {
  if (kind === 'chat')
    return {
      content: tokens.map(({ text: token, logprob, bytes, top = [] }) => ({
        ...{ token, logprob, bytes },
        top_logprobs: top.map((likely) => ({ token: likely.text, logprob: likely.logprob, bytes: likely.bytes })),
      })),
      refusal: null,
    };
  return {
    tokens: tokens.map((token) => token.text),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.some(({ top }) => top) ? tokens.map(topTable) : null,
    text_offset: tokens.map(({ offset }) => offset),
  };
}

/** The likeliest tokens by their texts; null for the first token of a text. If two have one text, the likelier is kept. */
function topTable({ top, logprob }: AnswerToken): Record<string, number> | null {
  if (logprob === null) return null;
  return Object.fromEntries([...(top ?? [])].reverse().map((likely) => [likely.text, likely.logprob]));
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

/** The token counts of a response. `lengths` are the numbers of tokens that were generated for its texts. */
export function usageOf({ promptTokens }: { promptTokens: number }, lengths: readonly number[]) {
  const completionTokens = lengths.reduce((sum, length) => sum + length, 0);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

/** The complete response. */
export function answerOf(answer: CompletionAnswer, texts: readonly AnswerText[]): object {
  const { kind, id, created, model, hasLogprobs } = answer;
  return {
    ...{ id, object: kind === 'chat' ? 'chat.completion' : 'text_completion', created, model },
    choices: texts.map(({ text: whole, tokens, reason }, index) => ({
      index,
      ...(kind === 'chat' ? { message: { role: 'assistant', content: whole, refusal: null } } : { text: whole }),
      logprobs: hasLogprobs ? logprobsOf(kind, tokens) : null,
      finish_reason: reason,
    })),
    usage: usageOf(
      answer,
      texts.map(({ length }) => length),
    ),
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
    if (this.#hasUsage)
      yield {
        ...this.#head(),
        choices: [],
        usage: usageOf(
          this.#answer,
          texts.map(({ told }) => told.length),
        ),
      };
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
