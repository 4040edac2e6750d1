// Finds a text in the turns of a dialogue. A match may begin in one token and end in another.

/** A match: the turn, and the first character of the match and the first one after it, in UTF-16 code units. */
export interface Match {
  turn: number;
  from: number;
  to: number;
}

/** A part of a token. `match` is the index of the match to which the part belongs; null outside of matches. */
export interface Part {
  text: string;
  match: number | null;
}

const alike: Readonly<Record<string, string>> = { '’': "'", '‘': "'", '“': '"', '”': '"' };

/**
 * The text without differences that do not count: of case, between kinds of white space, and between kinds of quotation
 * marks. Each code unit is replaced by one code unit, so that places in the result are places in the text.
 */
function folded(text: string): string {
  return text.replace(/[\s\S]/g, (unit) => {
    if (/\s/.test(unit)) return ' ';
    const lower = unit.toLowerCase();
    return alike[unit] ?? (lower.length === 1 ? lower : unit);
  });
}

/** All matches in order, without overlaps. A query without visible characters has no matches. */
export function findAll(texts: readonly string[], query: string): Match[] {
  const wanted = folded(query);
  if (wanted.trim() === '') return [];
  return texts.flatMap((text, turn) => {
    const found: Match[] = [];
    const where = folded(text);
    for (let from = where.indexOf(wanted); from >= 0; from = where.indexOf(wanted, from + wanted.length))
      found.push({ turn, from, to: from + wanted.length });
    return found;
  });
}

/** Splits the tokens of turn number `turn` where a match begins or ends. The parts of a token together are the token. */
export function partsOf(tokens: readonly string[], turn: number, matches: readonly Match[]): Part[][] {
  const own = matches.flatMap((match, i) => (match.turn === turn ? [{ ...match, i }] : []));
  let start = 0;
  return tokens.map((token) => {
    const end = start + token.length;
    const parts: Part[] = [];
    let at = start;
    const add = (to: number, match: number | null) => {
      if (to > at) parts.push({ text: token.slice(at - start, to - start), match });
      at = Math.max(at, to);
    };
    for (const { from, to, i } of own) {
      if (to <= start || from >= end) continue;
      add(from, null);
      add(Math.min(to, end), i);
    }
    add(end, null);
    start = end;
    return parts;
  });
}
