import { describe, expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { auc, calibrationError, logLoss, reliabilityCurve, withinQuestionAuc, type Judged } from './calibration.ts';
import { referenceAuc, referenceReliability } from '../reference/judgement.ts';

// The scores 0.9, 0.8 and 0.3 belong to right answers, and 0.6 and 0.1 belong to wrong ones.
const judged: Judged = { scores: [0.9, 0.8, 0.3, 0.6, 0.1], isRight: [true, true, true, false, false] };

function drawn(seed: number): { scores: number[]; isRight: boolean[] } {
  const draws = new Draws(seed, streams.control, 37);
  // The test uses only a few different scores, so that ties are common. The scores include 0 and 1.
  const scores = Array.from({ length: 1 + draws.below(40) }, () => draws.below(21) / 20);
  return { scores, isRight: scores.map((score) => draws.next() < 0.2 + 0.6 * score) };
}

describe('auc', () => {
  it('is the share of right–wrong pairs in the right order, by hand', () => {
    expect(auc(judged)).toBeCloseTo(5 / 6, 12); // of 6 pairs, only (0.3, 0.6) is in the wrong order
    expect(auc({ scores: [0.5, 0.5], isRight: [true, false] })).toBe(0.5);
    expect(auc({ scores: [0, 1], isRight: [true, false] })).toBe(0);
  });
  it('agrees with counting every pair on 200 batches with ties', () => {
    for (let seed = 0; seed < 200; seed++) {
      const given = drawn(seed);
      const expected = referenceAuc(given.scores, given.isRight);
      if (Number.isNaN(expected)) expect(auc(given)).toBeNaN();
      else expect(auc(given), `seed ${seed}`).toBeCloseTo(expected, 9);
    }
  });
});

describe('withinQuestionAuc', () => {
  it('is the share of pairs of one question in the right order, by hand', () => {
    // For question a, the scores 0.9 and 0.8 are compared with 0.6. For question b, the score 0.3 is compared with 0.1
    // and with 0.4.
    const given: Judged = {
      scores: [0.9, 0.8, 0.6, 0.3, 0.1, 0.4],
      isRight: [true, true, false, true, false, false],
    };
    expect(withinQuestionAuc(given, ['a', 'a', 'a', 'b', 'b', 'b'])).toBeCloseTo(3 / 4, 12);
    expect(
      withinQuestionAuc(
        given,
        Array.from(given.scores, () => 'a'),
      ),
    ).toBe(auc(given));
  });
  it('is blind to a score that tells only how hard a question is, which auc takes for knowledge', () => {
    const easy = { scores: [0.8, 0.8, 0.8, 0.8], isRight: [true, true, true, false] };
    const hard = { scores: [0.2, 0.2, 0.2, 0.2], isRight: [true, false, false, false] };
    const both = { scores: [...easy.scores, ...hard.scores], isRight: [...easy.isRight, ...hard.isRight] };
    expect(auc(both)).toBeCloseTo(0.75, 12);
    expect(withinQuestionAuc(both, [...'eeeehhhh'])).toBe(0.5);
  });
  it('does not exist where every question is one-sided, and refuses keys of another number', () => {
    expect(withinQuestionAuc({ scores: [0.2, 0.9], isRight: [true, false] }, ['a', 'b'])).toBeNaN();
    expect(() => withinQuestionAuc(judged, ['a'])).toThrow(ShapeError);
  });
});

describe('logLoss', () => {
  it('is the mean surprise in nats, by hand', () => {
    expect(logLoss({ scores: [0.5, 0.5], isRight: [true, false] })).toBeCloseTo(Math.log(2), 12);
    expect(logLoss({ scores: [0.8, 0.8], isRight: [true, false] })).toBeCloseTo(-Math.log(0.8 * 0.2) / 2, 12);
    expect(logLoss({ scores: [], isRight: [] })).toBeNaN();
  });
  it('stays finite for a certainty that fails', () => {
    expect(logLoss({ scores: [1, 0], isRight: [false, true] })).toBeCloseTo(-Math.log(1e-7), 9);
  });
});

describe('reliabilityCurve', () => {
  it('compares the mean score of a bin with the share that was right, by hand', () => {
    const [low, high] = reliabilityCurve(judged, 2);
    expect(low).toMatchObject({ count: 2, meanScore: 0.2, shareRight: 0.5 });
    expect(high?.meanScore).toBeCloseTo(2.3 / 3, 12);
    expect(high?.shareRight).toBeCloseTo(2 / 3, 12);
    expect(calibrationError(judged, 2)).toBeCloseTo((2 * 0.3 + 3 * (0.1 / 3 + 0.2 / 3)) / 5, 12);
  });
  it('counts a score of 1 in the last bin and leaves empty bins without numbers', () => {
    const bins = reliabilityCurve({ scores: [1, 0], isRight: [true, false] }, 4);
    expect(bins.map(({ count }) => count)).toEqual([1, 0, 0, 1]);
    expect(bins[1]?.meanScore).toBeNaN();
    expect(bins[1]?.shareRight).toBeNaN();
    expect(calibrationError({ scores: [1, 0], isRight: [true, false] }, 4)).toBe(0);
  });
  it('agrees with bins counted apart on 200 batches', () => {
    for (let seed = 0; seed < 200; seed++) {
      const given = drawn(seed);
      const bins = 1 + (seed % 12);
      const got = reliabilityCurve(given, bins);
      expect(got.reduce((sum, { count }) => sum + count, 0)).toBe(given.scores.length);
      referenceReliability(given.scores, given.isRight, bins).forEach(({ count, meanScore, shareRight }, bin) => {
        const own = got[bin] as (typeof got)[number];
        expect(own.count, `seed ${seed}`).toBe(count);
        if (count === 0) return;
        expect(own.meanScore).toBeCloseTo(meanScore, 9);
        expect(own.shareRight).toBeCloseTo(shareRight, 9);
      });
    }
  });
});

it('scores outside [0, 1] are refused everywhere: a logit is no score', () => {
  for (const of of [auc, logLoss, reliabilityCurve]) {
    expect(() => of({ scores: [1.2], isRight: [true] })).toThrow(/apply the sigmoid/);
    expect(() => of({ scores: [0.5, 0.5], isRight: [true] })).toThrow(ShapeError);
  }
});
