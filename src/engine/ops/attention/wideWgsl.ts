// The WGSL programs of attention with large heads, whose numbers do not fit in the registers of one thread, as in Gemma
// 3. A workgroup processes one query (or key) of a head at a time. For each tile of 64 keys, each lane first computes
// the score of one key, and then each lane adds one value of all 64 keys to its own value of the result. Heads have at
// most one value for each lane. The saved matrix `packed` and the order of sums are the same as in the programs for
// which one thread computes a query.
import { groupSize, reductions, type Text } from '../../webgpu/program/program.ts';
import { isHidden, isNear, places, queryPlace } from './causalWgsl.ts';
import { isUnseen, places as slotPlaces } from './cachedWgsl.ts';
import { basics, type HeadKind } from './headWgsl.ts';

/** WGSL of a head in workgroup memory, and of its inner product with the values at a place of an array. */
const held = (name: string) => `
var<workgroup> ${name}: array<V, N>;`;
const along = (name: string, array: string) => `
fn ${name}On${array}(place: u32) -> f32 {
  var sum = 0.0;
  for (var i = 0u; i < N; i++) { sum += inner(${name}[i], ${array}[place + i]); }
  return sum;
}`;
const weights = (name: string) => `
var<workgroup> ${name}: array<f32, ${groupSize}>;`;

/** WGSL of a function that returns value i of the head at `place` in qkv after rotation by the angles at `angle`. */
const turnedAt = `
fn turnedAt(place: u32, angle: u32, i: u32) -> V {
  let isFirst = i < N / 2u;
  let other = qkv[place + select(i - N / 2u, i + N / 2u, isFirst)];
  return qkv[place + i] * cosines[angle + i] + select(other, -other, isFirst) * sines[angle + i];
}`;

/** WGSL of the value of the lane after the head in `mixes` has been rotated back. */
const turnedBack = `
fn turnedBack(angle: u32, i: u32) -> V {
  let isFirst = i < N / 2u;
  let other = mixes[select(i - N / 2u, i + N / 2u, isFirst)];
  return mixes[i] * cosines[angle + i] - select(other, -other, isFirst) * sines[angle + i];
}`;

/** For each value of each head of `qkv`, one thread rotates it if it is part of a query or key, or copies it. */
export function widePackText(kind: HeadKind): Text {
  return {
    functions: basics(kind) + places + turnedAt,
    body: `
  let i = item % N;
  let row = item / N / columns();
  let head = item / N % columns();
  let origin = headPlace(row, head);
  let to = packedPlace(row, head) + i;
  if (head >= sizes.heads + sizes.keyHeads) { packed[to] = qkv[origin + i]; return; }
  packed[to] = turnedAt(origin, anglePlace(row), i);`,
  };
}

/** The same for a chunk of context, whose keys and values are written to their slots. */
export function widePlaceText(kind: HeadKind): Text {
  return {
    functions: basics(kind) + slotPlaces + turnedAt,
    body: `
  let columns = sizes.heads + 2u * sizes.keyHeads;
  let i = item % N;
  let row = item / N / columns;
  let head = item / N % columns;
  let origin = headPlace(row, head);
  let b = row / sizes.steps;
  let slot = u32(state[0]) + row % sizes.steps;
  if (head >= sizes.heads && slot >= sizes.capacity) { return; }
  if (head >= sizes.heads + sizes.keyHeads) {
    values[slotPlace(b, slot, head - sizes.heads - sizes.keyHeads) + i] = qkv[origin + i];
    return;
  }
  let turned = turnedAt(origin, u32(positions[row]) * N, i);
  if (head < sizes.heads) { queries[(row * sizes.heads + head) * N + i] = turned; return; }
  keys[slotPlace(b, slot, head - sizes.heads) + i] = turned;`,
  };
}

/** The keys of a query, which are numbered from 0. */
interface WideKeys {
  /** WGSL of the number of the first and of the last key. */
  first: string;
  last: string;
  /** WGSL that is true if the query sees key `j`, which is not after `last`. */
  isSeen: string;
  /** WGSL of the places of key j and of its value. */
  key: (j: string) => string;
  value: (j: string) => string;
  keys: string;
  values: string;
}

