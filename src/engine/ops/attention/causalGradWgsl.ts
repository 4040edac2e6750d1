// The texts of attention's gradient. With P the softmax and dP = dy·vᵀ:
//   dq = P∘(dP − Σ P∘dP)·k / √D,  dk the same transposed on q,  dv = Pᵀ·dy,  and Σ P∘dP = dy·y.
// P comes back from the logarithm that the forward pass kept, so each query goes over its keys once, and each key over
// the queries that see it. No thread writes where another does, so sums have one order. Gradients of turned queries
// and keys are turned back as they are written.
import {
  isHidden,
  nthQuery,
  places,
  queryPlace,
  queryRegisters,
  sharedTiles,
  shareKeys,
  teamPlace,
  tileOf,
} from './causalWgsl.ts';
import { basics, eachValue, type HeadKind, innerProduct, lines, type Text, turn } from './headWgsl.ts';
import { groupSize } from '../../webgpu/program/program.ts';

// `V` values hold the logarithm in every number of them.
const firstOf = ({ type }: HeadKind) => `
fn firstOf(x: V) -> f32 { return ${type === 'f32' ? 'x' : 'x.x'}; }`;

/** Adds keys u = 0 … to the gradient of a query: registers `query` (scaled), `grad`, `mix`, numbers `known`, `pull`. */
const queryStep = (
  kind: HeadKind,
  {
    count,
    isSeen,
    key,
    value,
  }: Record<'key' | 'value', (u: number, i: number) => string> & {
    count: number;
    isSeen: (u: number) => string;
  },
) => `
    ${lines(
      count,
      (u) => `let isSeen${u} = ${isSeen(u)};
    let score${u} = ${innerProduct(kind, 'query', (i) => key(u, i))};
    let slope${u} = select(0.0, exp(score${u} - logSum) * (${innerProduct(kind, 'grad', (i) => value(u, i))} - pull) * scale, isSeen${u});`,
    )}
    ${eachValue(kind, (i) => `mix${i} += ${Array.from({ length: count }, (_, u) => `slope${u} * ${key(u, i)}`).join(' + ')};`)}`;

/** Adds queries u = 0 … to the gradients of a key: registers `key` (scaled), `value`, `mix`, `second`. */
const keyStep = (
  kind: HeadKind,
  {
    count,
    isSeen,
    query,
    grad,
    logSum,
    pull,
  }: Record<'query' | 'grad', (u: number, i: number) => string> &
    Record<'isSeen' | 'logSum' | 'pull', (u: number) => string> & { count: number },
) => `
    ${lines(
      count,
      (
        u,
      ) => `let p${u} = select(0.0, exp(${innerProduct(kind, 'key', (i) => query(u, i))} - ${logSum(u)}), ${isSeen(u)});
    let slope${u} = p${u} * (${innerProduct(kind, 'value', (i) => grad(u, i))} - ${pull(u)}) * scale;`,
    )}
    ${eachValue(
      kind,
      (i) => `mix${i} += ${Array.from({ length: count }, (_, u) => `slope${u} * ${query(u, i)}`).join(' + ')};
    other${i} += ${Array.from({ length: count }, (_, u) => `p${u} * ${grad(u, i)}`).join(' + ')};`,
    )}`;

/** Writes registers `mix`, turned back by the angles of `row`, as the gradient of a head. */
const writeBack = (kind: HeadKind, head: string) => `
    {
      let angle = anglePlace(row);
      let to = headPlace(row, ${head});
      ${turn(kind, 'mix', 'back', 'back')}
      ${eachValue(kind, (i) => `dqkv[to + ${i}u] = back${i};`)}
    }`;

const at = (name: string, place: string) => (_: number, i: number) => `${name}[${place} + ${String(i)}u]`;

