import { describe, expect, it } from 'vitest';
import { sampleProblem } from '../records/testing/arbitrary.ts';
import { form as houseRule } from '../extensions/worlds/houseRule/form.ts';
import { protocolNames } from '../config/protocols/registry.ts';
import { parseConfig, parseShape } from '../config/parse.ts';
import type { ConfigInput } from '../config/schema.ts';
import { roles as allRoles } from '../records/ids.ts';
import { worlds } from '../tasks/registry.ts';
import { roleHeaders } from '../text/chatTemplate.ts';
import { loadTokenizer } from '../tasks/testing/tokenizers.ts';
import { runTrajectories } from './runTrajectories.ts';
import { fakePolicy, type FakeSession } from './testing/fakePolicy.ts';
import { protocolOf } from '../records/protocol.ts';
import { rolloutSettings } from './settings.ts';
import { viewTokens } from './view.ts';

const tokenizer = loadTokenizer();
const world = worlds.houseRule;
const of = (agents: ConfigInput['agents']) => protocolOf(parseShape({ agents }).agents, houseRule);

describe.each(protocolNames)('the protocol %s', (name) => {
  it.each([2, 3, 8])('of %i lets every agent speak once a round, and no unknown agent', (count) => {
    const { roles, round, finisher, hears, sees, messengers, answerFrom } = of({ protocol: name, count });
    const agents = [...roles.keys()];
    expect(round.flat().toSorted()).toEqual(agents);
    if (finisher !== null) expect(agents).toContain(finisher);
    if (answerFrom !== 'majority') expect(agents).toContain(answerFrom);
    expect([sees.length, hears?.length ?? agents.length]).toEqual([agents.length, agents.length]);
    for (const other of [...messengers, ...(hears ?? []).flat()]) expect(agents).toContain(other);
    hears?.forEach((heard, agent) => expect(heard).not.toContain(agent));
  });
});

it('every role opens its turns with one token of its own, and the first two keep theirs', () => {
  const opened = allRoles.map((role) => tokenizer.encode(roleHeaders[role]));
  expect(opened.map((ids) => ids.length)).toEqual(allRoles.map(() => 1));
  expect(new Set(opened.flat()).size).toBe(allRoles.length);
  expect(opened.slice(0, 2)).toEqual([[4], [5]]);
});

describe('who sees the rule', () => {
  const seen = (agents: ConfigInput['agents']) =>
    of(agents)
      .sees.map(({ length }) => length)
      .join('');

  it('is as usual the planner, the one who is alone, with tools or without, the pioneer, one debater in two, every voter, never the leader or who reads a text', () => {
    expect(Object.fromEntries(protocolNames.map((protocol) => [protocol, seen({ protocol, count: 4 })]))).toMatchObject(
      {
        ...{ reMA: '10', single: '1', pioneerObserver: '10', debate: '1010', vote: '1111', summary: '1110' },
        ...{ inTurn: '10', memoryLoop: '00', memoryAlone: '0', toolLoop: '1', tell: '10', own: '10' },
      },
    );
    expect(seen({ protocol: 'debate', count: 2 })).toBe('10');
    expect(seen({ protocol: 'debate', count: 3 })).toBe('101');
  });

  it('is a setting of every protocol but the first two', () => {
    const informed = ['first', 'half', 'last', 'all', 'nobody'] as const;
    const table = (protocol: (typeof protocolNames)[number]) =>
      informed.map((who) => seen({ protocol, informed: who, count: 3 }));
    expect(table('debate')).toEqual(['100', '101', '001', '111', '000']);
    expect(table('summary')).toEqual(['100', '100', '001', '111', '000']);
    expect(table('pioneerObserver')).toEqual(['10', '10', '01', '11', '00']);
    expect(table('vote')).toEqual(['100', '101', '001', '111', '000']);
    expect(new Set([...table('reMA'), ...table('single')])).toEqual(new Set(['10', '1']));
  });
});

