import { expect, it } from 'vitest';
import type { Problem } from '../src/records/problem.ts';
import { worlds } from '../src/tasks/registry.ts';
import { withoutRecall } from './worlds/reading.ts';
import { recallRows, recallTable, texts, winOf } from './worlds/recallTable.ts';

it('calls a note back in the world as it is, and nothing in the world without', async () => {
  const problem: Problem = {
    ...{ id: 'by hand', world: 'memory', level: 3, shown: 'Where is ball?', answer: 'hall', slice: 'last' },
    hidden: { text: '' },
    given: { pieces: [' Ann in hall.', ' Ann has ball.'], facts: [], conclusion: '' },
  };
  const notes = [' Ann in hall.', ' Ann has ball.<recall> Ann'];
  const seen = async (world: typeof worlds.memory) => {
    let state = (await world.open?.(problem))?.state;
    let shown: string | undefined;
    for (const text of notes) {
      const reaction = await world.react?.(problem, state, { role: 'metaThinking', agent: 0, text, isFinish: false });
      [state, shown] = [reaction?.state, reaction?.observation?.text];
    }
    return shown;
  };
  expect(await seen(worlds.memory)).toBe('<recall> Ann in hall.<end>');
  expect(await seen(withoutRecall(worlds.memory))).toBe('<end>');
});

it('lays what was read with and without recall beside each other, text by text', () => {
  const share = (accuracy: number) => ({ accuracy, low: 0, high: 1 });
  const read = (accuracy: number) => ({ right: texts.map((_, t) => share(accuracy - 0.1 * t)), seconds: 1 });
  const rows = recallRows([
    { seed: 11, on: read(0.9), off: read(0.7) },
    { seed: 12, on: read(0.8), off: read(0.8) },
  ]);
  expect(rows).toHaveLength(texts.length);
  expect(rows[2]).toMatchObject({ evidence: 'distant', pieces: 4 });
  expect(rows.map(winOf)).toEqual(texts.map(() => expect.closeTo(0.1, 9) as number));
  expect(recallTable({ machine: 'm', backend: 'simd', problems: 9, rows })).toContain('| 0.90 0.80');
});
