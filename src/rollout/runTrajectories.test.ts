import { sampleProblem } from '../records/testing/arbitrary.ts';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/parse.ts';
import type { Problem } from '../records/problem.ts';
import type { Trajectory } from '../records/trajectory.ts';
import { world as houseRule } from '../extensions/worlds/houseRule/world.ts';
import { loadTokenizer, specialIds } from '../tasks/testing/tokenizers.ts';
import { runTrajectories } from './runTrajectories.ts';
import { fakePolicy, type FakePolicy, type FakeSession } from './testing/fakePolicy.ts';
import { protocolOf } from '../records/protocol.ts';
import { agentId } from '../records/ids.ts';
import { readTerminated } from '../text/chatTemplate.ts';
import { turnAddress, type RolloutRequest, type GivenTurn } from './request.ts';
import { rolloutSettings, type RolloutSettings } from './settings.ts';
import { viewTokens } from './view.ts';

const tokenizer = loadTokenizer();
const problem: Problem = sampleProblem;

/**
 * Makes the messages of an agent, by row and turn. After the last message of the list, the agent repeats this message.
 */
const speaker = (script: string[][], options: Parameters<typeof fakePolicy>[1] = {}) =>
  fakePolicy((row, turn) => tokenizer.encode(script[row]?.[turn] ?? (script[row]?.at(-1) as string)), options);

interface Talk {
  trajectories: Trajectory[];
  meta: FakeSession;
  reason: FakeSession;
}

async function talk(
  policies: FakePolicy[],
  settings: Partial<RolloutSettings> = {},
  more: Partial<RolloutRequest> = {},
): Promise<Talk> {
  const rows = more.problems?.length ?? 1;
  const config = parseConfig({ agents: { protocol: policies.length === 1 ? 'single' : 'reMA' } });
  const protocol = protocolOf(config.agents, houseRule);
  const trajectories = await runTrajectories({
    problems: Array.from({ length: rows }, () => problem),
    groups: Array.from({ length: rows }, (_, row) => 10 + row),
    protocol,
    settings: { ...rolloutSettings(config, houseRule), ...settings },
    policies,
    tokens: viewTokens(protocol, [tokenizer]),
    prompt: (asked, agent) => tokenizer.encode(houseRule.view(asked, protocol.sees[agent] ?? [])),
    decode: (ids) => tokenizer.decode(ids),
    address: (...turn) => turnAddress({ seed: 1, stream: 3, iteration: 0 }, ...turn),
    judge: () => Promise.reject(new Error('nobody asks')),
    maskDraw: () => Number.NaN,
    ...more,
  });
  const [meta, reason] = policies.map(({ sessions }) => sessions[0]) as [FakeSession, FakeSession];
  return { trajectories, meta, reason };
}

const three = { problems: [problem, problem, problem], groups: [0, 0, 1] };
const heard = ({ rows }: FakeSession, row = 0) => tokenizer.decode(rows[row]?.ids ?? []);
const said = ({ turns }: Trajectory) => turns.map(({ role, text }) => `${role === 'reasoning' ? 'r' : 'm'} ${text}`);

const plan = ['4*2<eot>', '7+8<eot>', '<finish>'];
const reply = ['7+8<eot>', '5<eot>', '0<eot>'];