/** One thread for each query head: writes its columns of dqkv, and dy·y into `pulls`. */
export function soloQueryGradient(kind: HeadKind): Text {
  return {
    functions: basics(kind) + places + isHidden + firstOf(kind),
    body: `
  if (item >= sizes.items) { return; }
  ${queryPlace}
  let own = packedPlace(row, h);
  ${eachValue(kind, (i) => `let query${i} = packed[own + ${i}u] * scale;\n    let grad${i} = dy[item * N + ${i}u];`)}
  ${eachValue(kind, (i) => `var mix${i} = V();`)}
  let logSum = firstOf(packed[knownPlace(row, h)]);
  let pull = ${innerProduct(kind, 'grad', (i) => `y[item * N + ${i}u]`)};
  pulls[item] = pull;
  for (var j = 0u; j <= s; j++) {
    let keyRow = b * sizes.steps + j;
    if (j < s && isHidden(keyRow)) { continue; }
    let key = packedPlace(keyRow, sizes.heads + g);
    let value = packedPlace(keyRow, sizes.heads + sizes.keyHeads + g);
    ${queryStep(kind, { count: 1, isSeen: () => 'true', key: at('packed', 'key'), value: at('packed', 'value') })}
  }
  ${writeBack(kind, 'h')}`,
  };
}

/** One thread for each key head: reads `pulls`, writes the columns of its key and value. */
export function soloKeyGradient(kind: HeadKind): Text {
  return {
    functions: basics(kind) + places + isHidden + firstOf(kind),
    body: `
  if (item >= sizes.items) { return; }
  let row = item / sizes.keyHeads;
  let g = item % sizes.keyHeads;
  let j = row % sizes.steps;
  let share = sizes.heads / sizes.keyHeads;
  ${keyRegisters(kind, 'packed', 'packedPlace')}
  let end = select(sizes.steps - j, 1u, isHidden(row));
  for (var later = 0u; later < end; later++) {
    for (var h = g * share; h < (g + 1u) * share; h++) {
      let item = (row + later) * sizes.heads + h;
      let query = packedPlace(row + later, h);
      let logSum = firstOf(packed[knownPlace(row + later, h)]);
      let pull = pulls[item];
      let grad = item * N;
      ${keyStep(kind, {
        ...{ count: 1, isSeen: () => 'true', logSum: () => 'logSum', pull: () => 'pull' },
        ...{ query: at('packed', 'query'), grad: at('dy', 'grad') },
      })}
    }
  }
  ${writeKey(kind)}`,
  };
}

/** `key` (scaled) and `value` registers of key head g, and those of their gradients. */
const keyRegisters = (kind: HeadKind, array: string, place: string) => `
  let keyAt = ${place}(row, sizes.heads + g);
  let valueAt = ${place}(row, sizes.heads + sizes.keyHeads + g);
  ${eachValue(kind, (i) => `var key${i} = ${array}[keyAt + ${i}u] * scale;\n    let value${i} = ${array}[valueAt + ${i}u];`)}
  ${eachValue(kind, (i) => `var mix${i} = V();\n    var other${i} = V();`)}`;

const writeKey = (kind: HeadKind) => `
  ${writeBack(kind, 'sizes.heads + g')}
  let dValue = headPlace(row, sizes.heads + sizes.keyHeads + g);
  ${eachValue(kind, (i) => `dqkv[dValue + ${i}u] = other${i};`)}`;

// One team for 64 queries of a key head, keys through shared memory.
const teamQueries = (kind: HeadKind, { held, stride }: { held: number; stride: number }) => `
fn queryPart(team: u32, lane: u32) {
  ${teamPlace('own')}
  let n = min(tile + lane, own - 1u);
  ${nthQuery('n')}
  let mine = headPlace(row, h);
  let turns = anglePlace(row);
  ${queryRegisters(kind)}
  let item = row * sizes.heads + h;
  ${eachValue(kind, (i) => `let grad${i} = dy[item * N + ${i}u];\n    var mix${i} = V();`)}
  let logSum = known[item];
  let pull = ${innerProduct(kind, 'grad', (i) => `y[item * N + ${i}u]`)};
  let last = min(tile + ${groupSize - 1}u, own - 1u) / share;
  for (var start = 0u; start <= last; start += ${held}u) {
    workgroupBarrier();
${shareKeys(kind)}
    workgroupBarrier();
    for (var t = 0u; t < ${held}u; t += ${stride}u) {
      let j = start + t;
      if (j > s) { break; }
      let at = t * N;
      ${queryStep(kind, {
        count: stride,
        isSeen: (u) => `j + ${u}u == s || (j + ${u}u < s && !isHidden(row - s + j + ${u}u))`,
        key: (u, i) => `first[at + ${u * kind.count + i}u]`,
        value: (u, i) => `second[at + ${u * kind.count + i}u]`,
      })}
    }
  }
  if (tile + lane < own) {${writeBack(kind, 'h')}}
}`;

