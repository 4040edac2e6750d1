// Describes which tokens share a ratio, as rows of numbers that a kernel can read. One row lists the tokens of all
// spans, one span after another. Two more rows state, for each token, where its span begins in that list and how long
// the span is. All tokens of a span read the same list in the same order, so they compute exactly the same ratio and
// are clipped together.

/** The rows that `spanLayout` creates, [N] each. */
export const spanFacts = ['spanTokens', 'spanStart', 'spanLength'] as const;

/**
 * Builds the rows for spans, each of which may consist of any tokens. All numbers are integers, which float32
 * represents exactly up to 2²⁴.
 * @param ids [N] the span of each token, −1 = none
 * @param lengths of each span, in tokens
 * @returns `spanTokens` [N], filled with 0 after the last span; `spanStart` and `spanLength` [N], 0 for tokens in no
 * span
 */
export function spanLayout(
  ids: ArrayLike<number>,
  lengths: readonly number[],
): Record<(typeof spanFacts)[number], Float32Array> {
  const starts: number[] = [];
  let end = 0;
  for (const length of lengths) {
    starts.push(end);
    end += length;
  }
  const count = ids.length;
  const [spanTokens, spanStart, spanLength] = [0, 1, 2].map(() => new Float32Array(count)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const next = [...starts];
  for (let token = 0; token < count; token++) {
    const span = ids[token] as number;
    if (span < 0) continue;
    const place = next[span] as number;
    next[span] = place + 1;
    spanTokens[place] = token;
    spanStart[token] = starts[span] as number;
    spanLength[token] = lengths[span] as number;
  }
  return { spanTokens, spanStart, spanLength };
}
