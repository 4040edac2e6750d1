// Tests the code that checks visitors' worlds and runs dialogues in them. The tests use the templates, with typed and
// random messages, and texts that try to cause harm.
import { describe, expect, it } from 'vitest';
import { plannedPair, type OwnProtocol } from '../../src/config/ownProtocol.ts';
import { parseConfig } from '../../src/config/parse.ts';
import type { ProtocolName } from '../../src/config/protocols/facts.ts';
import { templates } from '../../src/tasks/custom/templates.ts';
import { WorldBench } from './worldBench.ts';

const bench = new WorldBench();
const module = (source: string) => ({ kind: 'module' as const, source });
/** For each protocol that can be used in only one world, the name of that world. */
const homes: Partial<Record<ProtocolName, 'memory' | 'tools' | 'passItOn'>> = {
  memoryLoop: 'memory',
  memoryAlone: 'memory',
  toolLoop: 'tools',
  tell: 'passItOn',
};
const config = (protocol: ProtocolName) =>
  parseConfig({
    world: { name: homes[protocol] ?? 'houseRule' },
    agents: { protocol, ...(homes[protocol] === undefined && { count: 3 }) },
  });
const { planAndExecute } = templates;
const lineOf = (source: string, text: string) => source.slice(0, source.indexOf(text)).split('\n').length;

const pairs = Object.values(templates).flatMap(({ label, protocols, source }) =>
  protocols.map((protocol): [string, ProtocolName, string] => [label, protocol, source]),
);

it.each(pairs)(
  '%s: %s is checked, and all ten problems end when they are played at random',
  async (_, name, source) => {
    const { value, fault } = await bench.check(module(source), config(name));
    expect([value?.form.levels.length, fault]).toEqual([value?.form.levels.length ?? 0, undefined]);
    for (let problem = 0; problem < 10; problem++) {
      const played = await bench.play({ content: module(source), config: config(name), problem, said: null });
      expect(played.fault).toBeUndefined();
      expect(played.value?.awaited).toBeNull();
      expect(played.value?.turns.length).toBeGreaterThan(0);
    }
  },
);

it('by hand each agent is asked in turn, hears all messages and observations, and the right way is right', async () => {
  const of = { content: module(planAndExecute.source), config: config('reMA'), problem: 2 };
  const begun = (await bench.play({ ...of, said: [] })).value!;
  const way = begun.problem.hidden['way'] ?? '';
  expect(begun.seats.map(({ prompt }) => prompt.includes(way))).toEqual([true, false]);
  expect(begun.awaited).toMatchObject({ agent: 0, mayFinish: true });
  const plan = { text: way, isFinish: false };
  const planned = (await bench.play({ ...of, said: [[plan]] })).value!;
  expect(planned.turns).toMatchObject([{ agent: 0, text: ` ${way}`, parts: { hint: 1 } }]);
  expect(planned.awaited?.agent).toBe(1);
  expect(planned.awaited?.heard).toContain(way);
  const walked = (await bench.play({ ...of, said: [[plan], [{ text: way, isFinish: false }]] })).value!;
  expect(walked.turns[1]?.observation).toMatchObject({ source: 'road', text: ' there' });
  const finish = { text: '', isFinish: true };
  const done = (await bench.play({ ...of, said: [[plan, finish], [plan]] })).value!;
  expect(done).toMatchObject({ awaited: null, isRight: true, answer: way });
});

it('a word that the world lacks is reported, and a message that is too long is cut', async () => {
  const of = { content: module(planAndExecute.source), config: config('reMA'), problem: 0 };
  const foreign = await bench.play({ ...of, said: [[{ text: 'north', isFinish: false }]] });
  expect(foreign.fault?.message).toMatch(/“north”|vocabulary/);
  const long = await bench.play({ ...of, said: [[{ text: 'left left left left left left', isFinish: false }]] });
  expect(long.value?.turns[0]?.isTruncated).toBe(true);
});

describe('a hostile world is refused with its line', () => {
  const spoilt = (from: string, to: string) => planAndExecute.source.replace(from, to);
  it.each<[string, string, RegExp, string | null]>([
    ['that cannot be read', spoilt('export function draw', 'export function draw draw'), /SyntaxError/, 'draw draw'],
    [
      'that never ends',
      spoilt('const isRight =', 'for (;;) Math.abs(1);\n  const isRight ='),
      /judge: .*ran too long/,
      'for (;;)',
    ],
    ['that throws', spoilt('const walked = state', 'null.x;\n  const walked = state'), /react: TypeError/, 'null.x'],
    ['whose reward is not a number', spoilt('score: isRight ? 1 : 0', 'score: 0 / 0'), /judge: .*score.*NaN/, null],
    ['that is no world', 'export const draw = () => 1;', /about/, null],
  ])('%s', async (_, source, message, at) => {
    const { fault } = await bench.check(module(source), config('reMA'));
    expect(fault?.message).toMatch(message);
    expect(fault?.line).toBe(at && lineOf(source, at));
  });
});

it('with several planners each agent hears and ends the same as in training', async () => {
  const [planner, reasoner] = plannedPair.agents as [OwnProtocol['agents'][0], OwnProtocol['agents'][0]];
  const own: OwnProtocol = {
    ...{ ...plannedPair, agents: [planner, { ...planner, hears: [0, 2] }, { ...reasoner, hears: [0, 1] }] },
    ...{ order: [[0], [1], [2]], answer: 2 },
  };
  const three = parseConfig({ agents: { protocol: 'own', own }, warmStart: { source: 'train' } });
  const content = module(planAndExecute.source);
  expect((await bench.check(content, three)).fault).toBeUndefined();
  const asked = { content, config: three, problem: 2 };
  const way = (await bench.play({ ...asked, said: [] })).value?.problem.hidden['way'] ?? '';
  const said = [[{ text: way, isFinish: false }], [{ text: '', isFinish: true }], [{ text: way, isFinish: false }]];
  expect((await bench.play({ ...asked, said })).value).toMatchObject({ awaited: { agent: 0 }, isRight: false });
  const finish = { text: '', isFinish: true };
  const done = (await bench.play({ ...asked, said: [[...said[0]!, finish], ...said.slice(1)] })).value;
  expect(done).toMatchObject({ awaited: null, isRight: true });
});