/** WGSL of a softmax over the keys of the query in `query`: `top`, `sum` and, in each lane, its value `mix`. */
const softmax = ({ first, last, isSeen, key, value, keys, values }: WideKeys) => `
  workgroupBarrier();
  var top = -1e30;
  var sum = 0.0;
  var mix = V();
  for (var start = ${first}; start <= ${last}; start += ${groupSize}u) {
    let j = start + lane;
    var score = -1e30;
    var isSeen = false;
    if (j <= ${last}) { isSeen = ${isSeen}; }
    if (isSeen) { score = queryOn${keys}(${key('j')}); }
    let newTop = max(top, most(score, lane));
    let keep = exp(top - newTop);
    let share = select(0.0, exp(score - newTop), isSeen);
    sum = sum * keep + total(share, lane);
    top = newTop;
    mix *= keep;
    shares[lane] = share;
    workgroupBarrier();
    if (lane < N) {
      let count = min(${groupSize}u, ${last} + 1u - start);
      for (var t = 0u; t < count; t++) { mix += shares[t] * ${values}[${value('start + t')} + lane]; }
    }
    workgroupBarrier();
  }`;

/** For each query head, one workgroup computes y. All queries are in `queries`, all keys and values in the slots. */
export function wideAttendText(kind: HeadKind, isNewest: boolean): Text {
  const place = (j: string) => `slotPlace(b, ${j}, g)`;
  const seen = `j == own || !(${isUnseen(kind)})`;
  return {
    functions: [
      basics(kind),
      slotPlaces,
      reductions('team'),
      held('query'),
      weights('shares'),
      along('query', 'keys'),
    ].join('\n'),
    body: `
  let row = ${isNewest ? '(item / sizes.heads + 1u) * sizes.steps - 1u' : 'item / sizes.heads'};
  let h = item % sizes.heads;
  let b = row / sizes.steps;
  let g = h / (sizes.heads / sizes.keyHeads);
  let own = min(u32(state[0]) + row % sizes.steps, sizes.capacity - 1u);
  ${kind.isWindowed ? 'let lastFar = f32(positions[row]) - f32(sizes.window);' : ''}
  if (lane < N) { query[lane] = queries[(row * sizes.heads + h) * N + lane] * scale; }
  ${softmax({ first: '0u', last: 'own', isSeen: seen, key: place, value: place, keys: 'keys', values: 'values' })}
  if (lane < N) { y[item * N + lane] = mix / sum; }`,
  };
}

const packedKey = (j: string) => `packedPlace(row - s + ${j}, sizes.heads + g)`;
const packedValue = (j: string) => `packedPlace(row - s + ${j}, sizes.heads + sizes.keyHeads + g)`;
/** The keys of a query in `packed`. Tiles begin with the first key in the window. */
const packedKeys = (kind: HeadKind): WideKeys => ({
  first: kind.isWindowed ? '(max(s + 1u, sizes.window) - sizes.window)' : '0u',
  last: 's',
  isSeen: `j == s || (j < s${isNear(kind, 's', 'j')} && !isHidden(row - s + j))`,
  ...{ key: packedKey, value: packedValue, keys: 'packed', values: 'packed' },
});

/** For each query head, one workgroup reads `packed`, and writes y and the logarithm of the softmax sum. */
export function wideForward(kind: HeadKind): Text {
  return {
    functions: [
      ...[basics(kind), places, isHidden, reductions('team'), held('query')],
      ...[weights('shares'), along('query', 'packed')],
    ].join('\n'),
    body: `
  ${queryPlace}
  if (lane < N) { query[lane] = packed[packedPlace(row, h) + lane] * scale; }
  ${softmax(packedKeys(kind))}
  if (lane < N) { y[item * N + lane] = mix / sum; }
  if (lane == 0u) { packed[knownPlace(row, h)] = V(top + log(sum)); }`,
  };
}

