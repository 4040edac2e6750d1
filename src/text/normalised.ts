// Normalises answers before they are compared. Two functions read numbers. The exact function is used for files and
// accepts only texts that consist of one number. The lenient function is used for a model's messages and takes the last
// number. Both functions preserve all digits. If one of these functions is applied to its own output, the output does
// not change. The two functions give the same result for every text that the exact function accepts. Short answers are
// stripped of case, articles and punctuation. Two answers are compared exactly, or by their common words, as in the
// published evaluation of SQuAD and HotpotQA.
//
// Deviations: 1. Letters are composed first (NFC), so that both spellings of `é` are equal; the published evaluation
// distinguishes them. Case folding is not applied, so `Straße` and `STRASSE` remain two answers, as in the published
// evaluation.

const digits = String.raw`\d{1,3}(?:,\d{3})+(?!\d)|\d+`;
const stated = new RegExp(
  String.raw`^(?:(?<sign>[-−+]?)\p{Sc}?|\p{Sc}(?<inner>[-−+]))(?=\.?\d)(?<whole>${digits})?(?:\.(?<parts>\d+))?%?$`,
  'u',
);
// A minus directly after a digit, a letter or a bracket is not the sign of a number, but a subtraction or a hyphen.
const said = new RegExp(
  String.raw`(?:(?<![\p{L}\p{N})\]])(?<sign>[-−])\p{Sc}?|\p{Sc}(?<inner>[-−]))?(?:(?<whole>${digits})(?:\.(?<parts>\d+))?|(?<!\d)\.(?<only>\d+))`,
  'gu',
);

/** The matched number in plain notation: `1,200.50` becomes `1200.5`. */
function plain({
  sign = '',
  inner = '',
  whole = '',
  parts = '',
  only = '',
}: Record<string, string | undefined>): string {
  const before = whole.replaceAll(',', '').replace(/^0+(?=\d)/, '') || '0';
  const after = (parts || only).replace(/0+$/, '');
  const value = after === '' ? before : `${before}.${after}`;
  // −0 is 0.
  return /[-−]/.test(sign + inner) && /[1-9]/.test(value) ? `-${value}` : value;
}

/**
 * The number in a text that contains nothing but this number. Commas between thousands and a currency or percent sign
 * are allowed. Returns null for any other text, such as `3/4`, `2-5`, `1 000`, `1,50` and `1e3`.
 */
export function numberStated(text: string): string | null {
  const found = stated.exec(text.trim())?.groups;
  return found ? plain(found) : null;
}

/** The last (or first) number in a message that may contain any other text; null if there is no number. */
export function numberIn(text: string, which: 'first' | 'last' = 'last'): string | null {
  const found = [...text.matchAll(said)].at(which === 'first' ? 0 : -1)?.groups;
  return found ? plain(found) : null;
}

const composed = (text: string) => text.normalize('NFC');

/** A short answer in lower case, without articles, ASCII punctuation and repeated blanks. */
export function plainWords(text: string): string {
  // The text is composed again (NFC) at the end, because a letter and its accent may become neighbours when a hyphen
  // between them is removed.
  return composed(
    composed(text)
      .toLowerCase()
      .replace(/[!-/:-@[-`{-~]/g, ''),
  )
    .replace(/(?<![\p{L}\p{N}])(?:a|an|the)(?![\p{L}\p{N}])/gu, ' ')
    .split(/\p{White_Space}+/u)
    .filter((word) => word !== '')
    .join(' ');
}

/**
 * Answers that are right only if they match exactly. For example, `yes` followed by further words gets no partial
 * credit for `yes`.
 */
const closed = ['yes', 'no', 'noanswer'];

/** The F1 score of two answers by their common words, in [0, 1]. The score is 1 if both answers are empty. */
export function sharedWords(given: string, right: string): number {
  const plainly = [given, right].map(plainWords) as [string, string];
  if (plainly[0] === plainly[1]) return 1;
  if (plainly.some((answer) => closed.includes(answer))) return 0;
  const [words, wanted] = plainly.map((answer) => answer.split(' ')) as [string[], string[]];
  const left = [...wanted];
  const shared = words.filter((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  }).length;
  return (2 * shared) / (words.length + wanted.length);
}
