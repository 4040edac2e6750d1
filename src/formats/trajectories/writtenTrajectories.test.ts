import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../config/parse.ts';
import { runId } from '../../records/ids.ts';
import { sampleProblem, trajectories } from '../../records/testing/arbitrary.ts';
import type { Trajectory, TrajectoryFile } from '../../records/trajectory.ts';
import { parquetRows } from '../datasets/parquetRows.ts';
import { chatMessages } from '../jsonl.ts';
import { writtenTrajectories } from './writtenTrajectories.ts';

const run = { id: runId('run-1'), name: 'calm-otter', createdMs: 1_700_000_000_000, config: parseConfig({}) };
type Iteration = readonly [number, readonly Trajectory[]];

async function written(as: TrajectoryFile, iterations: readonly Iteration[]): Promise<Blob> {
  const file = await writtenTrajectories(as, run);
  const parts = iterations.map(([at, list]) => file.add(at, list));
  return new Blob([...parts, file.end()]);
}

async function rows(file: Blob) {
  const read = [];
  for await (const { value } of parquetRows(file)) read.push(value as Record<string, unknown>);
  return read;
}

const [drawn = []] = fc.sample(fc.array(trajectories, { minLength: 6, maxLength: 6 }), { seed: 3, numRuns: 1 });
const known = drawn.map((trajectory, index) => ({ ...trajectory, index, group: index >> 1, problem: sampleProblem }));
const iterations: Iteration[] = [
  [1, known.slice(0, 4)],
  [2, known.slice(4)],
];

describe('dialogues as Parquet', () => {
  it('are rows with the same messages, tokens and rewards, and log-probabilities bit for bit', async () => {
    const read = await rows(await written('parquet', iterations));
    const wanted = iterations.flatMap(([at, list]) => list.map((trajectory) => ({ at, trajectory })));
    expect(read).toHaveLength(wanted.length);
    for (const [i, { at, trajectory }] of wanted.entries()) {
      const { index, group, isRight, reward, answer, turns, problem } = trajectory;
      const { hidden, id, shown } = problem;
      expect(read[i]).toMatchObject({ id: `${at}-${index}`, iteration: at, group, is_right: isRight, reward });
      expect(read[i]?.['answer'] ?? null).toBe(answer);
      expect(read[i]?.['problem']).toMatchObject({ id, shown, hidden });
      const said = read[i]?.['turns'] as { tokens: number[]; logprobs: number[]; text: string; reward: number }[];
      expect(said.map(({ tokens, logprobs, text }) => ({ tokens, logprobs, text }))).toEqual(
        turns.map(({ tokens, logprobs, text }) => ({ tokens, logprobs: logprobs.map(Math.fround), text })),
      );
      expect(said.map((turn) => turn.reward)).toEqual(turns.map((turn) => turn.reward));
      const messages = read[i]?.['messages'] as { role: string; content: string }[];
      expect(messages.map(({ role, content }) => [role, content])).toEqual(
        chatMessages(trajectory).map(({ role, content }) => [role, content]),
      );
    }
  });

  it('of any form can be written, and an empty list too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(trajectories, { maxLength: 3 }), async (list) => {
        const read = await rows(await written('parquet', list.length > 0 ? [[7, list]] : []));
        expect(read.map(({ iteration }) => iteration)).toEqual(list.map(() => 7));
      }),
      { numRuns: 25 },
    );
  });
});

describe('dialogues as a log of Inspect', () => {
  it('are samples with mean scores, and trajectories of one problem are its epochs', async () => {
    const log = JSON.parse(await (await written('inspect', iterations)).text()) as {
      samples: { id: string; epoch: number; scores: Record<string, { value: number }> }[];
      results: { total_samples: number; scores: { name: string; metrics: { mean: { value: number } } }[] };
    };
    expect(log.samples.map(({ id, epoch }) => [id, epoch])).toEqual([
      ...[
        ['1-0', 1],
        ['1-0', 2],
        ['1-1', 1],
        ['1-1', 2],
      ],
      ...[
        ['2-2', 1],
        ['2-2', 2],
      ],
    ]);
    const right = known.filter(({ isRight }) => isRight).length / known.length;
    expect(log.results.total_samples).toBe(known.length);
    expect(log.results.scores.map(({ name, metrics }) => [name, metrics.mean.value])).toEqual([
      ['right', right],
      ['reward', known.reduce((sum, { reward }) => sum + reward, 0) / known.length],
    ]);
    expect(log.samples.map(({ scores }) => scores['right']?.value)).toEqual(
      known.map(({ isRight }) => Number(isRight)),
    );
  });

  it('of no dialogue is a log without samples', async () => {
    const log = JSON.parse(await (await written('inspect', [])).text()) as { samples: unknown[]; version: number };
    expect([log.version, log.samples]).toEqual([2, []]);
  });
});