describe('one agent alone', () => {
  async function alone(said: string, changes: ConfigInput['agents'] = {}) {
    const config = parseConfig({ agents: { protocol: 'single', ...changes } });
    const protocol = protocolOf(config.agents, houseRule);
    const policy = fakePolicy(() => tokenizer.encode(said));
    const problem = sampleProblem;
    const [trajectory] = await runTrajectories({
      ...{ problems: [problem], groups: [0], protocol, settings: rolloutSettings(config, world) },
      policies: [policy],
      tokens: viewTokens(protocol, [tokenizer]),
      prompt: (asked) => tokenizer.encode(world.view(asked, ['rule'])),
      decode: (ids) => tokenizer.decode(ids),
      address: () => 0,
      judge: () => Promise.reject(new Error('nobody asks')),
      maskDraw: () => 0,
    });
    return { trajectory, session: policy.sessions[0] as FakeSession };
  }

  it('sees the rule, answers in one turn and is finished', async () => {
    const { trajectory, session } = await alone('4*2=7+8;7+8=5<eot>');
    expect(trajectory?.turns).toMatchObject([{ text: '4*2=7+8;7+8=5', role: 'reasoning', agent: 0, round: 0 }]);
    expect(trajectory?.finishCode).toBe(0);
    expect(tokenizer.decode(session.rows[0]?.ids ?? [])).toBe('<bos><rightToLeft>7+4*2<eot><reason>4*2=7+8;7+8=5<eot>');
    expect(session.requests).toHaveLength(1);
  });

  it('is finished by the finish token as well', async () => {
    expect((await alone('5<finish>')).trajectory).toMatchObject({ finishCode: 0, turns: [{ isFinish: true }] });
  });

  it('is cut with code 3, or runs out of rounds with code 1 where cut turns may stand', async () => {
    const cut = { reasonWindow: 5, stopWhenTruncated: true };
    expect((await alone('4*2=7+8;7+8=5<eot>', cut)).trajectory).toMatchObject({ finishCode: 3 });
    const standing = { reasonWindow: 5, stopWhenTruncated: false };
    expect((await alone('4*2=7+8;7+8=5<eot>', standing)).trajectory).toMatchObject({ finishCode: 1 });
  });
});

describe('the settings of a rollout', () => {
  it.each(world.levels)('take the limits of level $level if a setting is 0', ({ level }) => {
    for (const protocol of protocolNames) {
      const agents = { protocol, roundLimit: 0, metaWindow: 0, reasonWindow: 0 };
      const limits = world.limits(level, of(agents));
      const { windows, ...settings } = rolloutSettings(parseShape({ world: { level }, agents }), world);
      expect(settings).toMatchObject({ protocolName: protocol, roundLimit: limits.roundLimit });
      for (const [agent, role] of of(agents).roles.entries()) expect(windows[role]).toBe(limits.windows[agent]);
    }
  });

  it('take what the configuration says otherwise, but never a second round where there is one only', () => {
    const agents = {
      roundLimit: 3,
      metaWindow: 5,
      reasonWindow: 6,
      temperature: 0.5,
      stopWhenTruncated: false,
    } as const;
    const settings = (protocol: (typeof protocolNames)[number]) =>
      rolloutSettings(parseShape({ agents: { ...agents, protocol } }), world);
    expect(settings('reMA')).toMatchObject({
      ...{ protocolName: 'reMA', roundLimit: 3, windows: { metaThinking: 5, reasoning: 6 }, temperature: 0.5 },
      ...{ finishEnds: 'atOnce', stopWhenTruncated: false },
    });
    const oneRound = protocolNames.filter((name) => settings(name).roundLimit === 1);
    expect(oneRound).toEqual(expect.arrayContaining(['single', 'pioneerObserver', 'vote', 'tell']));
    for (const name of ['reMA', 'debate', 'summary', 'inTurn', 'memoryLoop', 'memoryAlone', 'toolLoop', 'own'] as const)
      expect(settings(name).roundLimit, name).toBe(3);
  });
});
