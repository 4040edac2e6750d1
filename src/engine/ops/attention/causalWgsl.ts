// The WGSL programs of attention over whole rows for training. Rows of `qkv` contain the heads of queries, keys and
// values, which are not yet rotated. For software adapters, a first program writes all rotated heads to `packed`, and
// then one thread computes each query head. For graphics processors, a workgroup computes 64 queries; it rotates the
// keys that it needs when it loads them into shared memory.
import { groupSize, type Text } from '../../webgpu/program/program.ts';
import { basics, eachValue, type HeadKind, type Keys, softmaxStart, softmaxStep, storedAt, turn } from './headWgsl.ts';

/**
 * The number of keys that a lane of a workgroup processes at once. With several keys, the waiting time for one is used
 * to compute the others. For large heads the number is smaller, because they need more registers.
 */
const strideOf = ({ count }: HeadKind) => (count <= 4 ? 4 : count <= 8 ? 2 : 1);

/**
 * The number of keys (or queries) that a workgroup keeps in shared memory. Keys and values (or queries and dy) together
 * occupy at most 8 kB, and the number is a multiple of the stride.
 */
export function tileOf(kind: HeadKind): number {
  const [room, stride] = [kind.type === 'f32' ? 1024 : 256, strideOf(kind)];
  return Math.min(groupSize, Math.floor(room / kind.count / stride) * stride);
}

/**
 * Positions in arrays, counted in values of type V. A row of `packed` is a row of `qkv` followed by one value for each
 * query head, the logarithm of its softmax sum.
 */
export const places = `
fn columns() -> u32 { return sizes.heads + 2u * sizes.keyHeads; }
fn headPlace(row: u32, head: u32) -> u32 { return (row * columns() + head) * N; }
fn packedPlace(row: u32, head: u32) -> u32 { return row * (columns() * N + sizes.heads) + head * N; }
fn knownPlace(row: u32, head: u32) -> u32 { return packedPlace(row, columns()) + head; }
fn anglePlace(row: u32) -> u32 { return row % sizes.tableRows * N; }`;

/** WGSL of a function that returns whether the mask hides a key from all other positions. */
export const isHidden = `
fn isHidden(row: u32) -> bool { return sizes.isMasked == 1u && keyMask[row] == 0.0; }`;

/**
 * Computes for thread `item`: its `row`, with the batch entry `b` and the step `s` of this row; its query head `h`; and
 * the key head `g` of that query head.
 */
export const queryPlace = `
  let row = item / sizes.heads;
  let h = item % sizes.heads;
  let b = row / sizes.steps;
  let s = row % sizes.steps;
  let g = h / (sizes.heads / sizes.keyHeads);`;

/** For each head of `qkv`, one thread rotates it if it is a query or key, or copies it if it is a value. */
export function packText(kind: HeadKind): Text {
  return {
    functions: basics(kind) + places,
    body: `
  let row = item / columns();
  let head = item % columns();
  let origin = headPlace(row, head);
  let to = packedPlace(row, head);
  let angle = anglePlace(row);
  ${eachValue(kind, (i) => `let raw${i} = qkv[origin + ${i}u];`)}
  if (head >= sizes.heads + sizes.keyHeads) {
    ${eachValue(kind, (i) => `packed[to + ${i}u] = raw${i};`)}
    return;
  }
  ${turn(kind, 'raw', 'turned')}
  ${eachValue(kind, (i) => `packed[to + ${i}u] = turned${i};`)}`,
  };
}

/** WGSL of the first step that a query at step `s` sees in a window. */
const firstSeen = (s: string) => `(max(${s} + 1u, sizes.window) - sizes.window)`;

/** WGSL that is true if a key at step `key`, which is before step `query`, is in the window of that step. */
export const isNear = ({ isWindowed }: HeadKind, query: string, key: string) =>
  isWindowed ? ` && ${query} - (${key}) < sizes.window` : '';

/**
 * WGSL of a loop over the keys that a query sees. The thread of the query head reads one key per step from `packed`.
 */
export const eachSoloKey = (kind: HeadKind, step: (kind: HeadKind, keys: Keys) => string) => `
  for (var j = ${kind.isWindowed ? firstSeen('s') : '0u'}; j <= s; j++) {
    let keyRow = b * sizes.steps + j;
    if (j < s && isHidden(keyRow)) { continue; }
    let key = packedPlace(keyRow, sizes.heads + g);
    let value = packedPlace(keyRow, sizes.heads + sizes.keyHeads + g);
    ${step(kind, {
      ...{ stride: 1, isSeen: () => 'true' },
      ...{ key: storedAt(kind, 'packed', 'key'), value: storedAt(kind, 'packed', 'value') },
    })}
  }`;

/** For each query head, one thread reads `packed`, and writes y and the logarithm of the softmax sum. */
export function soloForward(kind: HeadKind): Text {
  return {
    functions: basics(kind) + places + isHidden,
    body: `
  ${queryPlace}
  let own = packedPlace(row, h);
  ${eachValue(kind, (i) => `let query${i} = packed[own + ${i}u] * scale;`)}
  ${softmaxStart(kind)}
  ${eachSoloKey(kind, softmaxStep)}
  ${eachValue(kind, (i) => `y[item * N + ${i}u] = mix${i} / sum;`)}
  packed[knownPlace(row, h)] = V(top + log(sum));`,
  };
}

