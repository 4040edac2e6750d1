import { describe, expect, it } from 'vitest';
import { reasonInEnglish } from '../../../base/spoken.ts';
import { Draws, streams } from '../../../base/random.ts';
import type { Problem } from '../../../records/problem.ts';
import { battery } from '../../../tasks/testing/battery.ts';
import { inProtocol } from '../../../tasks/testing/trajectories.ts';
import type { Utterance } from '../../../tasks/world.ts';
import { world as code } from './world.ts';
import { programsOf, sourceOf, valueOf, type Form } from './programs.ts';
import { hiddenLists, run } from './running.ts';

battery(code, ['reMA', 'single', 'pioneerObserver', 'debate', 'vote', 'summary']);

const problem: Problem = {
  ...{ id: 'a', world: 'code', level: 1, shown: 'f(xs)', answer: 'xs.slice(1)', slice: 'three' },
  hidden: { description: 'Leave out the first ones.', examples: '[2,3,9]=[3,9];[1,3,5]=[3,5]' },
  given: {
    plan: 'drop',
    examples: [
      [2, 3, 9],
      [1, 3, 5],
    ],
  },
};

const says = (role: Utterance['role'], text: string, isFinish = false): Utterance => ({
  ...{ role, agent: role === 'metaThinking' ? 0 : 1, text, isFinish },
});

describe('a program is judged by its results', () => {
  it.each<[string, string, object]>([
    ['as asked', 'xs.slice(1)', { share: 1, passesExamples: true, said: '<passed>' }],
    ['the same in other words', 'xs.filter((x,i)=>i>0)', { share: 1, said: '<passed>' }],
    ['another that fits', 'xs.slice(-2)', { isWhole: true, passesExamples: true, said: '<passed>', share: 0 }],
    ['one that fails an example', 'xs.slice(2)', { said: '<failed>[2,3,9]=[9]', share: 0 }],
    ['one that gives no list', 'xs.length>2', { said: '<failed>[2,3,9]=', isWhole: true }],
    ['an error', 'x+1', { said: '<error>ReferenceError', isWhole: false, isRead: true }],
    ['no program', 'xs.slice(', { said: '<error>SyntaxError', isRead: false }],
    ['nothing', '', { said: '<error>SyntaxError', isRead: false }],
    ['a way out of the brackets', '0); Array.prototype.map = () => 5; (0', { isWhole: true, share: 0 }],
    ['another way out', '0); Array.prototype.map = () => [null, {}]; (0', { passesExamples: false, share: 0 }],
    ['one without end', '(()=>{for(;;);})()', { said: '<error>', isWhole: false, share: 0 }],
  ])('%s', async (_, text, found) => {
    expect(await run(problem, text)).toMatchObject(found);
  });

  it('a program that passes all hidden tests and fails an example is wrong', async () => {
    const text = 'xs.slice(xs[1]===3&&xs[2]===9?0:1)';
    expect(await run(problem, text)).toMatchObject({ share: 1, passesExamples: false });
    expect(await code.judge(problem, says('reasoning', text))).toMatchObject({ isRight: false, score: 0.75 });
  });

  it('the sandbox and the evaluator give the same results for the asked programs', async () => {
    for (const [at, form] of (['pick', 'pickAndChange', 'changeInPlace'] as const).entries()) {
      for (const program of programsOf(form).filter((_, i) => i % 7 === 0)) {
        const asked = { ...problem, level: at + 1, answer: sourceOf(program) };
        expect(await run(asked, asked.answer)).toMatchObject({ share: 1, said: '<passed>' });
      }
    }
  });
});

it.each<Form>(['pick', 'pickAndChange', 'changeInPlace'])('hidden tests tell all programs apart (%s)', (form) => {
  const does = programsOf(form).map((program) => JSON.stringify(hiddenLists.map((xs) => valueOf(program, xs))));
  expect(new Set(does).size).toBe(does.length);
});

it('held-out examples do not occur in training in the other order', () => {
  for (const level of [1, 2, 3]) {
    const shown = (split: 'training' | 'heldOut') => {
      const draws = new Draws(1, streams.problems, level);
      return Array.from({ length: 5_000 }, () => code.draw(level, draws, split).hidden['examples'] ?? '');
    };
    const trained = new Set(shown('training').map((examples) => examples.split(';').toSorted().join(';')));
    const both = shown('heldOut').filter((examples) => trained.has(examples.split(';').toSorted().join(';')));
    expect(both).toEqual([]);
  }
});

it('the ceilings are those of the problems that are held out', () => {
  for (const level of [1, 2, 3]) {
    const draws = new Draws(1, streams.problems, level);
    const byPlan = new Map<string, Map<string, number>>();
    for (let i = 0; i < 10_000; i++) {
      const { given, answer } = code.draw(level, draws, 'heldOut');
      const { plan } = given as { plan: string };
      const answers = byPlan.get(plan) ?? new Map<string, number>();
      byPlan.set(plan, answers.set(answer, (answers.get(answer) ?? 0) + 1));
    }
    const best = [...byPlan.values()].reduce((sum, answers) => sum + Math.max(...answers.values()), 0) / 10_000;
    expect(Math.abs(best - code.ceiling(level, ['description']))).toBeLessThan(0.015);
  }
});

it('neither the description nor the examples alone suffice', () => {
  for (const level of [1, 2, 3]) {
    expect(code.ceiling(level, ['examples'])).toBeLessThanOrEqual(0.4);
    expect(code.ceiling(level, ['description'])).toBeLessThanOrEqual(0.6);
    expect(code.ceiling(level, [])).toBeLessThanOrEqual(0.15);
  }
});

describe('a dialogue', () => {
  const protocol = inProtocol(code, 'reMA');

  it('continues until the planner ends it, and the planner sees the result of the program', async () => {
    const talk = [
      says('metaThinking', 'last'),
      says('reasoning', 'xs.slice(-2)'),
      says('metaThinking', 'drop'),
      says('reasoning', 'xs.slice(1)'),
    ];
    expect(await code.assess(problem, talk, protocol)).toMatchObject({ isRight: false, potentials: [0, 0, 0, 0, 1] });
    const found = await code.assess(problem, [...talk, says('metaThinking', '', true)], protocol);
    expect(found).toMatchObject({ isRight: true, answer: 'xs.slice(1)' });
    expect(found.perTurn.map(({ parts }) => parts['asDescribed'])).toEqual([0, 0, 1, 0, 0]);
    expect(found.perTurn.map(({ reason }) => reasonInEnglish(reason))).toEqual([
      'last does not match the description',
      'it passes the examples but fails a hidden test',
      '',
      '',
      'the answer is xs.slice(1)',
    ]);
  });

  it('is over after the third program', async () => {
    let state: unknown = null;
    const seen = [];
    for (const text of ['xs.slice(2)', 'xs.slice(', 'xs.slice(1)']) {
      const reaction = await code.react!(problem, state, says('reasoning', text));
      ({ state } = reaction);
      seen.push([reaction.observation?.text, reaction.isOver ?? false]);
    }
    expect(seen).toEqual([
      ['<failed>[2,3,9]=[9]<eot>', false],
      ['<error>SyntaxError<eot>', false],
      ['<passed><eot>', true],
    ]);
  });
});
