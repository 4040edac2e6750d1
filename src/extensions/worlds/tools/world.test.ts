import { describe, expect, it } from 'vitest';
import { reasonInEnglish } from '../../../base/spoken.ts';
import { Draws, streams } from '../../../base/random.ts';
import type { ProtocolName } from '../../../config/protocols/facts.ts';
import { protocolsFor } from '../../../config/worlds/rules.ts';
import type { Problem } from '../../../records/problem.ts';
import { battery } from '../../../tasks/testing/battery.ts';
import { inProtocol } from '../../../tasks/testing/trajectories.ts';
import type { Utterance } from '../../../tasks/world.ts';
import { search } from './knowledge.ts';
import { world as tools } from './world.ts';

battery(tools, protocolsFor(tools));

const problem: Problem = {
  ...{ id: 'by hand', world: 'tools', level: 1, shown: '2 calls', answer: 'Rome', slice: 'file' },
  hidden: { question: 'What is in file log?', tools: '<search>17<read>' },
  given: {
    ...{ base: 17, shows: 1, files: { log: 'Rome', list: 'eggs' }, tools: ['search', 'read'], budget: 2 },
    ...{ plans: [' read log', ' answer'], goals: [' Rome'] },
  },
};
const protocol = (name: ProtocolName) => inProtocol(tools, name);
const plan = (text: string): Utterance => ({ role: 'metaThinking', agent: 0, text, isFinish: false });
const does = (text: string, agent = 1): Utterance => ({ role: 'reasoning', agent, text, isFinish: false });

/** The reply of the world to each message, and whether the dialogue is over after this message. */
async function seenOf(messages: readonly Utterance[]): Promise<(string | boolean)[]> {
  let state: unknown = null;
  const seen: (string | boolean)[] = [];
  for (const message of messages) {
    const { observation, isOver, ...reaction } = (await tools.react?.(problem, state, message)) ?? { state: null };
    ({ state } = reaction);
    seen.push(observation?.text ?? isOver ?? false);
  }
  return seen;
}

describe('the knowledge of the agents', () => {
  it('contains the question for the planner, the tools for the executor, and both for a single agent', () => {
    const views = (name: ProtocolName) => protocol(name).sees.map((sees) => tools.view(problem, sees));
    expect(views('reMA')).toEqual(['<bos> What is in file log?2 calls<eot>', '<bos><search>17<read>2 calls<eot>']);
    expect(views('toolLoop')).toEqual(['<bos> What is in file log?<search>17<read>2 calls<eot>']);
  });

  it('without results of tools gives a right answer in at most a tenth of the problems', () => {
    for (const { level } of tools.levels) {
      expect(tools.ceiling(level, [])).toBeLessThanOrEqual(tools.ceiling(level, ['question', 'tools']));
      expect(tools.ceiling(level, ['question', 'tools'])).toBeLessThanOrEqual(0.1);
    }
    expect(tools.ceiling(1, ['question'])).toBeCloseTo((1 / 12 + 1 / 36) / 2, 12);
  });

  it('can be completed by a search for a person and a verb, in every base', () => {
    const draws = new Draws(8, streams.control, 0);
    for (let i = 0; i < 500; i++) {
      const base = draws.below(320);
      expect(search(base, ' Ann lives', 1)[0]).toMatch(/^ Ann lives in \w+\.$/);
      expect(search(base, ' Rome lies', 2)[0]).toMatch(/^ Rome lies at \w+\.$/);
      expect(search(base, ' Zoe aged', 1)[0]).toMatch(/^ Zoe is aged \d\d\.$/);
    }
    const places = Array.from({ length: 100 }, (_, base) => search(base, ' Ann lives', 1)[0]);
    expect(new Set(places).size).toBe(12);
    expect(search(1, ' largest', 1)).toEqual([]);
  });
});

