import { expect, it } from 'vitest';
import { learnerNames } from '../../../config/learners/registry.ts';
import { onCpu } from '../../../training/testing/onCpu.ts';
import { inspectableOf, startRun } from '../../../training/testing/microRun.ts';
import { groupCredit } from './answers.ts';

onCpu();

it('every learner without a critic gives credit to the messages of a group, ranked by their worth', async () => {
  const { session } = await startRun({ learning: { problemsPerIteration: 2, groupSize: 4 } });
  await session.train(1);
  const { truth, paid } = await groupCredit(inspectableOf(session), { group: 0, draws: 8 });
  expect(truth).toHaveLength(4);
  expect(paid).toHaveLength(learnerNames.length);
  for (const one of paid) {
    if (one.paid) expect(one.paid.map(({ length }) => length)).toEqual(truth.map(({ length }) => length));
    else expect(one.lacking).toMatch(/^needs a/);
  }
  expect(paid.find(({ learner }) => learner === 'grpo')?.paid).toBeDefined();
});
