// Tests of teams whose agents answer simultaneously: what each agent hears, when the dialogue stops, which feedback
// agents receive, and which messages are masked.
import { sampleProblem } from '../records/testing/arbitrary.ts';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/parse.ts';
import type { ConfigInput } from '../config/schema.ts';
import type { Problem } from '../records/problem.ts';
import type { Trajectory } from '../records/trajectory.ts';
import { worlds } from '../tasks/registry.ts';
import { loadTokenizer } from '../tasks/testing/tokenizers.ts';
import { runTrajectories } from './runTrajectories.ts';
import { fakePolicy } from './testing/fakePolicy.ts';
import { protocolOf } from '../records/protocol.ts';
import { form as houseRule } from '../extensions/worlds/houseRule/form.ts';
import type { RolloutRequest } from './request.ts';
import { rolloutSettings } from './settings.ts';
import { viewTokens } from './view.ts';

const tokenizer = loadTokenizer();
const world = worlds.houseRule;
const problem: Problem = sampleProblem;

/** Messages as `says[agent][round]`, without the token that ends the turn. */
async function talk(says: string[][], agents: ConfigInput['agents'], more: Partial<RolloutRequest> = {}) {
  const config = parseConfig({ agents: { count: says.length, ...agents } });
  const protocol = protocolOf(config.agents, houseRule);
  const policies = says.map((lines) =>
    fakePolicy((_, turn) => tokenizer.encode(`${lines[turn] ?? lines.at(-1)}<eot>`), { maxPositions: 400 }),
  );
  const [trajectory] = await runTrajectories({
    ...{ problems: [problem], groups: [0], protocol, policies, settings: rolloutSettings(config, world) },
    tokens: viewTokens(protocol, [tokenizer]),
    prompt: (asked, agent) => tokenizer.encode(world.view(asked, protocol.sees[agent] ?? [])),
    decode: (ids) => tokenizer.decode(ids),
    address: () => 0,
    judge: (said) => Promise.all(said.map(({ trajectory: { problem: asked }, turn }) => world.judge(asked, turn))),
    maskDraw: () => 1,
    ...more,
  });
  const heard = policies.map(({ sessions }) => tokenizer.decode(sessions[0]?.rows[0]?.ids ?? []));
  return { trajectory: trajectory as Trajectory, heard, policies };
}

