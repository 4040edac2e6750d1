// Texts with the probabilities of all of their tokens, also of those in the prompt, as lm-evaluation-harness needs them.
// A text is first generated and then scored as a whole.
import type { Telling } from '../../../../cli/serve/telling.ts';
import type { GenerationRequest, Model, ServedModels } from '../../../../cli/serve/model.ts';
import type { TokenScores } from '../../../training/rows/tokenScores.ts';
import { measuredAt } from '../../../model/decoding/continuation.ts';
import { PieceReader, type Piece } from '../../../text/pieces.ts';
import type { Tokenizer } from '../../../text/tokenizer.ts';
import type { AnswerText, AnswerToken } from './answers.ts';

interface Scored {
  models: ServedModels;
  model: Model;
  wish: GenerationRequest;
  /** The number of likeliest tokens for each place; 0 if none are wanted. */
  top: number;
  /** Whether the text begins with its prompt. */
  isEchoed: boolean;
  left: AbortSignal;
}

const half = '\uFFFD';

/**
 * Scores a generated text. The tokens include the token that ended the text, even if the text does not show it, so that
 * the number of tokens after the prompt is the number of generated tokens. Throws LeftError and BusyError.
 */
export async function scoredText(
  telling: Telling,
  { models, model, wish, top, isEchoed, left }: Scored,
): Promise<AnswerText> {
  const { context, temperature } = wish;
  const { tokenizer } = model;
  const prompt = isEchoed ? placed(context, piecesOf(tokenizer, context)) : [];
  const shown = prompt.map(({ text }) => text).join('');
  const whole = shown + telling.text;
  const end = telling.silentEnd?.id;
  const said = [
    ...telling.told.map((token) => ({ ...token, offset: shown.length + token.offset })),
    ...(end === undefined ? [] : [{ id: end, ...named(tokenizer, end), offset: whole.length }]),
  ];
  const ids = [...context, ...said.map(({ id }) => id)];
  const asked = { ids, temperature: measuredAt(temperature), k: Math.max(1, top) };
  const scores = await models.score(model, asked, left);
  const first = isEchoed ? 0 : context.length;
  const tokens = [...prompt, ...said].map((token, i): AnswerToken => {
    const { id, text, bytes, offset } = token;
    const at = first + i - 1;
    if (at < 0) return { text, bytes, offset, logprob: null, ...(top > 0 && { top: [] }) };
    const found = likely(tokenizer, scores, at);
    // The probability of a likely token is read from the list, so that it equals the entry of the list exactly.
    const logprob = found.find((one) => one.id === id)?.logprob ?? (scores.logprobs[at] as number);
    const own = { id, ...(isWhole(text) ? { text, bytes } : named(tokenizer, id)), logprob };
    return { text, bytes, offset, logprob, ...(top > 0 && { top: withOwn(found, own) }) };
  });
  return { text: whole, reason: telling.reason, length: telling.told.length, tokens };
}

interface Likely extends Piece {
  id: number;
  logprob: number;
}

/** The likeliest tokens at a place. */
const likely = (tokenizer: Tokenizer, { k, topIds, topLogprobs }: TokenScores, at: number): Likely[] =>
  Array.from({ length: k }, (_, i) => {
    const id = topIds[at * k + i] as number;
    return { id, ...named(tokenizer, id), logprob: topLogprobs[at * k + i] as number };
  });

/** The list with the token of the text under the name that it has in the text. If it is not in the list, it is added. */
const withOwn = (found: readonly Likely[], own: Likely): Likely[] =>
  found.some(({ id }) => id === own.id) ? found.map((one) => (one.id === own.id ? own : one)) : [...found, own];

const isWhole = (text: string) => text !== '' && !text.includes(half);

/** The text of a token alone. A part of a character is written as its bytes. */
function named(tokenizer: Tokenizer, id: number): Piece {
  if (id > tokenizer.largestId) return { text: `token_id:${id}`, bytes: [] };
  const bytes = [...tokenizer.bytes(id)];
  const text = tokenizer.decode([id]);
  if (isWhole(text)) return { text, bytes: [...new TextEncoder().encode(text)] };
  const digits = bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  return { text: bytes.length > 0 ? `bytes:${digits}` : `token_id:${id}`, bytes };
}

/** The text that each token adds. */
function piecesOf(tokenizer: Tokenizer, ids: readonly number[]): Piece[] {
  const reader = new PieceReader(tokenizer);
  return [...ids.flatMap((id) => reader.add(id)), ...reader.end()];
}

/** The tokens with the positions at which they begin in the text of all tokens. */
function placed(ids: readonly number[], pieces: readonly Piece[]): (Piece & { id: number; offset: number })[] {
  let offset = 0;
  return pieces.map((piece, i) => {
    const own = { ...piece, id: ids[i] as number, offset };
    offset += piece.text.length;
    return own;
  });
}
