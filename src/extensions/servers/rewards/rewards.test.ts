import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNamedError } from '../../../base/errors.ts';
import { worlds } from '../../../tasks/registry.ts';
import { rewardsFor } from './rewards.ts';

const typed = { shown: '1-2*9', hidden: { rule: '<precedence>' } };

describe('rewards of completions', () => {
  it('are 1 for the right answer and 0 for others, with the reason, terminated or not', async () => {
    const completions = ['2*9=1-8;1-8=3', '3<eot>', '4', 'nonsense'];
    const { rewards, why, answers, isRight } = await rewardsFor({ world: 'houseRule', problem: typed, completions });
    expect(rewards).toEqual([1, 1, 0, 0]);
    expect(answers).toEqual(['3', '3', '4', null]);
    expect(isRight).toEqual([true, true, false, false]);
    expect(why[0]).toBe('the answer is 3');
    expect(why[3]).toContain('no number was given');
  });

  it('weigh the parts that a request names', async () => {
    const asked = { world: 'houseRule', level: 1, problem: typed, completions: ['2*9=1-8;1-8=3', '3'] };
    const { rewards, parts } = await rewardsFor({ ...asked, weights: { rightAnswer: 1, rewrite: 0.5, format: 0.25 } });
    expect(rewards).toEqual([1.75, 1]);
    expect(parts[0]).toMatchObject({ rightAnswer: 1, rewrite: 1, format: 1 });
  });

  it.each(Object.values(worlds).filter(({ protocols }) => protocols?.includes('single') ?? true))(
    'are given in $name for a problem in the form of exported dialogues',
    async (world) => {
      const [problem] = world.heldOut(1, 1);
      const { rewards, why } = await rewardsFor({ problem, completions: ['nonsense', ''] });
      expect(rewards).toEqual([0, 0]);
      for (const words of why) expect(words).not.toBe('');
    },
  );

  const [whole] = worlds.houseRule.heldOut(1, 1);
  it.each([
    ['no problem', { completions: [] }, 'problem: expected a value'],
    ['no world of a typed problem', { problem: typed, completions: [] }, 'world: expected one of houseRule'],
    ['a world that is none', { world: 'constructor', problem: typed, completions: [] }, 'world: expected one of'],
    [
      'another world than its problem',
      { world: 'grid', problem: whole, completions: [] },
      'world: expected the world of',
    ],
    ['another level', { level: 2, problem: whole, completions: [] }, 'level: expected the level of the problem, 1'],
    [
      'a level that is none',
      { world: 'houseRule', level: 99, problem: typed, completions: [] },
      'level: expected a level from 1 to',
    ],
    ['a problem without its parts', { problem: { ...whole, given: 3 }, completions: [] }, 'problem'],
    ['a completion that is no text', { problem: whole, completions: [3] }, 'completions.0: expected a text, got 3'],
    [
      'more completions than there is time for',
      { problem: whole, completions: Array.from({ length: 1025 }, () => '') },
      'at most 1024',
    ],
    [
      'a field that nobody reads',
      { problem: whole, completions: [], weigths: { rightAnswer: 2 } },
      'weigths: expected nothing',
    ],
    [
      'a part that is none',
      { problem: whole, completions: [], weights: { speed: 1 } },
      'weights.speed: there is no such part of the reward',
    ],
    [
      'a world of several turns',
      { world: 'memory', problem: worlds.memory.heldOut(1, 1)[0], completions: [] },
      'not answered in one turn',
    ],
  ])('refuse %s in one sentence', async (_, body, words) => {
    const error: unknown = await rewardsFor(body).catch((thrown: unknown) => thrown);
    expect(isNamedError(error) && error.message).toContain(words);
  });

  it('are given or refused with a named error, whatever is sent as the problem', async () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.array(fc.string(), { maxLength: 2 }));
    const names = Object.keys(worlds) as (keyof typeof worlds)[];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.string(),
        fc.dictionary(fc.constantFrom('shown', 'answer', 'level', 'hidden', 'given', 'id'), value),
        async (name, text, other) => {
          const problem = { ...worlds[name].heldOut(1, 1)[0], ...other };
          const error: unknown = await rewardsFor({ problem, completions: [text] }).catch((thrown: unknown) => thrown);
          if (error instanceof Error) expect(isNamedError(error), error.stack).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });
});