describe('a call', () => {
  it.each([
    ['<read> log', '<result> Rome<left>1<eot>'],
    ['<read> diary', '<error> no such file<left>1<eot>'],
    ['<read> constructor', '<error> no such file<left>1<eot>'],
    ['<read>7', '<error> malformed call<left>1<eot>'],
    ['<search> largest', '<error> nothing found<left>1<eot>'],
    ['<calc>1+1', '<error> unknown tool<left>1<eot>'],
    ['<read> log<read> list', '<error> malformed call<left>1<eot>'],
    ['', '<error> malformed call<left>1<eot>'],
  ])('%s gives %s', async (text, seen) => expect(await seenOf([does(text)])).toEqual([seen]));

  it('costs one of the budget, and fails after the budget is used up', async () => {
    const calls = [plan(' read log'), does('<read> log'), does('<read> list'), does('<read> log'), does(' Rome')];
    expect(await seenOf(calls)).toEqual([
      ...[false, '<result> Rome<left>1<eot>', '<result> eggs<left>0<eot>'],
      ...['<error> nothing left<left>0<eot>', true],
    ]);
  });

  it('has a result that only its caller reads', async () => {
    const { observation } = (await tools.react?.(problem, null, does('<read> log'))) ?? {};
    expect(observation).toMatchObject({ source: 'read', readers: [1] });
  });

  it.each([
    ['<calc>34+7', '<result>41'],
    ['<calc>34+', '<error> no such sum'],
    ['<write> log,9', '<result>12,51,9'],
    ['<write> memo,9', '<result>9'],
    ['<write> Rome,9', '<error> no such file'],
    ['<write> memo', '<error> malformed call'],
    ['<js>Math.max(... log)', '<result>51'],
    ['<js> log.reduce((a,b)=>a+b)', '<result>63'],
    ['<js>34+7', '<result>41'],
    ['<js>Math.max(... memo)', '<error> program'],
    ['<js>)', '<error> program'],
    ['<js>1/', '<error> program'],
    ['<js>.reduce((a,b)=>a+b)', '<error> program'],
    ['<js>Math.min(... draft)', '<result>30'],
  ])('%s of other tools gives %s', async (text, seen) => {
    const given = {
      ...(problem.given as object),
      tools: ['calc', 'write', 'js'],
      files: { log: '12,51', draft: '40,030' },
    };
    const { observation } = (await tools.react?.({ ...problem, given }, null, does(text))) ?? {};
    expect(observation?.text).toBe(`${seen}<left>1<eot>`);
  });
});

describe('a dialogue', () => {
  it('earns rewards for plans that name the next step, and for results of calls', async () => {
    const talk = [plan(' read log'), does('<read> log'), plan(' answer'), does(' Rome')];
    const found = await tools.assess(problem, talk, protocol('reMA'));
    expect(found).toMatchObject({ answer: 'Rome', isRight: true, potentials: [0, 0, 0.5, 0.5, 1] });
    expect(found.perTurn.map(({ parts }) => parts)).toEqual([
      { nextStep: 1, format: 1 },
      { wellFormedCall: 1, usefulCall: 1, waste: 0, format: 1 },
      { nextStep: 1, format: 1 },
      { format: 1, rightAnswer: 1, finished: 1 },
    ]);
  });

  it('earns nothing with calls that give no result or no new result', async () => {
    const talk = ['<read> diary', '<read> list', '<read> list', ' eggs'].map((text) => does(text, 0));
    const found = await tools.assess(
      { ...problem, given: { ...(problem.given as object), budget: 3 } },
      talk,
      protocol('toolLoop'),
    );
    expect(found).toMatchObject({ answer: 'eggs', isRight: false });
    expect(found.perTurn.map(({ parts }) => parts['waste'] ?? null)).toEqual([1, 0, 1, null]);
    expect(found.perTurn.map(({ reason }) => reasonInEnglish(reason))).toEqual([
      'the call returns nothing: no such file',
      'the answer does not depend on what was found',
      'that was found before',
      'the answer was Rome, but eggs was given',
    ]);
  });

  it('has the prospect of the next step after a plan that names it', async () => {
    const prospect = async (text: string) => (await tools.assess(problem, [plan(text)], protocol('reMA'))).prospect;
    expect([await prospect(' read log'), await prospect(' read list')]).toEqual([0.5, 0]);
  });

  it('is wrong if a single turn is a call, because a call is no answer', async () => {
    const { isRight, perTurn } = await tools.assess(problem, [does('<read> log', 0)], protocol('single'));
    expect([isRight, reasonInEnglish(perTurn[0]?.reason ?? [])]).toEqual([
      false,
      '<read> log is not an answer; the answer was Rome, but no answer was given',
    ]);
  });
});
