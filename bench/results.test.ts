// What the benches have written is what the tables of README and docs and their readers take it to be.
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { learnerNames, parameterModes, protocolNames } from '../src/config/names.ts';

const resultsOf = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`./results/${name}.json`, import.meta.url), 'utf8'));

const text = v.pipe(v.string(), v.nonEmpty());
const positive = v.pipe(v.number(), v.finite(), v.gtValue(0));
const amount = v.pipe(v.number(), v.finite(), v.minValue(0));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

const onWhat = { workload: text, engine: text, adapter: text, machine: text };
const times = { n: v.pipe(v.number(), v.integer(), v.minValue(2)), msMedian: positive, msMin: positive };
const rate = { tokensPerSecond: v.nullable(positive), parameters: v.nullable(count) };
/** On a device: work is handed over, in dispatches. */
const onDevice = v.object({
  ...{ ...onWhat, ...times, ...rate, backend: v.literal('webgpu') },
  ...{ submitMsMedian: positive, dispatches: v.pipe(count, v.minValue(1)), submits: v.pipe(count, v.minValue(1)) },
});
const onProcessor = v.object({
  ...{ ...onWhat, ...times, ...rate, backend: v.picklist(['simd', 'simd-threads', 'wasm', 'cpu', 'native']) },
  ...{ submitMsMedian: v.null(), dispatches: v.null(), submits: v.null() },
});
/** An engine that is not there: said, and without a number. */
const absent = v.object({
  ...{ workload: text, engine: text, backend: text, adapter: v.string(), n: v.literal(0) },
  ...{ msMedian: v.null(), submitMsMedian: v.null(), dispatches: v.null(), tokensPerSecond: v.null() },
  note: v.pipe(v.string(), v.startsWith('absent: ')),
});
const stepResults = v.object({ rows: v.array(v.union([onDevice, onProcessor, absent])) });

const spread = v.pipe(
  v.object({ mean: share, low: v.number(), high: v.number() }),
  v.check(({ mean, low, high }) => low <= mean && mean <= high, 'the mean lies in its interval'),
);
const learnerResults = v.object({
  backend: text,
  machine: text,
  sampledTokens: v.pipe(count, v.minValue(1)),
  seeds: v.pipe(v.array(count), v.minLength(3)),
  rows: v.array(
    v.object({
      ...{ name: text, learner: v.picklist(learnerNames), variant: text },
      ...{ protocol: v.picklist(protocolNames), parameters: v.picklist(parameterModes) },
      ...{ before: spread, after: spread, leastGain: v.number(), isMet: v.boolean(), masked: v.nullable(share) },
      ...{ seconds: positive, sampledTokens: positive, iterations: positive, kl: amount, entropy: amount },
      perSeed: v.pipe(
        v.array(v.object({ seed: count, before: v.object({ accuracy: share }), after: v.object({ accuracy: share }) })),
        v.minLength(3),
      ),
    }),
  ),
});

/** What does not fit, by its path; empty where all does. */
function misfits(schema: v.GenericSchema, data: unknown): string[] {
  const { issues = [] } = v.safeParse(schema, data);
  return issues.map((issue) => `${v.getDotPath(issue) ?? ''}: ${issue.message}`);
}

describe('step.json', () => {
  it('has in every row its workload, engine, backend, adapter, times, dispatches and rate', () => {
    expect(misfits(stepResults, resultsOf('step'))).toEqual([]);
  });

  it('holds our engine beside stock TensorFlow.js in workloads A and B, and on WebGPU', () => {
    const { rows } = v.parse(stepResults, resultsOf('step'));
    const measured = rows
      .filter(({ n }) => n > 0)
      .map(({ workload, engine, backend }) => `${workload} ${engine} ${backend}`);
    expect(measured).toEqual(
      expect.arrayContaining([
        'A cothink simd',
        'A tfjs wasm',
        'A cothink webgpu',
        'A tfjs webgpu',
        'B cothink simd',
        'B tfjs wasm',
        'C cothink simd',
      ]),
    );
  });
});

describe('learners.json', () => {
  it('has in every row its learner, parameters, accuracy before and after with intervals, seconds, KL and entropy', () => {
    expect(misfits(learnerResults, resultsOf('learners'))).toEqual([]);
  });

  it('has a row for every learner, every row for all seeds', () => {
    const { rows, seeds } = v.parse(learnerResults, resultsOf('learners'));
    expect(new Set(rows.map(({ learner }) => learner))).toEqual(new Set(learnerNames));
    for (const { name, perSeed } of rows)
      expect(
        perSeed.map(({ seed }) => seed),
        name,
      ).toEqual(seeds);
  });
});

it('a row without one of its fields is found', () => {
  const { rows } = resultsOf('step') as { rows: Record<string, unknown>[] };
  const [row] = rows as [Record<string, unknown>];
  for (const field of [
    'workload',
    'engine',
    'backend',
    'adapter',
    'msMedian',
    'submitMsMedian',
    'dispatches',
    'tokensPerSecond',
  ]) {
    const { [field]: _, ...rest } = row;
    expect(misfits(stepResults, { rows: [rest] }), field).not.toEqual([]);
  }
});