/** For each query head, one workgroup writes its columns of dqkv, and the sum dy·y to `pulls`. */
export function wideQueryGradient(kind: HeadKind): Text {
  const { first, last, isSeen } = packedKeys(kind);
  return {
    functions: [
      ...[basics(kind), places, isHidden, reductions('team'), held('query'), held('grad'), held('mixes')],
      ...[weights('slopes'), along('query', 'packed'), along('grad', 'packed'), turnedBack],
    ].join('\n'),
    body: `
  ${queryPlace}
  var product = 0.0;
  if (lane < N) {
    query[lane] = packed[packedPlace(row, h) + lane] * scale;
    grad[lane] = dy[item * N + lane];
    product = inner(grad[lane], y[item * N + lane]);
  }
  let pull = total(product, lane);
  if (lane == 0u) { pulls[item] = pull; }
  let logSum = packed[knownPlace(row, h)].x;
  var mix = V();
  for (var start = ${first}; start <= ${last}; start += ${groupSize}u) {
    let j = start + lane;
    var slope = 0.0;
    if (j <= ${last}) {
      if (${isSeen}) {
        slope = exp(queryOnpacked(${packedKey('j')}) - logSum) * (gradOnpacked(${packedValue('j')}) - pull) * scale;
      }
    }
    slopes[lane] = slope;
    workgroupBarrier();
    if (lane < N) {
      let count = min(${groupSize}u, ${last} + 1u - start);
      for (var t = 0u; t < count; t++) { mix += slopes[t] * packed[${packedKey('start + t')} + lane]; }
    }
    workgroupBarrier();
  }
  if (lane < N) { mixes[lane] = mix; }
  workgroupBarrier();
  if (lane < N) { dqkv[headPlace(row, h) + lane] = turnedBack(anglePlace(row), lane); }`,
  };
}

/** For each key head, one workgroup reads `pulls` and writes the gradients of the key and its value to dqkv. */
export function wideKeyGradient(kind: HeadKind): Text {
  const last = 'select(sizes.steps - j, 1u, isHidden(row))';
  return {
    functions: [
      ...[basics(kind), places, isHidden, held('key'), held('value'), held('mixes'), weights('shares')],
      ...[weights('slopes'), along('key', 'packed'), along('value', 'dy'), turnedBack],
    ].join('\n'),
    body: `
  let row = item / sizes.keyHeads;
  let g = item % sizes.keyHeads;
  let j = row % sizes.steps;
  let share = sizes.heads / sizes.keyHeads;
  if (lane < N) {
    key[lane] = packed[packedPlace(row, sizes.heads + g) + lane] * scale;
    value[lane] = packed[packedPlace(row, sizes.heads + sizes.keyHeads + g) + lane];
  }
  workgroupBarrier();
  let count = ${kind.isWindowed ? `min(sizes.window, ${last})` : last} * share;
  var mix = V();
  var other = V();
  for (var start = 0u; start < count; start += ${groupSize}u) {
    let n = start + lane;
    var p = 0.0;
    var slope = 0.0;
    if (n < count) {
      let at = row + n / share;
      let h = g * share + n % share;
      let source = at * sizes.heads + h;
      p = exp(keyOnpacked(packedPlace(at, h)) - packed[knownPlace(at, h)].x);
      slope = p * (valueOndy(source * N) - pulls[source]) * scale;
    }
    shares[lane] = p;
    slopes[lane] = slope;
    workgroupBarrier();
    if (lane < N) {
      for (var t = 0u; t < min(${groupSize}u, count - start); t++) {
        let at = row + (start + t) / share;
        let h = g * share + (start + t) % share;
        mix += slopes[t] * packed[packedPlace(at, h) + lane];
        other += shares[t] * dy[(at * sizes.heads + h) * N + lane];
      }
    }
    workgroupBarrier();
  }
  if (lane < N) { mixes[lane] = mix; }
  workgroupBarrier();
  if (lane < N) {
    dqkv[headPlace(row, sizes.heads + g) + lane] = turnedBack(anglePlace(row), lane);
    dqkv[headPlace(row, sizes.heads + sizes.keyHeads + g) + lane] = other;
  }`,
  };
}
