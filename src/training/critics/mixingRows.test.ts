// Tests over which columns of a joint transcript a mixing critic takes the mean. The columns are compared with columns
// that were determined by hand, and are checked in dialogues of every kind of team.
import { describe, expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { setOf, type Trajectory } from '../../records/trajectory.ts';
import { fakePolicy } from '../../rollout/testing/fakePolicy.ts';
import { collectRollouts } from '../collect/collect.ts';
import { witnessOf } from './critic.ts';
import { beginningsColumn, transcriptOf, poolRows, type Transcript } from './mixingRows.ts';
import { buildJointRows } from '../rows/rows.ts';
import { assembleTeam, type Team } from '../team/team.ts';
import { microConfig } from '../testing/microRun.ts';
import { trajectoryOf, viewTokens } from '../testing/spoken.ts';

const exact = { rows: 1, columns: 1, count: (needed: number) => needed };

/** The turns belong to planner, reasoner and planner. */
const talk = () =>
  trajectoryOf([
    { agent: 0, tokens: [11, 2] },
    { agent: 1, tokens: [12, 13, 2] },
    { agent: 0, tokens: [3] },
  ]);
const rewards = [
  [0.25, 0.75],
  [1, 0],
  [0, 4],
];

describe('a dialogue as rounds', () => {
  it('has the state at the last token of the first header, its messages, and the mean pay of its turns, summed', () => {
    const { ids, rounds } = transcriptOf(talk(), rewards, { witness: 0, tokens: viewTokens });
    const [first, second] = rounds as [Transcript['rounds'][number], Transcript['rounds'][number]];
    expect(rounds).toHaveLength(2);
    expect([first.reward, second.reward]).toEqual([0.5 + 0.5, 2]);
    const said = ({ messages }: typeof first) =>
      messages.map(({ agent, turn, from, to }) => [agent, turn, ...ids.slice(from, to)]);
    expect(said(first)).toEqual([
      [0, 0, 11, 2],
      [1, 1, 12, 13, 2],
    ]);
    expect(said(second)).toEqual([[0, 2, 3]]);
    const header = viewTokens.headers['metaThinking'];
    for (const { stateAt } of rounds) expect([...ids.slice(stateAt + 1 - header.length, stateAt + 1)]).toEqual(header);
    expect(first.stateAt).toBe(4 + header.length - 1);
    expect(ids.at(-1)).toBe(3); // the row also contains the last message
  });

  it('of an agent that speaks twice in a round the later message counts, and what both earned', () => {
    const twice = talk();
    twice.turns.forEach((turn) => (turn.round = 0));
    const { rounds } = transcriptOf(twice, rewards, { witness: 0, tokens: viewTokens });
    expect(rounds.map(({ reward, messages }) => [reward, messages.map(({ turn }) => turn)])).toEqual([[3, [1, 2]]]);
  });
});

describe('pooled rows', () => {
  it('are matrices that take the state as it stands, and of a message the mean', () => {
    const long = transcriptOf(talk(), rewards, { witness: 0, tokens: viewTokens });
    const short: Transcript = {
      ids: Uint16Array.of(5, 6),
      rounds: [{ stateAt: 0, reward: 1, messages: [{ agent: 1, turn: 0, from: 1, to: 2 }] }],
    };
    const pooled = poolRows([long, short], 2, exact);
    const { rows, length, rounds, heard, pooling } = pooled;
    expect([rows, length, rounds]).toEqual([2, long.ids.length, 2]);
    expect([...heard]).toEqual([1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0]);
    const row = (b: number, slot: number) => [
      ...pooling.subarray((b * 6 + slot) * length, (b * 6 + slot + 1) * length),
    ];
    expect(row(0, 0).indexOf(1)).toBe(long.rounds[0]?.stateAt);
    expect(row(0, 2).filter((x) => x > 0)).toEqual([1 / 3, 1 / 3, 1 / 3].map(Math.fround));
    expect(row(0, 5).every((x) => x === 0)).toBe(true); // this agent is silent
    expect(row(1, 2).slice(0, 3)).toEqual([0, 1, 0]);
    expect([...beginningsColumn(pooled, [long, short], (b, r) => 10 * b + r + 1)]).toEqual([1, 2, 11, 0, 1, 0, 0, 0]);
  });

  it('are padded to multiples by zeros, and refuse agents that are not there', () => {
    const transcript = transcriptOf(talk(), rewards, { witness: 0, tokens: viewTokens });
    const { rows, length, rounds, ids } = poolRows([transcript], 2, { rows: 4, columns: 8, count: (n) => n + 1 });
    expect([rows, length % 8, rounds]).toEqual([4, 0, 3]);
    expect([...ids.subarray(transcript.ids.length)].every((id) => id === 0)).toBe(true);
    expect(() => poolRows([transcript], 1, exact)).toThrow(ShapeError);
  });
});

const teams: [string, NonNullable<ConfigInput['agents']>][] = [
  ['planner and reasoner', {}],
  ['pioneer and observer', { protocol: 'pioneerObserver' }],
  ['debate of three, with masks and feedback', { protocol: 'debate', count: 3, maskPeers: 0.3, feedback: true }],
  ['summary of three, in two rounds', { protocol: 'summary', count: 3, roundLimit: 2 }],
];

describe.each(teams)('the messages of a %s', (_, agents) => {
  it('are the columns of just what each said, and states stand where the joint critic has its values', async () => {
    const team: Team = assembleTeam(microConfig({ agents: { ...agents } }));
    const policies = team.networkOf.map(() => fakePolicy((row, turn) => [10 + ((row + turn) % 7), 20, 2]));
    const { trajectories } = await collectRollouts(team, { policies, iteration: 0 });
    const heard = { witness: witnessOf(team), tokens: team.tokens };
    const joint = buildJointRows(trajectories, heard.witness, team.tokens);
    for (const [b, trajectory] of trajectories.entries()) {
      const pay = trajectory.turns.map(() => trajectory.prompts.map(() => 1));
      const { ids, rounds } = transcriptOf(trajectory, pay, heard);
      const messages = rounds.flatMap((round) => round.messages);
      expect(messages.map(({ turn }) => turn).sort((x, y) => x - y)).toEqual(
        trajectory.turns.map(({ index }) => index),
      );
      for (const { agent, turn, from, to } of messages) {
        const said = trajectory.turns[turn] as Trajectory['turns'][number];
        expect([agent, ...ids.slice(from, to)]).toEqual([said.agent, ...said.tokens]);
      }
      for (const { stateAt, messages: of, reward } of rounds) {
        const first = Math.min(...of.map(({ turn }) => turn));
        expect(joint.turnIds[b * joint.length + stateAt]).toBe(first);
        expect(setOf(trajectory.turns[first] as Trajectory['turns'][number])).toBe(first);
        expect(reward).toBe(of.length);
      }
    }
  });
});
