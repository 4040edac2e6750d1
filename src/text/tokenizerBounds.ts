// Limits on a foreign tokenizer.json, so that reading it and encoding with it take little time. Regular expressions are
// matched by backtracking, which can take exponential time if repetitions are nested. Such patterns are recognised by
// their syntax and refused, because the search with a regular expression cannot be interrupted. All published
// vocabularies are within these limits.
import { FormatError } from '../base/errors.ts';
import { quoted } from '../base/quote.ts';
import { spoken } from '../base/spoken.ts';

const most = {
  tokens: 2 ** 19,
  /**
   * Maximum number of characters of one special token, and of all special tokens together. The numbers are limited
   * because each of these characters takes an object in memory.
   */
  special: 512,
  specials: 4e6,
  /**
   * Maximum number of characters of a token in vocabularies for which the best of all possible splits of a text is
   * searched.
   */
  piece: 64,
  /**
   * Maximum number of characters of a word, for vocabularies in which the longest matching token is searched step by
   * step.
   */
  word: 200,
  steps: 64,
  /** The maximum factor by which replacements may lengthen a text. */
  growth: 1000,
  pattern: 100_000,
  /**
   * Maximum number of unbounded repetitions along one path through a regular expression, and maximum number of such
   * paths.
   */
  repetitions: 2,
  ways: 1000,
};

type Json = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null;

const refuse = (what: string) => new FormatError(spoken`tokenizer.json: ${what}; use a model with another tokenizer.`);

/** Throws FormatError for a tokenizer that might never finish. */
export function refuseUnbounded(json: object): void {
  const {
    model,
    added_tokens: added,
    normalizer,
    pre_tokenizer: before,
    post_processor: after,
    decoder,
  } = json as Json;
  if (isRecord(model)) refuseModel(model);
  if (!Array.isArray(added)) throw refuse(spoken`expected a list of special tokens, got ${quoted(added)}`);
  refuseAdded(added);
  for (const steps of [[normalizer, before], [decoder]]) {
    const state = { steps: 0, growth: 1 };
    for (const step of steps) refuseSteps(step, state);
  }
  for (const list of isRecord(after) ? [after['single'], after['pair'], after['processors']] : [])
    if (Array.isArray(list) && list.length > most.steps) throw refuse(spoken`more than ${most.steps} steps`);
}

function refuseModel({ vocab, type, max_input_chars_per_word: word = 100 }: Json): void {
  const entries: (readonly [unknown, unknown])[] = Array.isArray(vocab)
    ? vocab.map((one: unknown, id) => [Array.isArray(one) ? (one as unknown[])[0] : one, id])
    : Object.entries(isRecord(vocab) ? vocab : {});
  if (entries.length > most.tokens) throw refuse(spoken`more than ${most.tokens} tokens`);
  for (const [token, id] of entries) {
    refuseId(id);
    if (typeof token !== 'string') throw refuse(spoken`expected tokens that are strings, got ${quoted(token)}`);
  }
  const isLattice = type === 'Unigram' || Array.isArray(vocab);
  const long = isLattice && entries.find(([token]) => String(token).length > most.piece);
  if (long) throw refuse(spoken`a token of more than ${most.piece} characters (${quoted(long[0])})`);
  if (!(Number(word) <= most.word))
    throw refuse(
      spoken`words of more than ${most.word} characters would be split token by token, which takes too long`,
    );
}

function refuseId(id: unknown): void {
  if (!Number.isInteger(id) || Number(id) < 0 || Number(id) >= 2 * most.tokens)
    throw refuse(spoken`expected ids that are whole numbers below ${2 * most.tokens}, got ${quoted(id)}`);
}

function refuseAdded(added: readonly unknown[]): void {
  let signs = 0;
  for (const token of added) {
    const { content, id } = isRecord(token) ? token : {};
    if (typeof content !== 'string' || content.length > most.special)
      throw refuse(spoken`expected special tokens of at most ${most.special} characters, got ${quoted(content)}`);
    refuseId(id);
    signs += content.length;
  }
  if (signs > most.specials)
    throw refuse(spoken`the special tokens have more than ${most.specials} characters in total`);
}

function refuseSteps(step: unknown, state: { steps: number; growth: number }): void {
  if (!isRecord(step)) return;
  if (++state.steps > most.steps) throw refuse(spoken`more than ${most.steps} steps`);
  for (const key of ['normalizers', 'pretokenizers', 'decoders']) {
    const inner = step[key];
    if (Array.isArray(inner)) for (const one of inner) refuseSteps(one, state);
  }
  const { pattern, length } = step;
  const source = isRecord(pattern) ? pattern['Regex'] : undefined;
  if (typeof source === 'string') refusePattern(source);
  if (step['type'] === 'FixedLength' && !(Number.isInteger(length) && Number(length) > 0))
    throw refuse(spoken`expected pieces of at least one character, got ${quoted(length)}`);
  const plain = isRecord(pattern) && typeof pattern['String'] === 'string' ? pattern['String'] : '';
  const put = ['content', 'prepend', 'replacement', 'str_rep']
    .map((key) => step[key])
    .filter((one) => typeof one === 'string');
  // An empty search text matches between any two characters, so the replacement is inserted there each time.
  for (const text of put)
    state.growth *= Math.max(1, (text.length + (plain === '' ? 1 : 0)) / Math.max(1, plain.length));
  if (state.growth > most.growth)
    throw refuse(spoken`the steps of the tokenizer can make a text more than ${most.growth} times longer`);
}