describe('the dialogue of the contract', () => {
  it('goes planner, reasoner, planner, reasoner, finish, and each hears exactly the other', async () => {
    const { trajectories, meta, reason } = await talk([speaker([plan]), speaker([reply])]);
    const [trajectory] = trajectories as [Trajectory];
    expect(said(trajectory)).toEqual(['m 4*2', 'r 7+8', 'm 7+8', 'r 5', 'm ']);
    expect(heard(meta)).toBe(
      '<bos><rightToLeft>7+4*2<eot><meta>4*2<eot><reason>7+8<eot><meta>7+8<eot><reason>5<eot><meta><finish>',
    );
    expect(heard(reason)).toBe('<bos>7+4*2<eot><meta>4*2<eot><reason>7+8<eot><meta>7+8<eot><reason>5<eot>');
    expect(trajectory).toMatchObject({ finishCode: 0, index: 0, group: 10, problem, answer: null, reward: 0 });
  });

  it('numbers its turns and rounds, and keeps tokens, log-probabilities and flags', async () => {
    const { trajectories, meta } = await talk([speaker([plan]), speaker([reply])]);
    const { turns } = trajectories[0] as Trajectory;
    expect(turns.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
    expect(turns.map(({ round }) => round)).toEqual([0, 0, 1, 1, 2]);
    expect(turns.map(({ agent }) => agent as number)).toEqual([0, 1, 0, 1, 0]);
    expect(turns.map(({ isFinish }) => isFinish)).toEqual([false, false, false, false, true]);
    expect(turns.some(({ isTruncated }) => isTruncated)).toBe(false);
    expect(turns[2]?.tokens).toEqual(tokenizer.encode('7+8<eot>'));
    expect(turns[4]?.tokens).toEqual([specialIds.finish]);
    expect([0, 2, 4].flatMap((turn) => turns[turn]?.logprobs)).toEqual(meta.rows[0]?.logprobs.filter((x) => x < 0));
    expect(turns[1]).toMatchObject({ parts: {}, reason: [], reward: 0 });
  });
});

describe('a dialogue ends', () => {
  it('with code 0 at the finish token of the planner, before the reasoner is asked', async () => {
    const { trajectories, reason } = await talk([speaker([['<finish>']]), speaker([reply])]);
    expect(trajectories[0]).toMatchObject({ finishCode: 0 });
    expect(said(trajectories[0] as Trajectory)).toEqual(['m ']);
    expect(reason.requests).toHaveLength(0);
  });

  it('with code 0 after the reply of that round, when finishEnds says so', async () => {
    const { trajectories, meta, reason } = await talk([speaker([['4*2<eot>', '7+8<finish>']]), speaker([reply])], {
      finishEnds: 'afterReply',
    });
    expect(trajectories[0]).toMatchObject({ finishCode: 0 });
    expect(said(trajectories[0] as Trajectory)).toEqual(['m 4*2', 'r 7+8', 'm 7+8', 'r 5']);
    expect(heard(reason)).toContain('<meta>7+8<finish><reason>5<eot>');
    expect(meta.requests).toHaveLength(2);
  });

  it('not by a finish token of the reasoner, which only ends its turn', async () => {
    const { trajectories, meta } = await talk([speaker([plan]), speaker([['7<finish>', '5<eot>']])]);
    expect(said(trajectories[0] as Trajectory)).toEqual(['m 4*2', 'r 7', 'm 7+8', 'r 5', 'm ']);
    expect(trajectories[0]?.turns[1]).toMatchObject({ isFinish: true, isTruncated: false });
    expect(heard(meta)).toContain('<reason>7<finish><meta>');
  });

  it('with code 1 after the last round', async () => {
    const { trajectories, meta, reason } = await talk([speaker([['4*2<eot>']]), speaker([reply])], { roundLimit: 2 });
    expect(trajectories[0]).toMatchObject({ finishCode: 1 });
    expect(said(trajectories[0] as Trajectory)).toHaveLength(4);
    expect([meta.requests.length, reason.requests.length]).toEqual([2, 2]);
  });

  it('with code 2 before a turn that may not fit, and not one position earlier', async () => {
    // To speak a second time, the planner needs 8 tokens for the prompt, and 1 + 4 tokens each for its first turn, for
    // the reply, and for its second turn.
    const policies = (maxPositions: number) => [speaker([plan], { maxPositions }), speaker([reply])];
    const short = await talk(policies(22));
    expect(short.trajectories[0]).toMatchObject({ finishCode: 2 });
    expect(said(short.trajectories[0] as Trajectory)).toEqual(['m 4*2', 'r 7+8']);
    const enough = await talk(policies(23));
    expect(said(enough.trajectories[0] as Trajectory).slice(0, 4)).toEqual(['m 4*2', 'r 7+8', 'm 7+8', 'r 5']);
  });

  it('with code 2 and without a turn where the prompt leaves no room', async () => {
    const { trajectories, meta, reason } = await talk([speaker([plan], { maxPositions: 12 }), speaker([reply])]);
    expect(trajectories[0]).toMatchObject({ finishCode: 2, turns: [] });
    expect([meta.requests.length, reason.requests.length]).toEqual([0, 0]);
  });

  it('with code 3 at a cut turn, when stopWhenTruncated says so', async () => {
    const { trajectories, reason } = await talk([speaker([['4*2*7<eot>']]), speaker([reply])]);
    expect(trajectories[0]).toMatchObject({ finishCode: 3 });
    expect(trajectories[0]?.turns).toMatchObject([{ text: '4*2*', isTruncated: true, isFinish: false }]);
    expect(reason.requests).toHaveLength(0);
  });

  it('not at a cut turn otherwise: it is closed with <eot> in both views', async () => {
    const script = ['4*2*7<eot>', '<finish>'];
    const { trajectories, meta, reason } = await talk([speaker([script]), speaker([['78888<eot>']])], {
      stopWhenTruncated: false,
    });
    expect(trajectories[0]).toMatchObject({ finishCode: 0 });
    expect(trajectories[0]?.turns.map(({ isTruncated }) => isTruncated)).toEqual([true, true, false]);
    expect(heard(meta)).toBe('<bos><rightToLeft>7+4*2<eot><meta>4*2*<eot><reason>7888<eot><meta><finish>');
    expect(heard(reason)).toBe('<bos>7+4*2<eot><meta>4*2*<eot><reason>7888');
    expect(reason.rows[0]?.isSampled.filter(Boolean)).toHaveLength(4);
  });

  it('without code 0 when the reply to the finish token is cut', async () => {
    const { trajectories } = await talk([speaker([['<finish>']]), speaker([['78888<eot>']])], {
      finishEnds: 'afterReply',
    });
    expect(trajectories[0]).toMatchObject({ finishCode: 3 });
  });
});

describe('a batch in lock-step', () => {
  const plans = [['<finish>'], ['4*2<eot>', '<finish>'], ['4*2*7<eot>']];
  const replies = [reply, reply, reply];

  it('ends each row by itself and stops when all have ended', async () => {
    const { trajectories, meta, reason } = await talk([speaker(plans), speaker(replies)], {}, three);
    expect(trajectories.map(({ finishCode }) => finishCode)).toEqual([0, 0, 3]);
    expect(trajectories.map(({ turns }) => turns.length)).toEqual([1, 3, 1]);
    expect(trajectories.map(({ index, group }) => [index, group])).toEqual([
      [0, 0],
      [1, 0],
      [2, 1],
    ]);
    expect(meta.requests.map(({ isActive }) => isActive)).toEqual([
      [true, true, true],
      [false, true, false],
    ]);
    expect(reason.requests.map(({ isActive }) => isActive)).toEqual([[false, true, false]]);
  });

  it('feeds nothing to rows that have ended', async () => {
    const { reason } = await talk([speaker(plans), speaker(replies)], {}, three);
    expect(reason.rows.map(({ ids }) => ids.length)).toEqual([0, 7 + 5 + 1 + 4, 0]);
  });

  it('asks with the window and temperature of the settings and both terminators', async () => {
    const windows = { ...rolloutSettings(parseConfig({}), houseRule).windows, metaThinking: 5, reasoning: 6 };
    const settings = { windows, temperature: 0.7 };
    const { meta, reason } = await talk([speaker(plans), speaker(replies)], settings, three);
    const asked = { temperature: 0.7, endIds: [specialIds.eot, specialIds.finish] };
    expect(meta.requests[0]).toMatchObject({ ...asked, window: 5 });
    expect(reason.requests[0]).toMatchObject({ ...asked, window: 6 });
  });

  it('draws every turn with the numbers that begin at its row and turn', async () => {
    const address = (row: number, turn: number) => row * 256 + turn * 16;
    const { meta, reason } = await talk([speaker(plans), speaker(replies)], {}, { ...three, address });
    const at = (turn: number) => [0, 1, 2].map((row) => address(row, turn));
    expect([...(meta.requests[0]?.addresses ?? [])]).toEqual(at(0));
    expect(reason.requests[0]?.addresses[1]).toBe(at(1)[1]);
    expect(meta.requests[1]?.addresses[1]).toBe(at(2)[1]);
  });

  it('tells of the first dialogue word by word while it is said', async () => {
    const seen: string[][] = [];
    const onWord = (soFar: () => Trajectory) => {
      const first = soFar();
      seen.push(said(first));
      expect(first.turns.map(({ isTruncated }) => isTruncated)).not.toContain(true);
    };
    const { trajectories } = await talk([speaker(plans), speaker(replies)], {}, { ...three, onWord });
    const whole = said(trajectories[0] as Trajectory);
    expect(seen.at(-1)).toEqual(whole);
    for (const turns of seen) {
      expect(turns.slice(0, -1)).toEqual(whole.slice(0, turns.length - 1));
      expect(whole[turns.length - 1]?.startsWith(turns.at(-1) as string)).toBe(true);
    }
    expect(seen.length).toBeGreaterThan(whole.length);
  });

  it('waits for onTurn after every turn and shows it the dialogues so far', async () => {
    const seen: number[][] = [];
    const order: string[] = [];
    const onTurn = async (all: readonly Trajectory[]) => {
      order.push('turn');
      await Promise.resolve();
      seen.push(all.map(({ turns }) => turns.length));
      order.push('shown');
    };
    const onSample = () => order.push('sample');
    const policies = [speaker(plans, { onSample }), speaker(replies, { onSample })];
    await talk(policies, {}, { ...three, onTurn });
    expect(seen).toEqual([
      [1, 1, 1],
      [1, 2, 1],
      [1, 3, 1],
    ]);
    expect(order).toEqual(['sample', 'turn', 'shown', 'sample', 'turn', 'shown', 'sample', 'turn', 'shown']);
  });
});

describe('hidden messages', () => {
  it('are masked for those who did not say them: header, words and terminator', async () => {
    const script = [speaker([['4*2*7<eot>', '7+8<eot>', '<finish>']]), speaker([['7+8<eot>', '5<eot>']])];
    const { meta, reason } = await talk(script, { stopWhenTruncated: false }, { isHidden: () => true });
    const visible = ({ rows }: FakeSession) =>
      tokenizer.decode((rows[0]?.ids ?? []).filter((_, t) => rows[0]?.isVisible[t]));
    expect(visible(meta)).toBe('<bos><rightToLeft>7+4*2<eot><meta>4*2*<eot><meta>7+8<eot><meta><finish>');
    expect(visible(reason)).toBe('<bos>7+4*2<eot><reason>7+8<eot><reason>5<eot>');
    expect(heard(reason)).toBe('<bos>7+4*2<eot><meta>4*2*<eot><reason>7+8<eot><meta>7+8<eot><reason>5<eot>');
  });

  it('are the exception: without the option every token is visible', async () => {
    const { meta, reason } = await talk([speaker([plan]), speaker([reply])]);
    for (const { rows } of [meta, reason]) expect(rows[0]?.isVisible.every(Boolean)).toBe(true);
  });
});

describe('sessions', () => {
  it('are opened once for each agent and disposed once', async () => {
    const policies = [speaker([plan]), speaker([reply])];
    await talk(policies);
    for (const { sessions } of policies) expect(sessions.map(({ disposals }) => disposals)).toEqual([1]);
  });

  it('are disposed when a policy throws, and the error passes on', async () => {
    const onSample = () => {
      throw new Error('the device is gone');
    };
    const policies = [speaker([plan]), speaker([reply], { onSample })];
    await expect(talk(policies)).rejects.toThrow('the device is gone');
    for (const { sessions } of policies) expect(sessions[0]?.disposals).toBe(1);
  });

  it('are disposed when a later one cannot be opened', async () => {
    const first = speaker([plan]);
    const second = speaker([reply]);
    second.open = () => {
      throw new Error('no memory is left');
    };
    await expect(talk([first, second])).rejects.toThrow('no memory is left');
    expect(first.sessions[0]?.disposals).toBe(1);
  });
});

describe('given turns', () => {
  const given = (agent: number, raw: string): GivenTurn => {
    const { text, isFinish, isTruncated } = readTerminated(raw);
    const tokens = tokenizer.encode(raw);
    return { agent: agentId(agent), tokens, logprobs: tokens.map(() => Number.NaN), text, isFinish, isTruncated };
  };

  it('are heard as if they had been said now, and what follows them is sampled', async () => {
    const edited = [given(0, '9+1<eot>'), given(1, '8<eot>')];
    const { trajectories, meta, reason } = await talk(
      [speaker([plan, plan]), speaker([reply, reply])],
      {},
      { problems: [problem, problem], groups: [0, 1], given: [edited, []] },
    );
    expect(trajectories.map(said)).toEqual([
      ['m 9+1', 'r 8', 'm 7+8', 'r 5', 'm '],
      ['m 4*2', 'r 7+8', 'm 7+8', 'r 5', 'm '],
    ]);
    expect(heard(meta)).toContain('7+4*2<eot><meta>9+1<eot><reason>8<eot><meta>7+8<eot>');
    expect(heard(reason)).toBe('<bos>7+4*2<eot><meta>9+1<eot><reason>8<eot><meta>7+8<eot><reason>5<eot>');
    expect(meta.requests[0]?.isActive).toEqual([false, true]);
    expect(meta.requests[1]?.isActive).toEqual([true, true]);
    expect(meta.requests[1]?.turn).toBe(1);
  });

  it('end a dialogue as said ones do', async () => {
    const { trajectories, reason } = await talk(
      [speaker([plan]), speaker([reply])],
      {},
      { given: [[given(0, '<finish>')]] },
    );
    expect(trajectories[0]).toMatchObject({ finishCode: 0 });
    expect(reason.requests).toHaveLength(0);
  });

  it('can be hidden one by one', async () => {
    const { reason } = await talk(
      [speaker([plan]), speaker([reply])],
      {},
      { given: [[given(0, '4*2<eot>')]], isHidden: ({ index }) => index === 0 },
    );
    const visible = reason.rows[0]?.ids.filter((_, t) => reason.rows[0]?.isVisible[t]) ?? [];
    expect(tokenizer.decode(visible)).toBe('<bos>7+4*2<eot><reason>7+8<eot><meta>7+8<eot><reason>5<eot>');
  });

  it('are refused of another agent than is due, and where their window does not hold them', async () => {
    const policies = () => [speaker([plan]), speaker([reply])];
    await expect(talk(policies(), {}, { given: [[given(1, '8<eot>')]] })).rejects.toThrow('expected a turn of agent 0');
    await expect(talk(policies(), {}, { given: [[given(0, '1+2+3+4+5+6+7+8+9<eot>')]] })).rejects.toThrow(
      /expected 1 to \d+ tokens, got 18/,
    );
  });
});
