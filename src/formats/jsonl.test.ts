import { asGiven, because } from '../base/reason.ts';
import { reasonInEnglish } from '../base/spoken.ts';
import { sampleProblem } from '../records/testing/arbitrary.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trajectories } from '../records/testing/arbitrary.ts';
import { agentId } from '../records/ids.ts';
import type { Trajectory } from '../records/trajectory.ts';
import { writeJsonl } from './jsonl.ts';
import { readJsonl } from './testing/readJsonl.ts';

const parts = { rightAnswer: 1, legalOperation: 0, rewrite: 0, finished: 1 };
const dialogue: Trajectory = {
  index: 3,
  group: 1,
  problem: sampleProblem,
  prompts: [
    [1, 8, 16, 19, 13, 21, 11, 2],
    [1, 16, 19, 13, 21, 11, 2],
  ],
  turns: [
    {
      index: 0,
      round: 0,
      agent: agentId(0),
      role: 'metaThinking',
      tokens: [13, 21, 11, 2],
      logprobs: [-0.25, -0.5, Math.fround(-0.1), 0],
      text: '4*2',
      isTruncated: false,
      isFinish: false,
      parts,
      reason: [],
      reward: 0,
    },
    {
      index: 1,
      round: 0,
      agent: agentId(1),
      role: 'reasoning',
      tokens: [14, 2],
      logprobs: [-1, -2],
      text: '5',
      isTruncated: false,
      isFinish: false,
      parts,
      reason: [...because`the answer is ${5}`, ...asGiven('well done')],
      reward: 1,
    },
  ],
  finishCode: 1,
  answer: '5',
  isRight: true,
  reward: 1,
};

/** The trajectory with its reasons as text, because files contain them as text. */
const withText = (trajectory: Trajectory): Trajectory => ({
  ...trajectory,
  turns: trajectory.turns.map((turn) => ({ ...turn, reason: asGiven(reasonInEnglish(turn.reason)) })),
});

describe('jsonl', () => {
  it('reads back every trajectory it wrote, log-probabilities bit for bit', () => {
    fc.assert(
      fc.property(fc.array(trajectories, { maxLength: 3 }), fc.nat(), (list, iteration) => {
        const read = readJsonl(writeJsonl(iteration, list));
        expect(read).toEqual(list.map((trajectory) => ({ iteration, trajectory: withText(trajectory) })));
      }),
      { numRuns: 60 },
    );
  });

  it('writes one line per trajectory, so chunks can be concatenated', () => {
    const text = writeJsonl(0, [dialogue, dialogue]) + writeJsonl(1, []) + writeJsonl(2, [dialogue]);
    expect(text.split('\n').filter(Boolean)).toHaveLength(3);
    expect(readJsonl(text).map((item) => item.iteration)).toEqual([0, 0, 2]);
  });

  it('is a chat: the hidden texts, the question, then the turns by role and the observations', () => {
    const line = JSON.parse(writeJsonl(7, [dialogue])) as { id: string; messages: unknown; turns: unknown[] };
    expect(line.id).toBe('7-3');
    expect(line.messages).toEqual([
      { role: 'system', name: 'rule', content: '<rightToLeft>' },
      { role: 'user', content: '7+4*2' },
      { role: 'assistant', name: 'metaThinking', content: '4*2' },
      { role: 'assistant', name: 'reasoning', content: '5' },
    ]);
    const observation = { source: 'map', text: '<map>wall<eot>' };
    const shown = {
      ...dialogue,
      turns: dialogue.turns.map((turn) => ({ ...turn, reaction: { observation, state: 3 } })),
    };
    const opened = { ...shown, opening: { observation: { source: 'sight', text: 'b1↑' }, state: 2 } };
    const messagesOf = (text: string) => (JSON.parse(text) as { messages: unknown[] }).messages;
    expect(messagesOf(writeJsonl(7, [opened]))[2]).toEqual({ role: 'tool', name: 'sight', content: 'b1↑' });
    expect(readJsonl(writeJsonl(7, [opened]))[0]?.trajectory.opening).toEqual(opened.opening);
    const text = writeJsonl(7, [shown]);
    expect(messagesOf(text)[3]).toEqual({ role: 'tool', name: 'map', content: '<map>wall<eot>' });
    expect(readJsonl(text)[0]?.trajectory.turns[1]?.reaction).toEqual({ observation, state: 3 });
    expect(line.turns[0]).toMatchObject({ tokens: [13, 21, 11, 2], logprobs: [-0.25, -0.5, -0.100000001, 0] });
  });

  it('writes the reasons in English, at the position of their field', () => {
    const { turns } = JSON.parse(writeJsonl(7, [dialogue])) as { turns: object[] };
    expect(turns.map((turn) => Object.entries(turn).slice(7, 9))).toEqual([
      [
        ['parts', parts],
        ['reason', ''],
      ],
      [
        ['parts', parts],
        ['reason', 'the answer is 5; well done'],
      ],
    ]);
  });

  it('keeps a log-probability that is NaN', () => {
    const [turn] = dialogue.turns;
    const broken = { ...dialogue, turns: [{ ...turn!, logprobs: [Number.NaN, 0, 0, 0] }] };
    expect(readJsonl(writeJsonl(0, [broken]))[0]?.trajectory.turns[0]?.logprobs[0]).toBeNaN();
  });
});
