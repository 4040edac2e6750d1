import { beforeAll, describe, expect, it } from 'vitest';
import { agentId } from '../../records/ids.ts';
import type { TriedSeat, TriedTrajectory } from '../../records/intervention.ts';
import type { Problem } from '../../records/problem.ts';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import { seatTogether, type Seated } from '../run/seats.ts';
import { microCheckpoint, microConfig } from '../testing/microRun.ts';
import { onCpu } from '../testing/onCpu.ts';
import { askProblem, tryTrajectory } from './tryTrajectory.ts';

onCpu();

let checkpoint: Checkpoint;
let seated: Seated;
let problem: Problem;

beforeAll(async () => {
  checkpoint = await microCheckpoint(microConfig());
  seated = seatTogether([
    { checkpoint, name: 'calm-otter' },
    { checkpoint, name: 'calm-otter' },
  ]);
  problem = askProblem(checkpoint.config, { level: 1, shown: '7 + 4 × 2', hidden: { rule: '<rightToLeft>' } });
  return seated.dispose;
});

const seat = (isYou = false): TriedSeat => ({
  ...{ run: checkpoint.runId, name: 'calm-otter', iteration: 0 },
  ...(isYou && { isYou }),
});
const talk = (asked: Partial<TriedTrajectory> = {}) =>
  tryTrajectory(seated, {
    ...{ seats: [seat(), seat()], problem, given: [], hidden: [] },
    draws: { iteration: null, row: 0, roll: 0 },
    ...asked,
  });
const typed = (agent: number, text: string, isFinish = false) => ({ agent: agentId(agent), text, isFinish });

describe('a tried dialogue', () => {
  it('is the same to the bit from the same draws, wherever it is taken up', async () => {
    const { trajectory } = await talk();
    expect(trajectory.turns.length).toBeGreaterThan(2);
    for (const { index } of trajectory.turns)
      expect((await talk({ given: trajectory.turns.slice(0, index) })).trajectory).toEqual(trajectory);
  });

  it('goes on from an edited turn, and is paid for what it came to', async () => {
    const { trajectory, awaited } = await talk({
      given: [typed(0, '4*2'), typed(1, '7+8'), typed(0, '7+8'), typed(1, '5'), typed(0, '', true)],
    });
    expect(awaited).toBeNull();
    expect(trajectory).toMatchObject({ answer: '5', isRight: true, finishCode: 0 });
    expect(trajectory.reward).toBeGreaterThan((await talk()).trajectory.reward);
  });

  it('says other things from other draws', async () => {
    const texts = await Promise.all(
      [0, 1, 2].map(async (roll) => {
        const { trajectory } = await talk({ draws: { iteration: null, row: 0, roll } });
        return trajectory.turns.map(({ text }) => text).join();
      }),
    );
    expect(new Set(texts).size).toBe(3);
  });

  it('is changed by what is hidden only after it', async () => {
    const { trajectory } = await talk();
    const hidden = (await talk({ given: trajectory.turns.slice(0, 1), hidden: [0] })).trajectory;
    expect(hidden.turns[0]).toEqual(trajectory.turns[0]);
    expect(hidden.turns[1]?.logprobs).not.toEqual(trajectory.turns[1]?.logprobs);
  });

  it('waits for somebody who plays a role, and tells what was heard', async () => {
    const seats = [seat(true), seat()];
    const first = await talk({ seats });
    expect(first.trajectory.turns).toEqual([]);
    expect(first.awaited).toEqual({
      agent: 0,
      heard: '<bos><rightToLeft>7+4*2<eot><meta>',
      mayFinish: true,
      window: 4,
    });
    const second = await talk({ seats, given: [typed(0, '4*2')] });
    expect(second.trajectory.turns.map(({ agent }) => agent as number)).toEqual([0, 1]);
    expect(second.awaited?.heard).toContain('<meta>4*2<eot><reason>');
    expect(second.trajectory.reward).toBe(0);
  });
});

describe('what cannot be said', () => {
  it('names the turn and the sign', async () => {
    await expect(talk({ given: [typed(0, '4?2')] })).rejects.toThrow(
      'turn 1: “?” is not in the vocabulary of this agent',
    );
  });

  it('names the room that a turn has', async () => {
    await expect(talk({ given: [typed(0, '4*2+1+1')] })).rejects.toThrow(
      'turn 1: this turn has 8 tokens including the end token, but a turn of this agent can have at most 4',
    );
  });
});

describe('a problem that is asked for', () => {
  const ask =
    (shown: string, rule = '<rightToLeft>') =>
    () =>
      askProblem(checkpoint.config, { level: 1, shown, hidden: { rule } });

  it('is read as the world writes it', () => {
    expect(problem).toMatchObject({ shown: '7+4*2', answer: '5', hidden: { rule: '<rightToLeft>' } });
  });

  it.each([
    ['7+', 'expected whole numbers'],
    ['7', 'expected at least one operation'],
    ['1+2+3+4', 'level 1 allows at most 2 operations, got 3'],
    ['6/2', 'level 1 has no ÷'],
    ['12+3', 'level 1 allows only numbers from 0 to 9, got 12'],
  ])('is refused in words where it is %s', (shown, why) => {
    expect(ask(shown)).toThrow(why);
  });

  it('is the same for one number, and another for another', () => {
    const numbered = (number: number) => askProblem(checkpoint.config, { level: 1, number });
    expect(numbered(3)).toEqual(numbered(3));
    expect(numbered(3)).not.toEqual(numbered(4));
  });
});
