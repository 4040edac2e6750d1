import { describe, expect, it } from 'vitest';
import { fieldAt, type NumberField } from '../config/describe.ts';
import { protocolNames } from '../config/names.ts';
import { parseConfig } from '../config/parse.ts';
import type { ConfigInput } from '../config/schema.ts';
import { worlds } from '../tasks/registry.ts';
import { loadTokenizer, specialIds } from '../text/tokenizer.ts';
import { drawsPerTrajectory, drawsPerTurn, runDialogues } from './dialogue.ts';
import { fakePolicy, type FakeSession } from './fakePolicy.ts';
import { protocols } from './protocols/registry.ts';
import { rolloutSettings } from './settings.ts';

const tokenizer = loadTokenizer();
const world = worlds.houseRule;

describe.each(protocolNames)('the protocol %s', (name) => {
  const { roles, round, finisher, headers } = protocols[name];

  it('lets every agent speak once a round and only agents it has', () => {
    expect(round.flat().toSorted()).toEqual([...roles.keys()]);
    if (finisher !== null) expect(roles[finisher]).toBeDefined();
  });

  it('opens the turns of its roles with one token each, all different', () => {
    const opened = roles.map((role) => tokenizer.encode(headers[role]));
    expect(opened.map((ids) => ids.length)).toEqual(roles.map(() => 1));
    expect(new Set(opened.flat()).size).toBe(new Set(roles).size);
  });
});

describe('one agent alone', () => {
  async function alone(said: string, changes: ConfigInput['agents'] = {}) {
    const config = parseConfig({ agents: { protocol: 'single', ...changes } });
    const policy = fakePolicy(() => tokenizer.encode(said));
    const problem = { id: 'p', level: 1, expression: '7+4*2', rule: 'rightToLeft', answer: '5' } as const;
    const [trajectory] = await runDialogues({
      ...{ problems: [problem], groups: [0], protocol: protocols.single, settings: rolloutSettings(config, world) },
      policies: [policy],
      tokens: {
        endOfTurn: specialIds.eot,
        finish: specialIds.finish,
        headers: { metaThinking: [specialIds.meta], reasoning: [specialIds.reason] },
      },
      prompt: (asked) => tokenizer.encode(world.view(asked, 'reasoning', 'single')),
      decode: (ids) => tokenizer.decode(ids),
      uniform: () => 0,
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
  it.each(world.levels)('take the limits of level $level where a setting says 0', ({ level }) => {
    for (const protocol of protocolNames) {
      const agents = { protocol, roundLimit: 0, metaWindow: 0, reasonWindow: 0 };
      const limits = world.limits(level, protocol);
      expect(rolloutSettings(parseConfig({ world: { level }, agents }), world)).toMatchObject({
        protocolName: protocol,
        roundLimit: limits.roundLimit,
        windows: { metaThinking: limits.metaWindow, reasoning: limits.reasonWindow },
      });
    }
  });

  it('take what the configuration says otherwise, but never a second round alone', () => {
    const agents = {
      roundLimit: 3,
      metaWindow: 5,
      reasonWindow: 6,
      temperature: 0.5,
      stopWhenTruncated: false,
    } as const;
    const config = (protocol: 'reMA' | 'single') => parseConfig({ agents: { ...agents, protocol } });
    expect(rolloutSettings(config('reMA'), world)).toEqual({
      ...{ protocolName: 'reMA', roundLimit: 3, windows: { metaThinking: 5, reasoning: 6 }, temperature: 0.5 },
      ...{ finishEnds: 'atOnce', stopWhenTruncated: false },
    });
    expect(rolloutSettings(config('single'), world).roundLimit).toBe(1);
  });
});

it('every token of the longest dialogue the settings allow has a draw of its own', () => {
  const most = (path: string) => (fieldAt(path) as NumberField).max;
  const limits = world.levels.flatMap(({ level }) => protocolNames.map((name) => world.limits(level, name)));
  const windows = [most('agents.metaWindow'), most('agents.reasonWindow')];
  windows.push(...limits.flatMap(({ metaWindow, reasonWindow }) => [metaWindow, reasonWindow]));
  expect(Math.max(...windows)).toBeLessThanOrEqual(drawsPerTurn);
  const rounds = Math.max(most('agents.roundLimit'), ...limits.map(({ roundLimit }) => roundLimit));
  for (const name of protocolNames) {
    expect(rounds * protocols[name].round.flat().length * drawsPerTurn).toBeLessThanOrEqual(drawsPerTrajectory);
  }
});
