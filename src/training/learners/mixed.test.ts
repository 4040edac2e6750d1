// Tests how the values of messages are converted to advantages: which messages are compared, and how the result is
// scaled.
import { describe, expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { std } from '../../base/stats.ts';
import type { ConfigInput } from '../../config/schema.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import type { MessageWorth } from '../maths/mixing.ts';
import { microConfig } from '../testing/microRun.ts';
import { collectedOf, trajectoryOf } from '../testing/spoken.ts';
import { learner as grpo } from '../../extensions/learners/grpo/learner.ts';
import type { Collected } from './learner.ts';
import { messageAdvantages } from './mixed.ts';

/**
 * Three dialogues about one problem and one dialogue about another problem. The plans of the first two dialogues are
 * the same.
 */
const talks = () =>
  [
    [11, 12],
    [11, 13],
    [14, 12],
    [11, 12],
  ].map(([plan, reply], index) =>
    trajectoryOf(
      [
        { agent: 0, tokens: [plan as number, 2] },
        { agent: 1, tokens: [reply as number, 20, 2], earned: { rightAnswer: index % 2 } },
      ],
      { index, group: index < 3 ? 0 : 1 },
    ),
  );

function collected(trajectories: Trajectory[], learning: ConfigInput['learning'] = {}): Collected {
  return collectedOf(
    trajectories,
    microConfig({ learning: { learner: 'vdn', ...learning }, reward: { rightAnswer: 1 } }),
  );
}

/**
 * [trajectory][turn] the contributions of messages to rounds whose value is 1, and then, in the second table, the
 * errors of the critic.
 */
const added = [
  [0.5, 0.2],
  [-0.1, 0.3],
  [0.2, 0.5],
  [5, 7],
];
const missed = [
  [0.4, 0],
  [0.4, 0.3],
  [0.4, 0],
  [0, 0],
];
const worthWith = (more: number): MessageWorth[] =>
  added.map((row, i) => ({
    total: Float64Array.from(row, () => 1),
    without: Float64Array.from(row, (x) => 1 - x),
    missed: Float64Array.from(missed[i] as number[], (x) => x + more),
  }));
const worth = worthWith(0);

/** [trajectory][turn] the advantage of each turn. All tokens of a turn must have the same advantage. */
function ofTurns({ batch, trajectories }: Collected, advantages: Float32Array): number[][] {
  const found = trajectories.map(({ turns }) => turns.map(() => new Set<number>()));
  batch.actionMask.forEach((is, at) => {
    if (is === 0) return expect(advantages[at]).toBe(0);
    found[batch.trajectoryIds[Math.floor(at / batch.length)] as number]?.[batch.turnIds[at] as number]?.add(
      advantages[at] as number,
    );
  });
  return found.map((row) => row.map((set) => (set.size === 1 ? ([...set][0] as number) : Number.NaN)));
}

describe('the advantage of a message', () => {
  it('is what it added and missed above the messages after the same words, else 0 and counted; in units of those compared', () => {
    const given = collected(talks());
    const { advantages, groups } = messageAdvantages({ ...given, mixed: { worth } });
    const got = ofTurns(given, advantages);
    // The three plans for problem 0 follow the same prompt and have the values 0.9, 0.3 and 0.6. Two replies follow the
    // plan with token 11, and have the values 0.2 and 0.6. The reply after the plan with token 14 cannot be compared
    // with another message. The two messages about problem 1 cannot be compared either, because there is only one
    // dialogue about problem 1.
    const centred = [
      [0.3, -0.2],
      [-0.3, 0.2],
      [0, 0],
      [0, 0],
    ];
    const spread = std([0.3, -0.3, 0, -0.2, 0.2]);
    centred.forEach((row, i) => row.forEach((x, turn) => expect(got[i]?.[turn]).toBeCloseTo(x / spread, 4)));
    expect(groups?.loneMembers).toBe(3);
  });

  it('is in units of worth without the division, and does not change with what all dialogues have in common', () => {
    const given = collected(talks(), { groupStd: false });
    const plain = ofTurns(given, messageAdvantages({ ...given, mixed: { worth } }).advantages);
    expect(plain[0]?.[0]).toBeCloseTo(0.3, 6);
    const again = ofTurns(given, messageAdvantages({ ...given, mixed: { worth: worthWith(3) } }).advantages);
    again.forEach((row, i) => row.forEach((x, turn) => expect(x).toBeCloseTo(plain[i]?.[turn] as number, 5)));
  });

  it('pays the KL charge of its own tokens', () => {
    const given = collected(talks(), { groupStd: false });
    const at = given.batch.actionMask.indexOf(1);
    given.tokenCharge[at] = 0.3;
    const got = ofTurns(given, messageAdvantages({ ...given, mixed: { worth } }).advantages);
    expect(got[0]?.[0]).toBeCloseTo(0.1, 5);
    expect(got[1]?.[0]).toBeCloseTo(-0.2, 5);
  });

  it('is that of GRPO on whole teams as long as no worth is told, whatever the group key', () => {
    const given = collected(talks(), { groupKey: 'problem+agent' });
    const whole = {
      ...given,
      config: { ...given.config, learning: { ...given.config.learning, groupKey: 'problem' as const } },
    };
    expect(messageAdvantages(given).advantages).toEqual(grpo.advantages(whole).advantages);
    expect(messageAdvantages(given).advantages.some((x) => x !== 0)).toBe(true);
  });

  it('refuses worth that does not fit the messages', () => {
    const given = collected(talks());
    expect(() => messageAdvantages({ ...given, mixed: { worth: worth.slice(1) } })).toThrow(ShapeError);
  });
});