describe('a debate', () => {
  it('lets all agents answer before any is heard; each hears its own answer first, then the others', async () => {
    const { trajectory, heard } = await talk(
      [
        ['1', '4'],
        ['2', '5'],
        ['3', '6'],
      ],
      { protocol: 'debate' },
    );
    expect(trajectory.turns.map(({ text }) => text)).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(trajectory.turns.map(({ set }) => set)).toEqual([undefined, 0, 0, undefined, 3, 3]);
    expect(trajectory.finishCode).toBe(0);
    const asked = '7+4*2<eot><debater>';
    expect(heard).toEqual([
      `<bos><rightToLeft>${asked}1<eot><debater>2<eot><debater>3<eot><debater>4<eot>`,
      `<bos>${asked}2<eot><debater>1<eot><debater>3<eot><debater>5<eot>`,
      `<bos><rightToLeft>${asked}3<eot><debater>1<eot><debater>2<eot><debater>6<eot>`,
    ]);
  });

  it('in turn lets the second hear the first before it speaks, and the first reply', async () => {
    const { trajectory, heard } = await talk(
      [
        ['1', '3'],
        ['2', '4'],
      ],
      { protocol: 'inTurn' },
    );
    expect(trajectory.turns.map(({ text, set }) => [text, set])).toEqual(
      ['1', '2', '3', '4'].map((text) => [text, undefined]),
    );
    expect(trajectory.finishCode).toBe(0);
    const asked = '7+4*2<eot><debater>1<eot><debater>2<eot><debater>3<eot>';
    expect(heard).toEqual([`<bos><rightToLeft>${asked}`, `<bos>${asked}<debater>4<eot>`]);
  });

  it('gives agents that speak at once random numbers of their own', async () => {
    const address = (_: number, turn: number) => turn;
    const { policies } = await talk([['1'], ['2'], ['3']], { protocol: 'debate' }, { address });
    const drawn = policies.map(({ sessions }) => sessions[0]?.requests.map(({ addresses }) => addresses[0]));
    expect(drawn).toEqual([
      [0, 3],
      [1, 4],
      [2, 5],
    ]);
  });

  it('stops after the round in which enough agree, and not before', async () => {
    const says = [
      ['5', '5', '5'],
      ['4', '5', '5'],
      ['3', '3', '5'],
    ];
    const rounds = async (consensus: number) => {
      const { trajectory } = await talk(says, { protocol: 'debate', roundLimit: 4, consensus });
      return [trajectory.turns.length / 3, trajectory.finishCode];
    };
    expect(await rounds(0)).toEqual([4, 0]);
    expect(await rounds(0.6)).toEqual([2, 0]);
    expect(await rounds(1)).toEqual([3, 0]);
  });

  it('goes on past an agreement whose answers score too low, and asks nobody who said something else', async () => {
    const agents = { protocol: 'debate', count: 3, consensus: 0.6, roundLimit: 4 } as const;
    const settings = (agreedScore: number) => ({ ...rolloutSettings(parseConfig({ agents }), world), agreedScore });
    // The first two agents say 5, and the verifier's probability that this answer is right rises from round to round.
    // The third agent's answer has the lowest probability.
    const judge: RolloutRequest['judge'] = (said) =>
      Promise.all(
        said.map(async ({ trajectory: { problem: asked }, turn }) => {
          const belief = turn.agent === 2 ? 0.01 : 0.2 + 0.25 * turn.round + 0.1 * turn.agent;
          return { ...(await world.judge(asked, turn)), belief };
        }),
      );
    const rounds = async (agreedScore: number) => {
      const more = { judge, settings: settings(agreedScore) };
      const { trajectory } = await talk([['5'], ['5'], ['3']], agents, more);
      expect(trajectory.turns.map(({ belief = 0 }) => belief > 0)).not.toContain(false);
      return trajectory.turns.length / 3;
    };
    expect(await rounds(0)).toBe(1);
    expect(await rounds(0.24)).toBe(1); // (0.2 + 0.3) / 2
    expect(await rounds(0.26)).toBe(2);
    expect(await rounds(0.7)).toBe(3);
    expect(await rounds(0.99)).toBe(4);
  });

  it('does not count missing answers as agreement', async () => {
    const { trajectory } = await talk([['+'], ['+']], { protocol: 'debate', consensus: 1 });
    expect(trajectory.turns).toHaveLength(4);
  });

  it('tells all agents how good each answer is, directly after it', async () => {
    const says = [['4*2=7+8;7+8=5'], ['7+4=1*2;1*2=2'], ['7+4=1*2;1*2=3'], ['8']];
    const { trajectory, heard } = await talk(says, { protocol: 'debate', feedback: true });
    expect(trajectory.turns.slice(0, 4).map(({ feedback }) => feedback)).toEqual([3, 2, 1, 0]);
    expect(heard[3]).toBe(
      '<bos>7+4*2<eot><debater>8<eot><wrong><wrong>' +
        '<debater>4*2=7+8;7+8=5<eot><right><right><debater>7+4=1*2;1*2=2<eot><right>' +
        '<debater>7+4=1*2;1*2=3<eot><wrong><debater>8<eot>',
    );
  });

  it('withholds an answer from a listener as drawn: it hears only that something was said', async () => {
    const asked: number[][] = [];
    const maskDraw = (row: number, turn: number, listener: number) => {
      asked.push([row, turn, listener]);
      return turn === 0 && listener === 1 ? 0.4 : 0.6;
    };
    const { trajectory, heard } = await talk([['1'], ['2']], { protocol: 'debate', maskPeers: 0.5 }, { maskDraw });
    expect(trajectory.turns.map(({ maskedFor }) => maskedFor)).toEqual([[1], undefined, undefined, undefined]);
    expect(heard[1]).toBe('<bos>7+4*2<eot><debater>2<eot><debater><eot><debater>2<eot>');
    expect(heard[0]).toContain('<debater>1<eot><debater>2<eot><debater>');
    expect(asked.slice(0, 2)).toEqual([
      [0, 0, 1],
      [0, 1, 0],
    ]);
  });

  it('ends for all agents if the turn of one is cut', async () => {
    const { trajectory } = await talk([['1'], ['4*2=7+8;7+8=55']], { protocol: 'debate' });
    expect(trajectory).toMatchObject({ finishCode: 3 });
    expect(trajectory.turns.map(({ isTruncated }) => isTruncated)).toEqual([false, true]);
  });

  it('has no partial rounds: without room for all agents nobody speaks', async () => {
    const short = fakePolicy(() => tokenizer.encode('1<eot>'), { maxPositions: 27 });
    const long = fakePolicy(() => tokenizer.encode('2<eot>'), { maxPositions: 400 });
    const { trajectory } = await talk([['1'], ['2']], { protocol: 'debate' }, { policies: [long, short] });
    expect(trajectory).toMatchObject({ finishCode: 2 });
    expect(trajectory.turns).toHaveLength(2);
  });
});

describe('the other teams that answer', () => {
  it('vote without hearing anybody', async () => {
    const { trajectory, heard } = await talk([['1'], ['2'], ['3']], { protocol: 'vote' });
    expect(trajectory.turns.map(({ role }) => role)).toEqual(['reasoning', 'reasoning', 'reasoning']);
    expect(heard).toEqual([1, 2, 3].map((digit) => `<bos><rightToLeft>7+4*2<eot><reason>${digit}<eot>`));
  });

  it('are summed up by a leader who reads all of them and is read by all in the next round', async () => {
    const { heard } = await talk(
      [
        ['1', '4'],
        ['2', '5'],
        ['3', '6'],
      ],
      { protocol: 'summary', roundLimit: 2 },
    );
    expect(heard).toEqual([
      '<bos><rightToLeft>7+4*2<eot><reason>1<eot><summariser>3<eot><reason>4<eot>',
      '<bos><rightToLeft>7+4*2<eot><reason>2<eot><summariser>3<eot><reason>5<eot>',
      '<bos>7+4*2<eot><reason>1<eot><reason>2<eot><summariser>3<eot><reason>4<eot><reason>5<eot><summariser>6<eot>',
    ]);
  });

  it('answer one after the other as pioneer and observer', async () => {
    const { trajectory, heard } = await talk([['1'], ['2']], { protocol: 'pioneerObserver' });
    expect(trajectory).toMatchObject({ finishCode: 0, turns: [{ role: 'pioneer' }, { role: 'observer' }] });
    expect(heard).toEqual([
      '<bos><rightToLeft>7+4*2<eot><pioneer>1<eot>',
      '<bos>7+4*2<eot><pioneer>1<eot><observer>2<eot>',
    ]);
  });
});
