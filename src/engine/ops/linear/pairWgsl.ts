// The gradients of a low-rank pair in one program, from the narrow products of both ways:
//   dA[q, i] = s·Σ dNarrow[n, q]·x[n, i]      dB[o, q] = s·Σ dy[n, o]·narrow[n, q]
// An item is a tile of four lines; the lanes of a team share the rows n.
import { reductions, type Text, type Variant } from '../../webgpu/program/program.ts';

/** Quads of columns that a tile of dA has: a software adapter wants larger ones, where they fit. */
export const pairTile = (variant: Variant, across: number): 1 | 2 => (variant === 'solo' && across % 2 === 0 ? 2 : 1);

const four = (text: (i: number) => string, by = '\n    ') => [0, 1, 2, 3].map(text).join(by);
const letter = (i: number) => 'xyzw'.charAt(i);

export function pairGradText(variant: Variant, { tile, isQuads }: { tile: 1 | 2; isQuads: boolean }): Text {
  const columns = Array.from({ length: tile }, (_, c) => c);
  const cells = (text: (line: number, c: number) => string) =>
    four((line) => columns.map((c) => text(line, c)).join('\n    '));
  const putB = (line: number) =>
    isQuads
      ? `db[(4u * o + ${line}u) * sizes.quads + q] = all${line};`
      : four((i) => `if (4u * q + ${i}u < sizes.rank) { db[(4u * o + ${line}u) * sizes.rank + 4u * q + ${i}u] = all${line}.${letter(i)}; }`); // prettier-ignore
  return {
    functions: `${reductions(variant, 'vec4<f32>')}
fn ofA(item: u32, lane: u32) {
  let tiles = sizes.across / ${tile}u;
  let q = item / tiles;
  let column = item % tiles * ${tile}u;
  ${cells((line, c) => `var sum${line}_${c} = vec4<f32>();`)}
  for (var n = lane; n < sizes.rows; n += lanes) {
    let g = dNarrow[n * sizes.quads + q];
    ${columns.map((c) => `let x${c} = x[n * sizes.across + column + ${c}u];`).join('\n    ')}
    ${cells((line, c) => `sum${line}_${c} += g.${letter(line)} * x${c};`)}
  }
  ${cells((line, c) => `let all${line}_${c} = total(sum${line}_${c}, lane) * sizes.scale;`)}
  if (lane == 0u) {
    ${cells((line, c) => `if (4u * q + ${line}u < sizes.rank) { da[(4u * q + ${line}u) * sizes.across + column + ${c}u] = all${line}_${c}; }`)}
  }
}
fn ofB(item: u32, lane: u32) {
  let o = item / sizes.quads;
  let q = item % sizes.quads;
  ${four((line) => `var sum${line} = vec4<f32>();`)}
  for (var n = lane; n < sizes.rows; n += lanes) {
    let g = dy[n * sizes.outs + o];
    let thin = narrow[n * sizes.quads + q];
    ${four((line) => `sum${line} += g.${letter(line)} * thin;`)}
  }
  ${four((line) => `let all${line} = total(sum${line}, lane) * sizes.scale;`)}
  if (lane == 0u) {
    ${four(putB)}
  }
}`,
    body: 'if (item < sizes.aTiles) { ofA(item, lane); } else { ofB(item - sizes.aTiles, lane); }',
  };
}
