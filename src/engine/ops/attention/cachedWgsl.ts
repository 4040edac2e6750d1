// The WGSL programs of attention to a cache of slots during decoding. For one new position per row (a token that is
// being decoded), there is one program: the position's own key stays in registers, and a copy of it is written to the
// cache. For several new positions (a context that is being read), there are two programs: `place` writes rotated heads
// to the cache and to `queries`, and then each query attends only to slots of the cache.
import {
  basics,
  eachValue,
  type HeadKind,
  innerProduct,
  softmaxStart,
  softmaxStep,
  storedAt,
  turn,
} from './headWgsl.ts';
import { groupSize, type Text, type Variant } from '../../webgpu/program/program.ts';

/**
 * The maximum number of values in a head for which the partial results of a workgroup's lanes fit in workgroup memory.
 */
export const largestTeamHead = 16;

/** Positions in arrays, counted in values of type V. */
export const places = `
fn headPlace(row: u32, head: u32) -> u32 { return (row * (sizes.heads + 2u * sizes.keyHeads) + head) * N; }
fn slotPlace(b: u32, slot: u32, g: u32) -> u32 { return ((b * sizes.capacity + slot) * sizes.keyHeads + g) * N; }`;

/** For each head of `qkv`, one thread writes rotated queries to `queries`, or rotated keys or values to their slot. */
export function placeText(kind: HeadKind): Text {
  return {
    functions: basics(kind) + places,
    body: `
  let columns = sizes.heads + 2u * sizes.keyHeads;
  let row = item / columns;
  let head = item % columns;
  let b = row / sizes.steps;
  let slot = u32(state[0]) + row % sizes.steps;
  if (head >= sizes.heads && slot >= sizes.capacity) { return; }
  let origin = item * N;
  ${eachValue(kind, (i) => `let raw${i} = qkv[origin + ${i}u];`)}
  if (head >= sizes.heads + sizes.keyHeads) {
    let to = slotPlace(b, slot, head - sizes.heads - sizes.keyHeads);
    ${eachValue(kind, (i) => `values[to + ${i}u] = raw${i};`)}
    return;
  }
  let angle = u32(positions[row]) * N;
  ${turn(kind, 'raw', 'turned')}
  if (head < sizes.heads) {
    let to = (row * sizes.heads + head) * N;
    ${eachValue(kind, (i) => `queries[to + ${i}u] = turned${i};`)}
    return;
  }
  let to = slotPlace(b, slot, head - sizes.heads);
  ${eachValue(kind, (i) => `keys[to + ${i}u] = turned${i};`)}`,
  };
}

/** WGSL that is true if a query does not see slot j. */
export const isUnseen = ({ isWindowed }: HeadKind) => {
  const isHidden = 'mask[b * sizes.capacity + j] == 0.0';
  return isWindowed ? `(${isHidden} || places[b * sizes.capacity + j] <= lastFar)` : isHidden;
};

/**
 * For each query head, one thread or workgroup computes y. With `isOne`, there is one position per row, whose key and
 * value are not in the cache yet; the first query head of a key head writes them to their slot. With `isNewest`, y is
 * computed only for the last position of each row. Without `isOne`, all queries are in `queries`, and all keys and
 * values are in the slots.
 */
export function attendText(
  kind: HeadKind,
  variant: Variant,
  { isOne, isNewest }: { isOne: boolean; isNewest: boolean },
): Text {
  const isTeam = variant === 'team';
  return {
    functions: basics(kind) + places + (isTeam ? joinText(kind) : ''),
    body: `
  let row = ${isNewest ? '(item / sizes.heads + 1u) * sizes.steps - 1u' : 'item / sizes.heads'};
  let h = item % sizes.heads;
  let b = row / sizes.steps;
  let g = h / (sizes.heads / sizes.keyHeads);
  let own = min(u32(state[0]) + row % sizes.steps, sizes.capacity - 1u);
  ${isOne ? ownPart(kind) : placedPart(kind)}
  ${kind.isWindowed ? 'let lastFar = f32(positions[row]) - f32(sizes.window);' : ''}
  for (var j = lane; j < ${isOne ? 'own' : 'own + 1u'}; j += lanes) {
    if (${isOne ? '' : 'j < own && '}${isUnseen(kind)}) { continue; }
    let at = slotPlace(b, j, g);
    ${softmaxStep(kind, {
      ...{ stride: 1, isSeen: () => 'true' },
      ...{ key: storedAt(kind, 'keys', 'at'), value: storedAt(kind, 'values', 'at') },
    })}
  }
  ${isTeam ? joinCall(kind) : ''}
  if (lane == 0u) { ${eachValue(kind, (i) => `y[item * N + ${i}u] = mix${i} / sum;`)} }`,
  };
}

// Only lane 0 processes the key and value of the new position itself.
const ownPart = (kind: HeadKind) => `
  let angle = u32(positions[row]) * N;
  let queryAt = headPlace(row, h);
  let keyAt = headPlace(row, sizes.heads + g);
  let valueAt = headPlace(row, sizes.heads + sizes.keyHeads + g);
  ${eachValue(kind, (i) => `let raw${i} = qkv[queryAt + ${i}u] * scale;\n    let rawKey${i} = qkv[keyAt + ${i}u];`)}
  ${turn(kind, 'raw', 'query')}
  ${turn(kind, 'rawKey', 'key')}
  ${softmaxStart(kind)}
  if (lane == 0u) {
    let slot = slotPlace(b, own, g);
    let isFirst = h % (sizes.heads / sizes.keyHeads) == 0u && u32(state[0]) < sizes.capacity;
    top = ${innerProduct(kind, 'query', (i) => `key${i}`)};
    sum = 1.0;
    ${eachValue(kind, (i) => `mix${i} = qkv[valueAt + ${i}u];`)}
    if (isFirst) {
      ${eachValue(kind, (i) => `keys[slot + ${i}u] = key${i};\n    values[slot + ${i}u] = mix${i};`)}
    }
  }`;

const placedPart = (kind: HeadKind) => `
  ${eachValue(kind, (i) => `let query${i} = queries[(row * sizes.heads + h) * N + ${i}u] * scale;`)}
  ${softmaxStart(kind)}`;

// Combines the softmax sums of all lanes, after scaling them to the largest score of all lanes. In each round, the
// upper half of the remaining lanes passes its registers to the lower half.
const joinText = ({ count }: HeadKind) => `
var<workgroup> tops: array<f32, ${groupSize}>;
var<workgroup> sums: array<f32, ${groupSize / 2}>;
var<workgroup> mixes: array<V, ${(groupSize / 2) * count}>;
fn largest(top: f32, lane: u32) -> f32 {
  tops[lane] = top;
  workgroupBarrier();
  var all = top;
  for (var other = 0u; other < ${groupSize}u; other++) { all = max(all, tops[other]); }
  return all;
}`;

const joinCall = (kind: HeadKind) => `
  let factor = exp(top - largest(top, lane));
  sum *= factor;
  ${eachValue(kind, (i) => `mix${i} *= factor;`)}
  for (var width = ${groupSize / 2}u; width > 0u; width = width / 2u) {
    if (lane >= width && lane < 2u * width) {
      sums[lane - width] = sum;
      ${eachValue(kind, (i) => `mixes[(lane - width) * N + ${i}u] = mix${i};`)}
    }
    workgroupBarrier();
    if (lane < width) {
      sum += sums[lane];
      ${eachValue(kind, (i) => `mix${i} += mixes[lane * N + ${i}u];`)}
    }
    workgroupBarrier();
  }`;