/** A group in the regular expression that is being parsed. The counts are for the current alternative of the group. */
interface Group {
  repetitions: number;
  ways: number;
  /**
   * Counts for the alternatives parsed so far: the largest number of repetitions in one alternative, and the number of
   * paths through all of them.
   */
  before: { repetitions: number; ways: number };
  /** Whether the group contains a repetition or alternatives. */
  isVaried: boolean;
}

const group = (): Group => ({ repetitions: 0, ways: 1, before: { repetitions: 0, ways: 0 }, isVaried: false });
const through = ({ repetitions, ways, before }: Group) => ({
  repetitions: Math.max(repetitions, before.repetitions),
  ways: ways + before.ways,
});

/**
 * Throws FormatError for a regular expression (in Oniguruma's syntax) if searching with it may take exponential time,
 * or time that grows with the fourth power of the text's length.
 */
function refusePattern(source: string): void {
  // If an expression contains this text, the library treats it as the pattern of one published model, and removes
  // brackets. If a backslash precedes this text, its brackets do not enclose a character class, so the expression is
  // refused.
  const refusal = () => refuse(spoken`a search for the pattern ${quoted(source)} might never end`);
  if (source.length > most.pattern || source.includes(String.raw`\[^(\s|[`)) throw refusal();
  const open: Group[] = [];
  let here = group();
  // The group that has just been closed, if a repetition may follow it.
  let closed: Group | null = null;
  for (let at = 0; at < source.length;) {
    const rest = source.slice(at, at + 64);
    const [word = ''] =
      /^(?:\\[pPxuk][{<][^}>]{0,60}[}>]|\\[^]|\(\?#|\(\?(?:<?[=!]|<\w{1,60}>|>|[a-z-]{0,8}:?)|[*+?]|\{\d{0,9},?\d{0,9}\}|[^])/.exec(
        rest,
      ) ?? [];
    at += word.length || 1;
    // Three things are refused: back-references; comments, because they would be parsed as part of the expression; and
    // \G, because the library removes it, so that a quantifier after \G would repeat the part before \G.
    if (/^\\[1-9kG]|^\(\?#/.test(word)) throw refusal();
    // Refuses repetition counts with more digits than the patterns above match.
    if (word === '{' && /^\{,?\d/.test(rest)) throw refusal();
    if (word === '[') {
      at = classEnd(source, at);
      closed = null;
    } else if (word.startsWith('(')) {
      open.push(here);
      [here, closed] = [group(), null];
    } else if (word === ')') {
      closed = here;
      const inner = through(here);
      here = open.pop() ?? group();
      here.isVaried ||= closed.isVaried;
      here.repetitions += inner.repetitions;
      here.ways *= inner.ways;
    } else if (word === '|') {
      here.before = through(here);
      Object.assign(here, { repetitions: 0, ways: 1, isVaried: true });
      closed = null;
    } else if (/^(?:[*+?]|\{\d|\{,\d)/.test(word)) {
      const [least, top] = timesOf(word);
      if (top > 1 && closed?.isVaried) throw refusal();
      if (top === Infinity) here.repetitions++;
      else here.ways *= top - least + 1;
      here.isVaried = true;
      if (least > most.word || (top < Infinity && top > most.word)) throw refusal();
      // A `?` or `+` after a repetition makes it lazy or possessive. A further repetition sign would repeat the
      // repetition itself, so it is refused.
      if ((word.startsWith('{') ? '?' : '?+').includes(source[at] ?? ' ')) at++;
      if (/^(?:[*+?]|\{,?\d)/.test(source.slice(at, at + 3))) throw refusal();
      closed = null;
    } else closed = null;
    const { repetitions, ways } = through(here);
    if (repetitions > most.repetitions || ways > most.ways || at > source.length) throw refusal();
  }
}

/** The minimum and maximum number of repetitions. */
function timesOf(word: string): [number, number] {
  if (word === '*') return [0, Infinity];
  if (word === '+') return [1, Infinity];
  if (word === '?') return [0, 1];
  const [least = '', top = least] = word.slice(1, -1).split(',');
  return [Number(least), top === '' ? Infinity : Number(top)];
}

/**
 * The end of a character class, which may contain other classes; Infinity if the class has no end. The opening bracket
 * of the class has already been read.
 */
function classEnd(source: string, from: number): number {
  // A closing bracket directly after the opening bracket does not end the class.
  const begun = (at: number) => at + (/^\^?\]?/.exec(source.slice(at, at + 2))?.[0].length ?? 0);
  let depth = 1;
  let at = begun(from);
  while (at < source.length && depth > 0) {
    const sign = source[at++];
    if (sign === '\\') at++;
    else if (sign === '[') [depth, at] = [depth + 1, begun(at)];
    else if (sign === ']') depth--;
  }
  return depth > 0 ? Infinity : at;
}
