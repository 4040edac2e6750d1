// What stands in a text of the message files beside plain words: `**strong**`, `` `code` `` and `[[word|term]]`, a word that
// opens what `term.TERM` says of it.
export type RichPart =
  { kind: 'plain' | 'strong' | 'code'; text: string } | { kind: 'term'; text: string; term: string };

const marked = /\*\*([^*]+)\*\*|`([^`]+)`|\[\[([^|\]]+)\|(\w+)\]\]/g;

/** The parts of a text, in order. */
export function richParts(text: string): RichPart[] {
  const parts: RichPart[] = [];
  const plain = (from: number, to: number) => {
    if (to > from) parts.push({ kind: 'plain', text: text.slice(from, to) });
  };
  let end = 0;
  for (const { index, 0: whole, 1: strong, 2: code, 3: word, 4: term } of text.matchAll(marked)) {
    plain(end, index);
    if (word !== undefined && term !== undefined) parts.push({ kind: 'term', text: word, term });
    else parts.push(strong === undefined ? { kind: 'code', text: code ?? '' } : { kind: 'strong', text: strong });
    end = index + whole.length;
  }
  plain(end, text.length);
  return parts;
}
