// Defines how a program reads a frozen matrix W: `wQuad(line, quad)` returns four consecutive numbers of a row. Stored
// blocks begin at multiples of two bytes, so their offsets are counted in half words of 16 bits.
import type { FrozenFormat } from './frozenMatrix.ts';

/** The format of a matrix in a program: float32, or a format of GGUF files. */
export type WeightFormat = 'f32' | FrozenFormat;

/** The number of half words (16 bits) in a block of 32 numbers. */
export const blockHalves: Record<FrozenFormat, number> = { f16: 32, q8_0: 17, q4_0: 9, q4_1: 10 };

const half = `
fn half(at: u32) -> f32 {
  let pair = unpack2x16float(w[at >> 1u]);
  return select(pair.x, pair.y, (at & 1u) == 1u);
}`;

// Reads 32 bits that begin at any half word. If the index of this half word is odd, the 32 bits are spread over two
// stored words. Two stored words are always read, because a branch would take more time.
const word = `
fn word(at: u32) -> u32 {
  let i = at >> 1u;
  return select(w[i], (w[i] >> 16u) | (w[i + 1u] << 16u), (at & 1u) == 1u);
}`;

const bytes = 'vec4<f32>(vec4<i32>(vec4<u32>(bits) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u))';
const nibbles = '(vec4<u32>(bits) >> (vec4<u32>(0u, 8u, 16u, 24u) + (g >> 2u) * 4u)) & vec4<u32>(15u)';

/**
 * WGSL of two functions: `scaleOf` returns the scale and the minimum of the block that begins at a half word, and
 * `quad` returns the four numbers with index g of this block before scaling.
 */
const formats: Record<FrozenFormat, string> = {
  f16: `
fn scaleOf(at: u32) -> vec2<f32> { return vec2<f32>(1.0, 0.0); }
fn quad(at: u32, g: u32) -> vec4<f32> {
  let i = (at >> 1u) + 2u * g;
  return vec4<f32>(unpack2x16float(w[i]), unpack2x16float(w[i + 1u]));
}`,
  q8_0: `${half}${word}
fn scaleOf(at: u32) -> vec2<f32> { return vec2<f32>(half(at), 0.0); }
fn quad(at: u32, g: u32) -> vec4<f32> {
  let bits = word(at + 1u + 2u * g);
  return ${bytes};
}`,
  q4_0: `${half}${word}
fn scaleOf(at: u32) -> vec2<f32> { return vec2<f32>(half(at), 0.0); }
fn quad(at: u32, g: u32) -> vec4<f32> {
  let bits = word(at + 1u + 2u * (g & 3u));
  return vec4<f32>(${nibbles}) - 8.0;
}`,
  q4_1: `
fn scaleOf(at: u32) -> vec2<f32> { return unpack2x16float(w[at >> 1u]); }
fn quad(at: u32, g: u32) -> vec4<f32> {
  let bits = w[(at >> 1u) + 1u + (g & 3u)];
  return vec4<f32>(${nibbles});
}`,
};

/**
 * WGSL of `wQuad`. The function reads W from `w`, an array of quads for f32 and otherwise of words. It also reads
 * `sizes.start`, the offset at which the first bound row starts (in quads or half words), and `sizes.columns`. The
 * function `quad(at, g)` reads from a block whose offset and scale are already known, and does not need these sizes.
 */
export function weightText(format: WeightFormat): string {
  if (format === 'f32')
    return `
fn wQuad(line: u32, quad: u32) -> vec4<f32> { return w[sizes.start + line * (sizes.columns / 4u) + quad]; }`;
  return `${formats[format]}
fn blockAt(line: u32, quad: u32) -> u32 {
  return sizes.start + (line * (sizes.columns / 32u) + (quad >> 3u)) * ${blockHalves[format]}u;
}
fn wQuad(line: u32, i: u32) -> vec4<f32> {
  let at = blockAt(line, i);
  let scale = scaleOf(at);
  return quad(at, i & 7u) * scale.x + scale.y;
}`;
}
