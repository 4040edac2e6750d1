// One reader under attack: damaged versions of valid inputs, then the worst inputs. It may refuse only by a named
// error, and within limits of time and memory; its results are not checked here. Time is processor time of all threads
// of this process: wall-clock time would include other work on a busy machine.
import { isNamedError } from '../../src/base/errors.ts';
import { drawsOf, mutateBytes, mutateRecord, mutateText } from './mutate.ts';
import type { AttackRow } from './report.ts';

/** Maximum processor time for one input in milliseconds, for readers that define no other limit. */
const usualMs = 1000;
const heavyBytes = 200e6;

export interface Reader<Input> {
  name: string;
  atMostMs?: number;
  good: readonly Input[];
  /** Malicious inputs: large, deep, strange. */
  worst: readonly (() => Input)[];
  damage(input: Input, other: Input, draws: ReturnType<typeof drawsOf>): Input;
  /** Errors that it returns instead of throwing are thrown here. */
  read(input: Input): unknown;
}

export interface ReaderPlan {
  seed: number;
  inputs: number;
  /** How long the reader is attacked, as wall-clock time in milliseconds. */
  forMs: number;
  /** Whether to leave out the worst inputs and the limits, because in a test other threads of this process work too. */
  isBrief?: boolean;
}

const deep = (open: string, close: string, depth = 50_000) => open.repeat(depth) + close.repeat(depth);
const longTexts = [
  () => '['.repeat(500_000),
  () => deep('[', ']'),
  () => deep('{"a":', '}').replace('}', '1}'),
  () => 'x'.repeat(1_000_000),
  () => '!'.repeat(1_000_000),
  () => Array.from({ length: 76_000 }, (_, i) => `key${i}: 1\n`).join(''),
  () => '[]\n'.repeat(330_000),
  () => JSON.stringify(Array.from({ length: 20_000 }, (_, i) => `word ${i}`)),
];

export const text = (name: string, good: readonly string[], read: (input: string) => unknown): Reader<string> => ({
  ...{ name, good, read, worst: longTexts, damage: mutateText },
});
export const record = (name: string, good: readonly unknown[], read: (input: unknown) => unknown): Reader<unknown> => ({
  ...{ name, good, read, worst: [], damage: (input, _, draws) => mutateRecord(input, draws) },
});
export const bytes = (
  name: string,
  good: readonly Uint8Array[],
  read: (input: Uint8Array) => unknown,
): Reader<Uint8Array> => ({
  ...{ name, good, read, worst: [], damage: (input, _, draws) => mutateBytes(input, draws) },
});

/** A value after a round trip through JSON; a value that JSON cannot represent becomes none. */
export function asJson(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value ?? null)) as unknown;
  } catch {
    return null;
  }
}

/** Attacks `reader`, which has the number `part`, with this many damaged inputs, or as many as the time allows. */
export async function attackInputs(reader: Reader<unknown>, part: number, plan: ReaderPlan): Promise<AttackRow> {
  const { seed, inputs, forMs, isBrief = false } = plan;
  const untilMs = Date.now() + forMs;
  const faults: string[] = [];
  let count = 0;
  let worstMs = 0;
  const tryOne = async (what: string, input: unknown) => {
    const { ms, unnamed, excess } = await tryInput(reader, input);
    const found = isBrief ? unnamed : [...unnamed, ...excess];
    faults.push(...found.map((fault) => `${what}: ${fault}`));
    worstMs = Math.max(worstMs, ms);
    count++;
  };
  for (let i = 0; i < inputs && Date.now() < untilMs; i++) {
    const draws = drawsOf(seed, part, i);
    const good = draws.pick(reader.good);
    await tryOne(`input ${i}`, reader.damage(good, draws.pick(reader.good), draws));
  }
  if (count === 0) faults.push('no time was left for it');
  for (const [i, make] of (isBrief ? [] : reader.worst).entries()) {
    // The input is announced in advance, because a reader that kills its process cannot report anything afterwards.
    console.error(`worst input ${i} of ${reader.name}`);
    await tryOne(`worst input ${i}`, make());
  }
  return { part: 'readers', what: reader.name, count, note: `slowest ${Math.ceil(worstMs)} ms`, faults };
}

async function tryInput(reader: Reader<unknown>, input: unknown) {
  const { atMostMs = usualMs } = reader;
  const before = process.resourceUsage();
  const [unnamed, excess]: [string[], string[]] = [[], []];
  try {
    await reader.read(input);
  } catch (error) {
    if (!isNamedError(error)) unnamed.push(String(error).slice(0, 120));
  }
  const after = process.resourceUsage();
  const ms = (after.userCPUTime - before.userCPUTime + after.systemCPUTime - before.systemCPUTime) / 1000;
  const grownBytes = (after.maxRSS - before.maxRSS) * 1024;
  if (ms > atMostMs) excess.push(`took ${(ms / 1000).toFixed(1)} s`);
  if (grownBytes > heavyBytes) excess.push(`took ${Math.round(grownBytes / 1e6)} MB`);
  return { ms, unnamed, excess };
}
