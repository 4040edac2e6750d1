// Answers in the form in which they are compared, as the published data sets compare them: numbers by their value (GSM8K),
// short answers without case, articles and punctuation, exactly or by the words that they share (SQuAD, HotpotQA).

/** The last number that a text holds, written plainly: `1,200.50` is `1200.5`. Null where there is none. */
export function numberIn(text: string): string | null {
  const last = text.match(/-?(?:\d[\d,]*(?:\.\d+)?|\.\d+)/g)?.at(-1);
  if (last === undefined) return null;
  const value = Number(last.replaceAll(',', ''));
  // −0 is 0, and what no number holds stays as it is written.
  return Number.isFinite(value) ? `${value + 0}` : last;
}

/** A short answer without case, articles, punctuation and surplus blanks. */
export function plainWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s]/gu, '')
    .replace(/\b(?:a|an|the)\b/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '')
    .join(' ');
}

/** F1 of the words that two answers share, in [0, 1]; 1 where both have none. */
export function sharedWords(given: string, right: string): number {
  const [said, wanted] = [given, right].map((text) => plainWords(text).split(' ')) as [string[], string[]];
  const left = [...wanted];
  const shared = said.filter((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  }).length;
  return (2 * shared) / (said.length + wanted.length);
}
