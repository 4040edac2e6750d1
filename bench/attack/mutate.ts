// Damaged versions of valid inputs, by seed: the same seed gives the same damage. Texts and bytes are truncated,
// duplicated, mixed and sprinkled with values that often break readers; records have values replaced by such values,
// and keys dropped and added.
import { streams, Draws } from '../../src/base/random.ts';

/** Returns the random draws for the mutant `index` of the reader `part`, independent of other readers. */
export const drawsOf = (seed: number, part: number, index: number) =>
  new Draws((seed * 31 + part) >>> 0, streams.control, index);

const words = [
  ...['', ...'\\ \n\0\uFEFF\uD800"\'{}[]:,|%&-=0'],
  ...['*a', '!!', '%00', '\\u0000', '- ', 'null', 'true', 'NaN', '1e999', '-1', '9007199254740993', '1e-7'],
  ...['__proto__', 'constructor', 'toString', 'default', 'a'.repeat(300), '9'.repeat(300)],
];

const values: readonly (() => unknown)[] = [
  () => null,
  () => undefined,
  () => Number.NaN,
  () => Infinity,
  () => -1,
  () => 0.5,
  () => 1e300,
  () => 2 ** 53,
  () => 10n,
  () => '',
  () => 'toString',
  () => '__proto__',
  () => 'x'.repeat(1000),
  () => true,
  () => [],
  () => [null],
  () => ({}),
  () => Object.create(null) as object,
  () => new Date(0),
  () => new Uint8Array(3),
  () => new Float32Array([Number.NaN]),
  () => new Map([[1, 2]]),
  () => circle(),
];

function circle(): object {
  const round: Record<string, unknown> = {};
  round['again'] = round;
  return round;
}

/** Makes one to four edits in a text; a piece of another text may be inserted. */
export function mutateText(text: string, other: string, draws: Draws): string {
  let mutant = text;
  for (let left = 1 + draws.below(4); left > 0; left--) {
    const from = draws.below(mutant.length + 1);
    const to = Math.min(mutant.length, from + draws.below(draws.below(4) === 0 ? mutant.length + 1 : 12));
    const piece = mutant.slice(from, to);
    const put = [
      '',
      piece + piece,
      draws.pick(words),
      other.slice(draws.below(other.length + 1)).slice(0, 1 + draws.below(40)),
      String.fromCharCode(draws.below(0x250)),
      draws.pick(words) + piece,
    ];
    mutant = draws.below(12) === 0 ? mutant.slice(0, from) : mutant.slice(0, from) + draws.pick(put) + mutant.slice(to);
  }
  return mutant;
}

/** Makes one to four edits in bytes. Lengths and offsets, which are at the start, are changed more often. */
export function mutateBytes(bytes: Uint8Array, draws: Draws): Uint8Array {
  let mutant = bytes.slice();
  for (let left = 1 + draws.below(4); left > 0; left--) {
    const span = draws.below(3) === 0 ? Math.min(24, mutant.length) : mutant.length;
    const at = draws.below(span + 1);
    switch (draws.below(5)) {
      case 0:
        mutant = mutant.slice(0, at);
        break;
      case 1:
        mutant = Uint8Array.from([...mutant.subarray(0, at), ...mutant.subarray(at + 1 + draws.below(9))]);
        break;
      case 2:
        mutant = Uint8Array.from([...mutant.subarray(0, at), draws.below(256), ...mutant.subarray(at)]);
        break;
      case 3:
        mutant.fill(draws.pick([0, 1, 127, 128, 255]), at, at + 1 + draws.below(8));
        break;
      default:
        if (at < mutant.length) mutant[at] = (mutant[at] as number) ^ (1 << draws.below(8));
    }
  }
  return mutant;
}

/** Makes one to three edits somewhere in a copy of a record. */
export function mutateRecord(record: unknown, draws: Draws): unknown {
  const holder = { record: structuredClone(record) };
  for (let left = 1 + draws.below(3); left > 0; left--) {
    let at = holder as Record<string, unknown>;
    let key = 'record';
    // Follows a random path, which may end anywhere.
    for (;;) {
      const next = at[key];
      const keys = isPlain(next) ? Object.keys(next) : [];
      if (keys.length === 0 || (at !== holder && draws.below(4) === 0)) break;
      at = next as Record<string, unknown>;
      key = draws.pick(keys);
    }
    if (at === holder && draws.below(20) > 0) continue;
    const edit = draws.below(8);
    if (edit === 0) delete at[key];
    // Lists in files and stores never have named properties.
    else if (edit === 1 && !Array.isArray(at))
      at[draws.pick(['extra', 'toString', 'constructor', '0'])] = draws.pick(values)();
    else if (edit === 2 && typeof at[key] === 'string') at[key] = mutateText(String(at[key]), key, draws);
    else at[key] = draws.pick(values)();
  }
  return holder.record;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !ArrayBuffer.isView(value) &&
  !(value instanceof Date || value instanceof Map);
