import { describe, expect, it } from 'vitest';
import { metricTable } from '../../records/metrics.ts';
import { iterationMetrics, type IterationFacts } from './iterationMetrics.ts';
import type { Turn } from '../../records/trajectory.ts';
import { trajectoryOf } from '../testing/spoken.ts';
import { updateMetricNames, type UpdateMetrics } from '../update/update.ts';

const update = (value: number) =>
  Object.fromEntries(updateMetricNames.map((name, i) => [name, value + i])) as UpdateMetrics;

const facts: IterationFacts = {
  iteration: 3,
  trajectories: [
    trajectoryOf(
      [
        { agent: 0, tokens: [11, 2] },
        { agent: 1, tokens: [12, 13, 14, 2] },
      ],
      { reward: 1, isRight: true },
    ),
    trajectoryOf([{ agent: 0, tokens: [11, 12, 13], isTruncated: true }], { reward: 0, finishCode: 3 }),
  ],
  updates: [update(0), update(2)],
  learningRate: 1e-3,
  groups: { deadShare: 0.25, loneMembers: 2 },
  explained: { all: 0.5, byRole: { metaThinking: 0.75, reasoning: Number.NaN } },
  entropyByRole: { metaThinking: 1.5, reasoning: 0.5 },
  refKl: 0.01,
  klCoef: 0.002,
  rolloutMs: 600,
  updateMs: 400,
};

describe('iterationMetrics', () => {
  const { iteration, values } = iterationMetrics(facts);

  it('counts a dialogue with a cut turn also where it goes on after it', () => {
    const continued = trajectoryOf(
      [
        { agent: 0, tokens: [11, 12, 13], isTruncated: true },
        { agent: 1, tokens: [12, 2] },
      ],
      { reward: 1, finishCode: 0 },
    );
    const whole = trajectoryOf([{ agent: 0, tokens: [11, 2] }], { reward: 1, finishCode: 0 });
    expect(
      iterationMetrics({ ...facts, trajectories: [continued, whole, whole, whole] }).values['charts/truncated'],
    ).toBe(0.25);
  });

  it('counts what was said and what came of it', () => {
    expect(iteration).toBe(3);
    expect(values).toMatchObject({
      'charts/episodic_return': 0.5,
      'charts/training_accuracy': 0.5,
      'charts/finished': 0.5,
      'charts/truncated': 0.5,
      'charts/turns': 1.5,
      'charts/tokens_per_turn': 3,
      'charts/tokens_per_turn/metaThinking': 2.5,
      'charts/tokens_per_turn/reasoning': 4,
      'charts/SPS': 9,
      'charts/dead_groups': 0.25,
      'charts/lone_members': 2,
      'losses/entropy/metaThinking': 1.5,
    });
  });

  it('says the share right of each place, where problems come from several', () => {
    const at = (world: string, level: number, isRight: boolean) => {
      const trajectory = trajectoryOf([{ agent: 0, tokens: [11, 2] }], { isRight });
      return { ...trajectory, problem: { ...trajectory.problem, world, level } };
    };
    const trajectories = [at('words', 1, true), at('words', 2, false), at('words', 2, true), at('other', 1, false)];
    expect(iterationMetrics({ ...facts, trajectories }).values).toMatchObject({
      'charts/training_accuracy': 0.5,
      'charts/training_accuracy/words 1': 1,
      'charts/training_accuracy/words 2': 0.5,
      'charts/training_accuracy/other 1': 0,
    });
    expect(Object.keys(values).filter((name) => name.startsWith('charts/training_accuracy/'))).toEqual([]);
  });

  it('says what each part of the reward earned, by role', () => {
    const trajectory = trajectoryOf([0, 1, 0].map((agent) => ({ agent, tokens: [11, 2] })));
    const [plan, reply, further] = trajectory.turns as [Turn, Turn, Turn];
    Object.assign(plan, { parts: { legalOperation: 1, format: 1 } });
    Object.assign(reply, { parts: { rewrite: 0.5 } });
    Object.assign(further, { parts: { format: 1 } });
    const earned = Object.entries(iterationMetrics({ ...facts, trajectories: [trajectory] }).values).filter(([name]) =>
      name.startsWith('rewards/'),
    );
    expect(Object.fromEntries(earned)).toEqual({
      'rewards/legalOperation/metaThinking': 0.5,
      'rewards/format/metaThinking': 1,
      'rewards/rewrite/reasoning': 0.5,
    });
  });

  it('says how much of what is said is said once, and how much of what is said at once is the same', () => {
    const trajectory = trajectoryOf([0, 1, 0, 1].map((agent) => ({ agent, tokens: [11, 2] })));
    // There are two sets of two simultaneous turns. The two texts of the first set are equal, and the two texts of the
    // second set differ. The metric for different texts is one half, because the four turns have only two different
    // texts.
    trajectory.turns.forEach((turn, at) => Object.assign(turn, { text: ['a', 'a', 'a', 'b'][at], set: at - (at % 2) }));
    const said = iterationMetrics({ ...facts, trajectories: [trajectory] }).values;
    expect(said['charts/agreement']).toBe(0.5);
    expect(said['charts/distinct_messages']).toBe(0.5);
    expect(said['charts/distinct_messages/metaThinking']).toBe(0.5);
    expect(said['charts/distinct_messages/reasoning']).toBe(1);
    expect(values).not.toHaveProperty('charts/agreement');
  });

  it('averages over the updates', () => {
    expect(values['losses/policy_loss']).toBe(1);
    expect(values['losses/grad_norm']).toBe(1 + updateMetricNames.indexOf('losses/grad_norm'));
  });

  it('uses names of the metric table only', () => {
    const isPart = (name: string) => /^rewards\/\w+\/(metaThinking|reasoning)$/.test(name);
    const known = new Set(metricTable.flatMap(({ name }) => [name, `${name}/metaThinking`, `${name}/reasoning`]));
    expect(Object.keys(values).filter((name) => !known.has(name as never) && !isPart(name))).toEqual([]);
  });

  it('leaves out what does not apply', () => {
    const without = iterationMetrics({ ...facts, explained: { all: Number.NaN, byRole: {} }, klCoef: null });
    expect(without.values).not.toHaveProperty('losses/explained_variance');
    expect(without.values).not.toHaveProperty('losses/kl_coef');
  });
});
