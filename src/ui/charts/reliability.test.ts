import { describe, expect, it } from 'vitest';
import type { IterationMetrics } from '../../records/metrics.ts';
import { aucWords, reliabilityAt, reliabilityPoints, reliabilityWords, spokenReliability } from './reliability.ts';

const bins = [
  { count: 4, right: 1, meanScore: 0.1 },
  { count: 0, right: 0, meanScore: 0 },
  { count: 8, right: 8, meanScore: 0.9 },
];
const row = (iteration: number, values: Record<string, number> = {}): IterationMetrics => ({
  iteration,
  values,
  reliability: { bins, oneSided: 2, questions: 32 },
});
const known = {
  'charts/verifier_auc': 0.934,
  'charts/verifier_auc_within': 0.9,
  'charts/verifier_calibration_error': 0.061,
};

describe('the reliability of a verifier', () => {
  it('is drawn for nonempty bins, with the interval of the share, and counts relative to the largest bin', () => {
    const [low, middle, high] = reliabilityPoints({ bins, oneSided: 0, questions: 1 });
    expect(low).toMatchObject({ from: 0, to: 1 / 3, count: 4, share: 0.5, at: { score: 0.1, right: 0.25 } });
    expect(low?.at?.low).toBeLessThan(0.25);
    expect(low?.at?.high).toBeGreaterThan(0.25);
    expect(middle?.at).toBeNull();
    expect(high).toMatchObject({ share: 1, at: { right: 1, high: 1 } });
  });

  it('is described by the frequency of correct order, and by the error of the scores', () => {
    expect(aucWords(row(1, known))).toBe(
      'A right answer scores above a wrong one 93 times out of 100. For two answers to the same question, this happens 90 times out of 100.',
    );
    expect(aucWords(row(1, { 'charts/verifier_auc': 0.5 }))).toBe(
      'A right answer scores above a wrong one 50 times out of 100.',
    );
    expect(aucWords(row(1))).toBe('All answers were right, or all were wrong, so there is nothing to compare.');
    expect(reliabilityWords(row(1, known))).toBe(
      'On average, scores differ by 0.06 from the share of right answers. 2 of 32 questions had only right or only wrong answers.',
    );
  });

  it('is described for screen readers bin by bin', () => {
    const spoken = spokenReliability(reliabilityPoints({ bins, oneSided: 0, questions: 1 }));
    expect(spoken).toBe(
      'Share of right answers by score. scores 0.0 to 0.3: 4 answers, 0.25 right; scores 0.7 to 1.0: 8 answers, 1.00 right.',
    );
    expect(spokenReliability([])).toContain('No answers.');
  });

  it('is that of the shown iteration or of the newest, and null without a verifier', () => {
    const rows = [row(1), row(2), { iteration: 3, values: {} }];
    expect(reliabilityAt(rows, 1)?.iteration).toBe(1);
    expect(reliabilityAt(rows, null)?.iteration).toBe(2);
    expect(reliabilityAt(rows, 3)?.iteration).toBe(2);
    expect(reliabilityAt([{ iteration: 3, values: {} }], null)).toBeNull();
  });
});
