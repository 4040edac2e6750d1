// The difference between two texts by words: the longest sequence of words that both texts contain in the same order is
// unchanged, and all other words are changed.

/** A part of a text. All words of a part are changed, or none is. */
export interface DiffPart {
  text: string;
  isChanged: boolean;
}

/** Both texts in parts. The changed parts of `before` were removed, and those of `after` were inserted. */
export interface WordDiff {
  before: DiffPart[];
  after: DiffPart[];
}

interface Word {
  /** The word with the white space before it. After the last word, this includes the white space at the end. */
  text: string;
  word: string;
}

/** The words and punctuation marks of a text. Together, their texts are the text. */
function wordsOf(text: string): Word[] {
  const words = (text.match(/\s*(?:[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*|\S)/gu) ?? []).map((one): Word => {
    return { text: one, word: one.trimStart() };
  });
  const rest = text.slice(words.reduce((length, one) => length + one.text.length, 0));
  const last = words.pop();
  if (last) words.push({ ...last, text: last.text + rest });
  else if (rest !== '') words.push({ text: rest, word: '' });
  return words;
}

/**
 * Which words of each text belong to the longest common sequence. Takes time and memory in proportion to the product of
 * the numbers of words.
 */
function common(before: readonly Word[], after: readonly Word[]): [Set<number>, Set<number>] {
  const width = after.length + 1;
  /** At i · width + j: the length of the longest common sequence of the words from i and from j on. */
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] as number;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        before[i]?.word === after[j]?.word ? 1 + at(i + 1, j + 1) : Math.max(at(i + 1, j), at(i, j + 1));
  const [left, right] = [new Set<number>(), new Set<number>()];
  for (let i = 0, j = 0; i < before.length && j < after.length;) {
    if (before[i]?.word === after[j]?.word) {
      left.add(i++);
      right.add(j++);
    } else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return [left, right];
}

function joined(words: readonly Word[], unchanged: ReadonlySet<number>): DiffPart[] {
  const parts: DiffPart[] = [];
  words.forEach(({ text }, i) => {
    const isChanged = !unchanged.has(i);
    const last = parts.at(-1);
    if (last?.isChanged === isChanged) last.text += text;
    else parts.push({ text, isChanged });
  });
  return parts;
}

/** Compares two texts by words. Differences between kinds of white space do not count. */
export function wordDiff(before: string, after: string): WordDiff {
  const [left, right] = [wordsOf(before), wordsOf(after)];
  const [ofLeft, ofRight] = common(left, right);
  return { before: joined(left, ofLeft), after: joined(right, ofRight) };
}
