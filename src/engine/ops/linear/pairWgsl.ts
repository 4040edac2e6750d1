// A separate program for the narrow product of a low-rank pair, which later products need: x·Aᵀ [N, r] in the forward
// pass, and dy·B in the backward pass. In the backward pass it also computes the gradient of B: dB[o, q] = s·Σ dy[n,
// o]·narrow[n, q]. A work item is a tile of four rows (for dB, of four lines). The threads of a workgroup divide its
// sum among themselves.
import { reductions, type Text, type Variant } from '../../webgpu/program/program.ts';
import { aText, bText, type PassDirection, each, fromText, lengths, narrowW, step, sums } from './productWgsl.ts';

const ofB = (isQuads: boolean) => `
fn ofB(item: u32, lane: u32) {
  let o = item / sizes.quads;
  let q = item % sizes.quads;
  ${each(4, (line) => `var sum${line} = vec4<f32>();`)}
  for (var n = lane; n < sizes.rows; n += lanes) {
    let g = given[n * (sizes.lines / 4u) + o];
    let thin = kept[n * sizes.quads + q];
    ${each(4, (line) => `sum${line} += g.${'xyzw'.charAt(line)} * thin;`)}
  }
  ${each(4, (line) => `let all${line} = total(sum${line}, lane) * sizes.scale;`)}
  if (lane > 0u) { return; }
  ${each(4, (line) =>
    isQuads
      ? `db[(4u * o + ${line}u) * sizes.quads + q] = all${line};`
      : each(
          4,
          (i) =>
            `if (4u * q + ${i}u < sizes.rank) { db[(4u * o + ${line}u) * sizes.rank + 4u * q + ${i}u] = all${line}.${'xyzw'.charAt(i)}; }`,
        ),
  )}
}`;

export function narrowText(variant: Variant, direction: PassDirection, isQuadB: boolean): Text {
  const isForward = direction === 'forward';
  return {
    functions: `${reductions(variant, 'vec4<f32>')}
${isForward ? aText : bText(isQuadB) + ofB(isQuadB)}
${fromText({ direction, isOdd: false })}
fn ofNarrow(item: u32, lane: u32) {
  let inner = ${lengths({ direction }).inner};
  let q = item % sizes.quads;
  let first = item / sizes.quads * 4u;
  ${each(4, (r) => `let row${r} = min(first + ${r}u, sizes.rows - 1u);`)}
  ${sums(4, 1)}
  for (var i = lane; i < inner; i += lanes) {
    ${step({ direction, rows: 4, quads: 1, x: (r) => `xQuad(row${r}, i)`, w: narrowW(direction, () => 'q', 'i') })}
  }
  ${each(4, (r) => `let all${r} = total(sum${r}_0, lane);`)}
  if (lane > 0u) { return; }
  ${each(4, (r) => `if (first + ${r}u < sizes.rows) { narrow[(first + ${r}u) * sizes.quads + q] = all${r}; }`)}
}`,
    body: isForward
      ? 'ofNarrow(item, lane);'
      : 'if (item < sizes.tiles) { ofNarrow(item, lane); } else { ofB(item - sizes.tiles, lane); }',
  };
}
