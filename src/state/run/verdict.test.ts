import { describe, expect, it } from 'vitest';
import { wilson } from '../../base/stats.ts';
import type { Evaluation } from '../../records/metrics.ts';
import { plannedPair } from '../../config/ownProtocol.ts';
import { messageWords } from './messageWords.ts';
import { MetricLog } from '../trainer/metricLog.ts';
import { judge } from './verdict.ts';

function evaluations(...accuracies: number[]): Evaluation[] {
  return accuracies.map((accuracy, i) => {
    const { low, high } = wilson(Math.round(accuracy * 512), 512);
    return { iteration: i * 10, accuracy, low, high, problems: 512, bySlice: {}, ceiling: 0.61 };
  });
}
const none = new MetricLog();
function metricsOf(values: Record<string, number>): MetricLog {
  const log = new MetricLog();
  for (let iteration = 1; iteration <= 10; iteration++) log.append({ iteration, values });
  return log;
}

describe('the verdict', () => {
  it('waits for the first measurement, then tells where it begins and the ceiling', () => {
    expect(judge([], none).kind).toBe('waiting');
    const verdict = judge(evaluations(0.42), none);
    expect(verdict).toEqual({
      kind: 'waiting',
      title: 'Ready',
      detail:
        'At the start 42 of 100 answers are right. On average, the best guess without messages is right 61 times in 100.',
    });
  });

  it('calls the ceiling of an agent with tools what can be known without them', () => {
    const { detail } = judge(evaluations(0.42), none, '', messageWords({ protocol: 'toolLoop', own: plannedPair }));
    expect(detail).toContain('On average, the best guess without tools is right 61 times in 100.');
  });

  it('is still learning while the answers rise, and says what proves that the plan is read', () => {
    const rising = evaluations(0.58, 0.66, 0.75, 0.84);
    const last = rising.at(-1);
    if (last) last.maskedMessage = 0.43;
    expect(judge(rising, none)).toEqual({
      kind: 'learning',
      title: 'Still learning',
      detail:
        '84 of 100 answers are right, compared with 58 at the start. On average, at most 61 of 100 answers can be right without reading the plan; the whole 95 % interval lies above that.',
    });
    if (last) last.maskedMessage = 0.83;
    expect(judge(rising, none).detail).toContain(
      'Hiding the plan makes no clear difference: 83 of 100 answers are still right.',
    );
  });

  it('does not claim that the plan is read while the interval still holds the ceiling', () => {
    const rising = evaluations(0.45, 0.62);
    const last = rising.at(-1);
    if (last) last.maskedMessage = 0.31;
    expect(judge(rising, none).detail).toBe('62 of 100 answers are right, compared with 45 at the start.');
    // If the ceiling is 0.667, agents that always use the same rule can reach an accuracy of 0.693 on 512 problems by
    // chance.
    if (last) Object.assign(last, { accuracy: 355 / 512, ...wilson(355, 512), problems: 512, ceiling: 0.667 });
    expect(judge(rising, none).detail).toBe('69 of 100 answers are right, compared with 45 at the start.');
  });

  it('does not take a fall with messages hidden for their worth: the team was never trained to hear nothing', () => {
    const below = evaluations(0.2, 0.5);
    const last = below.at(-1);
    if (last) last.maskedMessage = 0.01;
    expect(judge(below, none).detail).toBe(
      '50 of 100 answers are right, compared with 20 at the start. It is not yet shown that the plan is needed: the best guess is right 61 times in 100 on average.',
    );
  });

  it('does not speak of the plan before anything was learned', () => {
    const flat = evaluations(0, 0);
    for (const evaluation of flat) evaluation.maskedMessage = 0;
    expect(judge(flat, none).detail).toMatch(
      /^0 of 100 answers are right, compared with 0 at the start. The 95 % intervals overlap/,
    );
  });

  it('does not judge before thirty iterations have passed', () => {
    expect(judge(evaluations(0.42, 0.42, 0.42), none).kind).toBe('unclear');
  });

  it('speaks of learning only where the interval shows it', () => {
    expect(judge(evaluations(0.47, 0.44), none)).toEqual({
      kind: 'unclear',
      title: 'No clear change yet',
      detail:
        '44 of 100 answers are right, compared with 47 at the start. The 95 % intervals overlap: 43 to 51 at the start, 40 to 48 now.',
    });
    expect(judge(evaluations(0.47, 0.5), none).kind).toBe('unclear');
    expect(judge(evaluations(0.47, 0.6), none).kind).toBe('learning');
  });

  it('says that answers fall where the newest interval lies below the best one', () => {
    const verdict = judge(evaluations(0.42, 0.6, 0.84, 0.75), none);
    expect(verdict.kind).toBe('falling');
    expect(verdict.detail).toBe('75 of 100 answers are right, compared with 84 at iteration 20.');
  });

  it('is converged when a risen share stays', () => {
    const verdict = judge(evaluations(0.42, 0.7, 0.9, 0.92, 0.92, 0.93, 0.92), none);
    expect(verdict.kind).toBe('converged');
    expect(verdict.detail).toBe('For 30 iterations, 92 of 100 answers have been right.');
  });

  it('is collapsed when the newest interval lies below the best one by a tenth', () => {
    const verdict = judge(evaluations(0.42, 0.8, 0.3), metricsOf({ 'losses/approx_kl': 0.4 }));
    expect(verdict.kind).toBe('collapsed');
    expect(verdict.detail).toContain('fell from 80 to 30 out of 100. One update moves the policy by a KL of 0.4');
  });

  it('does not call a wobble inside the intervals a collapse', () => {
    expect(judge(evaluations(0.42, 0.6, 0.84, 0.81), none).kind).toBe('learning');
  });

  it('is not learning after thirty flat iterations, and names dead groups as the reason', () => {
    const verdict = judge(evaluations(0.42, 0.43, 0.41, 0.42, 0.42), metricsOf({ 'charts/dead_groups': 0.9 }));
    expect(verdict.kind).toBe('notLearning');
    expect(verdict.detail).toBe(
      '42 of 100 answers are right, compared with 42 at the start. This is the result after 40 iterations. 90 % of groups have no gradient, because all rollouts of such a group earned the same reward.',
    );
  });

  it('tells why a run failed before anything else', () => {
    expect(judge(evaluations(0.42, 0.8), none, 'NaN in losses/policy_loss')).toEqual({
      kind: 'failed',
      title: 'Stopped',
      detail: 'NaN in losses/policy_loss',
    });
  });
});
