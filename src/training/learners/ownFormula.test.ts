// Tests a visitor's formula in a real run. The result is compared with the result of a run whose learner has the same
// built-in formula.
import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { settingWords, fieldAt } from '../../config/describe.ts';
import { parseConfig } from '../../config/parse.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { formulaLine } from '../../config/sections/ownFormula.ts';
import { formulaOf } from '../../config/testing/ownFormulas.ts';
import { programOf } from '../../exercises/exercise.ts';
import { exerciseOf } from '../../exercises/exercises.ts';
import { OwnFormula } from '../../exercises/ownFormula.ts';
import { groupAdvantage, looAdvantage } from '../maths/advantage.ts';
import { onCpu } from '../testing/onCpu.ts';
import { startRun } from '../testing/microRun.ts';
import { ownGroupAdvantage } from './ownAdvantages.ts';

onCpu();

const written = (name: string, body: string): string => {
  const exercise = exerciseOf(name);
  if (!exercise) throw new Error(name);
  return `${formulaLine(name)}\n${programOf(exercise, body)}`;
};
const solved = (name: string) => written(name, exerciseOf(name)?.solution ?? '');

/** The networks and advantages after three iterations. */
async function outcome(learning: NonNullable<ConfigInput['learning']>) {
  const run = await startRun({ learning: { problemsPerIteration: 4, groupSize: 4, ...learning } });
  await run.session.train(3);
  const advantages = run.session.inspectable?.advantages;
  const { networks } = await run.session.checkpoint();
  await run.session.dispose();
  return { networks, advantages };
}

describe('beside its reference', () => {
  it.each<[string, NonNullable<ConfigInput['learning']>]>([
    ['groupMean', { learner: 'grpo' }],
    ['leaveOneOut', { learner: 'rloo' }],
    ['gae', { learner: 'ppo' }],
    ['gae', { learner: 'ppo', gaeLevel: 'turn' }],
  ])('a right %s gives the same run, bit for bit: %o', async (name, learning) => {
    const reference = await outcome(learning);
    expect(await outcome({ ...learning, ownFormula: solved(name) })).toEqual(reference);
  });

  it('a wrong one leads elsewhere, and to the same place each time', async () => {
    const wrong = written('leaveOneOut', exerciseOf('leaveOneOut')?.mistakes['sign'] ?? '');
    const [once, again] = [
      await outcome({ learner: 'rloo', ownFormula: wrong }),
      await outcome({ learner: 'rloo', ownFormula: wrong }),
    ];
    expect(once).toEqual(again);
    expect(once.networks).not.toEqual((await outcome({ learner: 'rloo' })).networks);
  });

  it('right ones give the learners’ advantages on 100 batches, as training keeps them', async () => {
    const [mean, others] = [await OwnFormula.open(solved('groupMean')), await OwnFormula.open(solved('leaveOneOut'))];
    for (let seed = 0; seed < 100; seed++) {
      const draws = new Draws(seed, streams.control, 16);
      const keys = Array.from({ length: 1 + draws.below(20) }, () => `k${draws.below(4)}`);
      const rewards = keys.map(() => (seed % 2 ? draws.normal() : draws.below(11) / 10));
      for (const lone of ['reward', 'zero'] as const) {
        const got = [mean, others].map((formula) =>
          Float32Array.from(ownGroupAdvantage(formula, rewards, { keys, lone })),
        );
        const expected = [groupAdvantage(rewards, keys, { std: true, lone }), looAdvantage(rewards, keys, { lone })];
        expect(got, `seed ${seed}`).toEqual(expected.map((of) => Float32Array.from(of)));
      }
    }
  });
});

describe('what fails ends the run with the call, and leaves it where it was', () => {
  const failing = async (ownFormula: string, learner: 'rloo' | 'ppo' = 'rloo') => {
    const run = await startRun({ learning: { learner, problemsPerIteration: 4, groupSize: 4, ownFormula } });
    await run.session.train(2);
    await run.session.dispose();
    return { failed: run.events.find(({ kind }) => kind === 'failed'), store: run.store, state: run.session.state };
  };

  it.each<[string, string, RegExp]>([
    [
      'it throws',
      formulaOf('leaveOneOut', 'reward.x.y'),
      /advantages\(\[[\d.,-]+\]\) failed: TypeError: .* \(line 5\)/,
    ],
    ['it loops', formulaOf('leaveOneOut', '0', 'for (;;);'), /failed: it ran too long/],
    [
      'it gives no number',
      formulaOf('leaveOneOut', 'total / 0 - total / 0'),
      /returned a value at position 1 that is not a finite number/,
    ],
    [
      'it leaves one away',
      formulaOf('leaveOneOut', '0').replace('(reward, i) => 0)', '() => 0).slice(1)'),
      /should return a list of 4 numbers, but returned \[0,0,0\]/,
    ],
    ['it gives no list', formulaOf('leaveOneOut', '0').replace('rewards.map', '1 ?? rewards.map'), /but returned 1/],
    ['it cannot be read', formulaOf('leaveOneOut', '0 +'), /^learning\.ownFormula: SyntaxError: .* \(line 5\)/],
    ['it has another name', formulaOf('leaveOneOut', '0').replace('advantages', 'other'), /SyntaxError: /],
  ])('where %s', async (_, text, message) => {
    const { failed, store, state } = await failing(text);
    expect(failed).toMatchObject({
      ...{ name: 'SandboxError', iteration: 0, message: expect.stringMatching(message) as string },
    });
    expect(failed).toMatchObject({ message: expect.stringMatching(/correct the function/) as string });
    expect([state, store.iterations.length]).toEqual(['failed', 0]);
  });

  it('in the middle: the iterations before stay, with their checkpoint', async () => {
    // A new critic predicts 0 in every state, so this formula fails only after the critic has been trained.
    const { failed, store } = await failing(
      formulaOf('gae', 'reward - values[i]', 'if (values.some((value) => value !== 0)) throw new Error("a value");'),
      'ppo',
    );
    expect(failed).toMatchObject({ name: 'SandboxError', iteration: 1 });
    expect([store.iterations.length, store.checkpoint?.iteration]).toEqual([1, 0]);
  });
});

it('is refused where no learner has a place for it, and where its text is for nothing', () => {
  const ownFormula = solved('gae');
  expect(() => parseConfig({ learning: { learner: 'grpo', ownFormula } })).toThrow(
    /over a critic’s values cannot be used with grpo/,
  );
  expect(() => parseConfig({ learning: { learner: 'ppo', ownFormula: solved('clip') } })).toThrow(
    /learning\.ownFormula: expected nothing, or at most 4000 characters/,
  );
  expect(() => parseConfig({ learning: { learner: 'ppo', ownFormula: `${ownFormula}${' '.repeat(4_000)}` } })).toThrow(
    /4000 characters/,
  );
  const field = fieldAt('learning.ownFormula');
  expect(field && settingWords(field, ownFormula)).toBe('own formula (gae)');
});
