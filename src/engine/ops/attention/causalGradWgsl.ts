// The WGSL programs of attention's gradient. With P the softmax and dP = dy·vᵀ:
//   dq = P∘(dP − Σ P∘dP)·k / √D
//   dk = the same expression, transposed and applied to q
//   dv = Pᵀ·dy
//   Σ P∘dP = dy·y
// P is recomputed from the softmax's logarithm, which the forward pass has kept. So each query needs only one pass over
// its keys, and each key only one pass over the queries that see it. No two threads write to the same place, so sums
// are always added in the same order. Gradients of rotated queries and keys are rotated back when they are written.
import { groupSize, type Text } from '../../webgpu/program/program.ts';
import {
  eachSoloKey,
  eachTeamKey,
  isHidden,
  isNear,
  nthQuery,
  places,
  queryPlace,
  sharedTiles,
  teamPlace,
  teamQuery,
  tileOf,
} from './causalWgsl.ts';
import { basics, eachValue, type HeadKind, innerProduct, type Keys, lines, storedAt, turn } from './headWgsl.ts';

// WGSL of a function that returns the first component of a value of type `V`. In the values to which it is applied,
// every component contains the logarithm of the same softmax sum.
const firstOf = ({ type }: HeadKind) => `
fn firstOf(x: V) -> f32 { return ${type === 'f32' ? 'x' : 'x.x'}; }`;

/** The number of keys that a lane of a workgroup processes at once. */
const strideOf = ({ count }: HeadKind) => (count <= 4 ? 2 : 1);

/**
 * WGSL that adds the contributions of several keys to the gradient of a query. It uses the registers `query` (scaled),
 * `grad` and `mix`, and the numbers `logSum` and `pull`.
 */
const queryStep = (kind: HeadKind, { stride, isSeen, key, value }: Keys) => `
    ${lines(
      stride,
      (u) => `let isSeen${u} = ${isSeen(u)};
    let score${u} = ${innerProduct(kind, 'query', (i) => key(u, i))};
    let slope${u} = select(0.0, exp(score${u} - logSum) * (${innerProduct(kind, 'grad', (i) => value(u, i))} - pull) * scale, isSeen${u});`,
    )}
    ${eachValue(kind, (i) => `mix${i} += ${lines(stride, (u) => `slope${u} * ${key(u, i)}`, ' + ')};`)}`;

/** The queries of one step, in the same form as `Keys`, each with its numbers `logSum` and `pull`. */
interface Queries {
  stride: number;
  isSeen: (u: number) => string;
  logSum: (u: number) => string;
  pull: (u: number) => string;
  query: Keys['key'];
  grad: Keys['value'];
}

/**
 * WGSL that adds the contributions of several queries to the gradients of a key and its value. It uses the registers
 * `key` (scaled), `value`, `mix` and `other`.
 */
const keyStep = (kind: HeadKind, { stride, isSeen, logSum, pull, query, grad }: Queries) => `
    ${lines(
      stride,
      (u) =>
        `let p${u} = select(0.0, exp(${innerProduct(kind, 'key', (i) => query(u, i))} - ${logSum(u)}), ${isSeen(u)});
    let slope${u} = p${u} * (${innerProduct(kind, 'value', (i) => grad(u, i))} - ${pull(u)}) * scale;`,
    )}
    ${eachValue(
      kind,
      (i) => `mix${i} += ${lines(stride, (u) => `slope${u} * ${query(u, i)}`, ' + ')};
    other${i} += ${lines(stride, (u) => `p${u} * ${grad(u, i)}`, ' + ')};`,
    )}`;

/** WGSL that rotates the registers `mix` back by the angles of `row` and writes them as the gradient of a head. */
const writeBack = (kind: HeadKind, head: string) => `
    {
      let angle = anglePlace(row);
      let to = headPlace(row, ${head});
      ${turn(kind, 'mix', 'back', 'back')}
      ${eachValue(kind, (i) => `dqkv[to + ${i}u] = back${i};`)}
    }`;

/** WGSL that sets the registers `grad` and `mix` and the number `pull` for the query head with the number `head`. */
const gradRegisters = (kind: HeadKind, head: string) => `
  ${eachValue(kind, (i) => `let grad${i} = dy[${head} * N + ${i}u];\n    var mix${i} = V();`)}
  let pull = ${innerProduct(kind, 'grad', (i) => `y[${head} * N + ${i}u]`)};`;