/**
 * Computes for workgroup `team`: its batch entry `b`, its key head `g`, and `tile`, the number of its first query (or
 * key). `own` is the number of queries of the key head.
 */
export const teamPlace = (inTeam: string) => `
  let share = sizes.heads / sizes.keyHeads;
  let own = share * sizes.steps;
  let teams = (${inTeam} + ${groupSize - 1}u) / ${groupSize}u;
  let tile = team % teams * ${groupSize}u;
  let g = team / teams % sizes.keyHeads;
  let b = team / (teams * sizes.keyHeads);`;

/**
 * The step and the query head of query `n` of a key head. Queries are ordered by step, so that those of one workgroup
 * see about the same keys.
 */
export const nthQuery = (n: string) => `
  let s = ${n} / share;
  let h = g * share + ${n} % share;
  let row = b * sizes.steps + s;`;

/**
 * The WGSL function `turnedAt` returns value i of the head at `place` after rotation. The lanes that load a tile divide
 * the values among themselves.
 */
const turnedAt = ({ type, count, size }: HeadKind) =>
  type === 'f32' || size % 8 === 0
    ? `
fn turnedAt(place: u32, angle: u32, i: u32) -> V {
  let isFirst = i < ${count / 2}u;
  let other = qkv[place + select(i - ${count / 2}u, i + ${count / 2}u, isFirst)];
  return qkv[place + i] * cosines[angle + i] + select(other, -other, isFirst) * sines[angle + i];
}`
    : `
fn partner(place: u32, d: u32) -> f32 {
  let isFirst = d < ${size / 2}u;
  let at = select(d - ${size / 2}u, d + ${size / 2}u, isFirst);
  let x = qkv[place + at / 4u][at % 4u];
  return select(x, -x, isFirst);
}
fn turnedAt(place: u32, angle: u32, i: u32) -> V {
  let d = 4u * i;
  let other = V(partner(place, d), partner(place, d + 1u), partner(place, d + 2u), partner(place, d + 3u));
  return qkv[place + i] * cosines[angle + i] + other * sines[angle + i];
}`;

export const sharedTiles = (kind: HeadKind) => `${turnedAt(kind)}
var<workgroup> first: array<V, ${tileOf(kind) * kind.count}>;
var<workgroup> second: array<V, ${tileOf(kind) * kind.count}>;`;

/** Finds the query of lane `lane` in workgroup `team`, and sets its `query` registers, rotated and scaled. */
export const teamQuery = (kind: HeadKind) => `
  ${teamPlace('own')}
  let n = min(tile + lane, own - 1u);
  ${nthQuery('n')}
  let mine = headPlace(row, h);
  let angle = anglePlace(row);
  let head = row * sizes.heads + h;
  ${eachValue(kind, (i) => `var query${i} = qkv[mine + ${i}u];`)}
  {
    ${turn(kind, 'query', 'turned')}
    ${eachValue(kind, (i) => `query${i} = turned${i} * scale;`)}
  }`;

/**
 * WGSL of a loop over the keys that the queries of a workgroup see. The lanes rotate the keys, and load as many keys as
 * fit into shared memory at a time.
 */
export const eachTeamKey = (kind: HeadKind, stride: number, step: (kind: HeadKind, keys: Keys) => string) => `
  let last = min(tile + ${groupSize - 1}u, own - 1u) / share;
  for (var start = ${kind.isWindowed ? `${firstSeen('(tile / share)')} / ${tileOf(kind)}u * ${tileOf(kind)}u` : '0u'}; start <= last; start += ${tileOf(kind)}u) {
    workgroupBarrier();
    for (var e = lane; e < ${tileOf(kind) * kind.count}u; e += ${groupSize}u) {
      let j = start + e / N;
      if (j <= last) {
        let keyRow = b * sizes.steps + j;
        first[e] = turnedAt(headPlace(keyRow, sizes.heads + g), anglePlace(keyRow), e % N);
        second[e] = qkv[headPlace(keyRow, sizes.heads + sizes.keyHeads + g) + e % N];
      }
    }
    workgroupBarrier();
    for (var t = 0u; t < ${tileOf(kind)}u; t += ${stride}u) {
      let j = start + t;
      if (j > s) { break; }
      let at = t * N;
      ${step(kind, {
        stride,
        isSeen: (u) =>
          `j + ${u}u == s || (j + ${u}u < s${isNear(kind, 's', `j + ${u}u`)} && !isHidden(row - s + j + ${u}u))`,
        ...{ key: storedAt(kind, 'first', 'at'), value: storedAt(kind, 'second', 'at') },
      })}
    }
  }`;

/** For every 64 queries of a key head, one workgroup writes y and, to `known`, the logarithms of the softmax sums. */
export function teamForward(kind: HeadKind): Text {
  return {
    functions: basics(kind) + places + isHidden + sharedTiles(kind),
    body: `
  let team = block;
  ${teamQuery(kind)}
  ${softmaxStart(kind)}
  ${eachTeamKey(kind, strideOf(kind), softmaxStep)}
  if (tile + lane < own) {
    ${eachValue(kind, (i) => `y[head * N + ${i}u] = mix${i} / sum;`)}
    known[head] = top + log(sum);
  }`,
  };
}
