import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../config/parse.ts';
import type { Problem } from '../../records/problem.ts';
import { protocolOf } from '../../records/protocol.ts';
import { battery } from '../testing/battery.ts';
import type { Spoken } from '../world.ts';
import { code } from './code.ts';
import { programsOf, sourceOf, valueOf, type Form } from './programs.ts';
import { hiddenLists, run } from './running.ts';

battery(code, ['reMA', 'single', 'pioneerObserver', 'debate', 'vote', 'summary']);

const problem: Problem = {
  ...{ id: 'a', world: 'code', level: 1, shown: 'f(xs)', answer: 'xs.slice(1)', slice: 'three' },
  hidden: { description: 'Leave out the first ones.', examples: '[2,3,9]=[3,9];[1,3,5]=[3,5]' },
  given: { plan: 'drop', examples: [[2, 3, 9], [1, 3, 5]] }, // prettier-ignore
};

const says = (role: Spoken['role'], text: string, isFinish = false): Spoken => ({
  ...{ role, agent: role === 'metaThinking' ? 0 : 1, text, isFinish },
});

describe('a program is worth what it does', () => {
  it.each<[string, string, object]>([
    ['as asked', 'xs.slice(1)', { share: 1, passesExamples: true, said: '<passed>' }],
    ['the same in other words', 'xs.filter((x,i)=>i>0)', { share: 1, said: '<passed>' }],
    ['another that fits', 'xs.slice(-2)', { isWhole: true, passesExamples: true, said: '<passed>', share: 0 }],
    ['one that fails an example', 'xs.slice(2)', { said: '<failed>[2,3,9]=[9]', share: 0 }],
    ['one that gives no list', 'xs.length>2', { said: '<failed>[2,3,9]=', isWhole: true }],
    ['an error', 'x+1', { said: '<error>ReferenceError', isWhole: false, isRead: true }],
    ['no program', 'xs.slice(', { said: '<error>SyntaxError', isRead: false }],
    ['nothing', '', { said: '<error>SyntaxError', isRead: false }],
    ['one without end', '(()=>{for(;;);})()', { said: '<error>', isWhole: false, share: 0 }],
  ])('%s', async (_, text, found) => {
    expect(await run(problem, text)).toMatchObject(found);
  });

  it('and the sandbox makes of the programs that are asked for what the evaluator makes of them', async () => {
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

it('neither description nor examples suffice', () => {
  for (const level of [1, 2, 3]) {
    expect(code.ceiling(level, ['examples'])).toBeLessThanOrEqual(0.4);
    expect(code.ceiling(level, ['description'])).toBeLessThanOrEqual(0.6);
    expect(code.ceiling(level, [])).toBeLessThanOrEqual(0.15);
  }
});

describe('a dialogue', () => {
  const protocol = protocolOf(parseConfig({}).agents, code);

  it('goes on until the planner ends it, who has seen what became of the program', async () => {
    const talk = [says('metaThinking', 'last'), says('reasoning', 'xs.slice(-2)'), says('metaThinking', 'drop'), says('reasoning', 'xs.slice(1)')]; // prettier-ignore
    expect(await code.assess(problem, talk, protocol)).toMatchObject({ isRight: false, potentials: [0, 0, 0, 0, 1] });
    const found = await code.assess(problem, [...talk, says('metaThinking', '', true)], protocol);
    expect(found).toMatchObject({ isRight: true, answer: 'xs.slice(1)' });
    expect(found.perTurn.map(({ parts }) => parts['asDescribed'])).toEqual([0, 0, 1, 0, 0]);
    expect(found.perTurn.map(({ reason }) => reason)).toEqual([
      'last is not what the description says',
      'it passes the examples and fails a hidden test',
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
    expect(seen).toEqual([['<failed>[2,3,9]=[9]<eot>', false], ['<error>SyntaxError<eot>', false], ['<passed><eot>', true]]); // prettier-ignore
  });
});