/** For each query head, one thread writes its columns of dqkv, and the sum dy·y to `pulls`. */
export function soloQueryGradient(kind: HeadKind): Text {
  return {
    functions: basics(kind) + places + isHidden + firstOf(kind),
    body: `
  ${queryPlace}
  let own = packedPlace(row, h);
  ${eachValue(kind, (i) => `let query${i} = packed[own + ${i}u] * scale;`)}
  ${gradRegisters(kind, 'item')}
  let logSum = firstOf(packed[knownPlace(row, h)]);
  pulls[item] = pull;
  ${eachSoloKey(kind, queryStep)}
  ${writeBack(kind, 'h')}`,
  };
}

/** For each key head, one thread reads `pulls` and writes the gradients of the key and its value to dqkv. */
export function soloKeyGradient(kind: HeadKind): Text {
  return {
    functions: basics(kind) + places + isHidden + firstOf(kind),
    body: `
  let row = item / sizes.keyHeads;
  let g = item % sizes.keyHeads;
  let j = row % sizes.steps;
  let share = sizes.heads / sizes.keyHeads;
  ${keyRegisters(kind, 'packed', 'packedPlace')}
  let end = ${kind.isWindowed ? 'min(sizes.window, select(sizes.steps - j, 1u, isHidden(row)))' : 'select(sizes.steps - j, 1u, isHidden(row))'};
  for (var later = 0u; later < end; later++) {
    for (var h = g * share; h < (g + 1u) * share; h++) {
      let item = (row + later) * sizes.heads + h;
      let query = packedPlace(row + later, h);
      let logSum = firstOf(packed[knownPlace(row + later, h)]);
      let pull = pulls[item];
      let grad = item * N;
      ${keyStep(kind, {
        ...{ stride: 1, isSeen: () => 'true', logSum: () => 'logSum', pull: () => 'pull' },
        ...{ query: storedAt(kind, 'packed', 'query'), grad: storedAt(kind, 'dy', 'grad') },
      })}
    }
  }
  ${writeKey(kind)}`,
  };
}

/** WGSL that sets the registers `key` (scaled) and `value` of key head g, and the registers of their gradients. */
const keyRegisters = (kind: HeadKind, array: string, place: string) => `
  let keyAt = ${place}(row, sizes.heads + g);
  let valueAt = ${place}(row, sizes.heads + sizes.keyHeads + g);
  ${eachValue(kind, (i) => `var key${i} = ${array}[keyAt + ${i}u] * scale;\n    let value${i} = ${array}[valueAt + ${i}u];`)}
  ${eachValue(kind, (i) => `var mix${i} = V();\n    var other${i} = V();`)}`;

const writeKey = (kind: HeadKind) => `
  ${writeBack(kind, 'sizes.heads + g')}
  let dValue = headPlace(row, sizes.heads + sizes.keyHeads + g);
  ${eachValue(kind, (i) => `dqkv[dValue + ${i}u] = other${i};`)}`;

// WGSL in which a workgroup processes 64 queries of a key head and loads the keys into shared memory.
const teamQueries = (kind: HeadKind) => `
fn queryPart(team: u32, lane: u32) {
  ${teamQuery(kind)}
  ${gradRegisters(kind, 'head')}
  let logSum = known[head];
  ${eachTeamKey(kind, strideOf(kind), queryStep)}
  if (tile + lane < own) {${writeBack(kind, 'h')}}
}`;

// WGSL in which a workgroup processes 64 keys of a key head. It loads as many rotated queries and rows of dy as fit
// into shared memory at a time, together with the numbers `logSum` and `pull` of each query.
const teamKeys = (kind: HeadKind) => {
  const [held, stride] = [tileOf(kind), strideOf(kind)];
  return `
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
    }
    workgroupBarrier();
    for (var t = 0u; t < ${held}u; t += ${stride}u) {
      if (start + t >= own) { break; }
      let at = t * N;
      ${lines(stride, (u) => `let s${u} = (start + t + ${u}u) / share;`)}
      ${keyStep(kind, {
        stride,
        isSeen: (u) =>
          `start + t + ${u}u < own && (s${u} == j || (s${u} > j${isNear(kind, `s${u}`, 'j')} && !isAlone))`,
        ...{ logSum: (u) => `numbers[t + ${u}u].x`, pull: (u) => `numbers[t + ${u}u].y` },
        ...{ query: storedAt(kind, 'first', 'at'), grad: storedAt(kind, 'second', 'at') },
      })}
    }
  }
  if (tile + lane < sizes.steps) {${writeKey(kind)}}
}`;
};

/** The first `sizes.queryTeams` workgroups process queries; the other `sizes.items - sizes.queryTeams` process keys. */
export function teamGradient(kind: HeadKind): Text {
  return {
    functions: [basics(kind), places, isHidden, sharedTiles(kind), teamQueries(kind), teamKeys(kind)].join('\n'),
    body: 'if (block < sizes.queryTeams) { queryPart(block, lane); } else { keyPart(block - sizes.queryTeams, lane); }',
  };
}