// One team for 64 keys of a key head: turned queries and dy through shared memory, with their two numbers.
const teamKeys = (kind: HeadKind, { held, stride }: { held: number; stride: number }) => `
var<workgroup> numbers: array<vec2<f32>, ${held}>;
fn keyPart(team: u32, lane: u32) {
  ${teamPlace('sizes.steps')}
  let j = min(tile + lane, sizes.steps - 1u);
  let row = b * sizes.steps + j;
  ${keyRegisters(kind, 'qkv', 'headPlace')}
  {
    let angle = anglePlace(row);
    ${turn(kind, 'key', 'turned')}
    ${eachValue(kind, (i) => `key${i} = turned${i};`)}
  }
  let isAlone = isHidden(row);
  for (var start = tile * share; start < own; start += ${held}u) {
    workgroupBarrier();
${shareQueries(kind, held)}
    workgroupBarrier();
    for (var t = 0u; t < ${held}u; t += ${stride}u) {
      if (start + t >= own) { break; }
      let at = t * N;
      ${lines(stride, (u) => `let s${u} = (start + t + ${u}u) / share;`)}
      ${keyStep(kind, {
        count: stride,
        isSeen: (u) => `start + t + ${u}u < own && (s${u} == j || (s${u} > j && !isAlone))`,
        logSum: (u) => `numbers[t + ${u}u].x`,
        pull: (u) => `numbers[t + ${u}u].y`,
        query: (u, i) => `first[at + ${u * kind.count + i}u]`,
        grad: (u, i) => `second[at + ${u * kind.count + i}u]`,
      })}
    }
  }
  if (tile + lane < sizes.steps) {${writeKey(kind)}}
}`;

// Puts the turned queries from `start` on, as many as fit, their dy and their two numbers into shared memory.
const shareQueries = (kind: HeadKind, held: number) => `
    for (var e = lane; e < ${held * kind.count}u; e += ${groupSize}u) {
      let n = start + e / N;
      if (n < own) {
        ${nthQuery('n')}
        first[e] = turnedAt(headPlace(row, h), anglePlace(row), e % N);
        second[e] = dy[(row * sizes.heads + h) * N + e % N];
      }
    }
    if (lane < ${held}u && start + lane < own) {
      let n = start + lane;
      ${nthQuery('n')}
      let item = row * sizes.heads + h;
      var pull = 0.0;
      for (var i = 0u; i < N; i++) { pull += inner(dy[item * N + i], y[item * N + i]); }
      numbers[lane] = vec2<f32>(known[item], pull);
    }`;

/** Teams of queries first, then `sizes.items - sizes.queryTeams` teams of keys. */
export function teamGradient(kind: HeadKind): Text {
  const tiles = { held: tileOf(kind), stride: kind.count <= 4 ? 2 : 1 };
  return {
    functions: [
      ...[basics(kind), places, isHidden, sharedTiles(kind)],
      ...[teamQueries(kind, tiles), teamKeys(kind, tiles)],
    ].join('\n'),
    body: `
  if (block >= sizes.items) { return; }
  if (block < sizes.queryTeams) { queryPart(block, lane); } else { keyPart(block - sizes.queryTeams, lane); }`,
  };
}
