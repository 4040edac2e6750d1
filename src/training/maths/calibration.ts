// Measures how reliable scores of answers are. Calibration shows, for example, whether four of five answers with a
// score of 0.8 are right. AUC shows how often right answers have higher scores than wrong ones. Cross-entropy combines
// both in one number: it is lower if scores are closer to 1 for right answers and to 0 for wrong ones.
import { ShapeError } from '../../base/errors.ts';
import { placesByKey } from '../../base/groups.ts';
import { mean } from '../../base/stats.ts';

/** The scores of answers, in [0, 1], and whether each answer is right. */
export interface Judged {
  scores: ArrayLike<number>;
  isRight: readonly boolean[];
}

export interface ReliabilityBin {
  count: number;
  /** The mean score; NaN in an empty bin. */
  meanScore: number;
  /** The share of right answers; NaN in an empty bin. */
  shareRight: number;
}

/**
 * Sorts the answers into bins by their scores. The bins divide [0, 1] into equal parts. Only the last bin includes its
 * upper end. Throws ShapeError for scores outside this range and for lengths that differ.
 */
export function reliabilityCurve(judged: Judged, bins = 10): ReliabilityBin[] {
  check('reliabilityCurve', judged);
  const members = Array.from({ length: bins }, (): number[] => []);
  for (let at = 0; at < judged.scores.length; at++) {
    const bin = Math.min(bins - 1, Math.floor((judged.scores[at] as number) * bins));
    (members[bin] as number[]).push(at);
  }
  return members.map((own) => {
    const rights = own.filter((at) => judged.isRight[at]).length;
    const isEmpty = own.length === 0;
    return {
      count: own.length,
      meanScore: isEmpty ? Number.NaN : mean(own.map((at) => judged.scores[at] as number)),
      shareRight: isEmpty ? Number.NaN : rights / own.length,
    };
  });
}

/**
 * The expected calibration error: |mean score − share of right answers| of each bin, averaged over all answers. The
 * result is in [0, 1], or NaN if there are no answers. Throws ShapeError under the same conditions as
 * `reliabilityCurve`.
 */
export function calibrationError(judged: Judged, bins = 10): number {
  const total = judged.scores.length;
  if (total === 0) return Number.NaN;
  return reliabilityCurve(judged, bins)
    .filter(({ count }) => count > 0)
    .reduce((sum, bin) => sum + (bin.count / total) * Math.abs(bin.meanScore - bin.shareRight), 0);
}

/**
 * The probability that a right answer has a higher score than a wrong one, where ties count half: 1 is perfect, 0.5 is
 * chance. NaN if all answers are right or all are wrong. Computed from ranks, in n·log n. Throws ShapeError for scores
 * outside [0, 1] or lengths that differ.
 */
export function auc(judged: Judged): number {
  check('auc', judged);
  const { scores, isRight } = judged;
  const order = Array.from(scores, (_, at) => at).sort((a, b) => (scores[a] as number) - (scores[b] as number));
  const rights = isRight.filter(Boolean).length;
  const wrongs = isRight.length - rights;
  let rankSum = 0;
  for (let start = 0; start < order.length;) {
    let end = start;
    while (end < order.length && scores[order[end] as number] === scores[order[start] as number]) end++;
    const middle = (start + end + 1) / 2; // the mean rank of these equal scores; ranks are counted from 1
    rankSum += middle * order.slice(start, end).filter((at) => isRight[at]).length;
    start = end;
  }
  if (rights === 0 || wrongs === 0) return Number.NaN;
  return (rankSum - (rights * (rights + 1)) / 2) / (rights * wrongs);
}

/**
 * The AUC if only answers to the same question are compared. The comparisons of all questions are counted together. The
 * result shows how well scores distinguish answers to the same question, because the difficulty of the question has no
 * effect on it. The result is NaN if no question has both right and wrong answers. `keys` has one question key for each
 * score. Throws the same errors as `auc`, and ShapeError if the number of keys is not the number of scores.
 */
export function withinQuestionAuc(judged: Judged, questionKeys: readonly string[]): number {
  check('withinQuestionAuc', judged);
  if (questionKeys.length !== judged.scores.length)
    throw new ShapeError(
      `withinQuestionAuc: expected one question for each of ${judged.scores.length} scores, got ${questionKeys.length}.`,
    );
  let [won, pairs] = [0, 0];
  for (const own of placesByKey(questionKeys).values()) {
    const isRight = own.map((at) => judged.isRight[at] as boolean);
    const rights = isRight.filter(Boolean).length;
    const ofQuestion = rights * (own.length - rights);
    if (ofQuestion === 0) continue;
    won += ofQuestion * auc({ scores: own.map((at) => judged.scores[at] as number), isRight });
    pairs += ofQuestion;
  }
  return pairs === 0 ? Number.NaN : won / pairs;
}

/**
 * The mean cross-entropy of the scores, in nats. If all scores are 0.5, the mean is ln 2. For a wrong answer with score
 * 1, the cross-entropy is limited to about 16. The result is NaN if there are no scores. Throws the same errors as
 * `auc`.
 */
export function logLoss(judged: Judged): number {
  check('logLoss', judged);
  if (judged.scores.length === 0) return Number.NaN;
  const least = 1e-7; // scores are kept this far from 0 and 1, because float rounding may make a score exactly 0 or 1
  return mean(
    Array.from(judged.scores, (score, at) => -Math.log(Math.max(least, judged.isRight[at] ? score : 1 - score))),
  );
}

function check(name: string, { scores, isRight }: Judged): void {
  if (scores.length !== isRight.length)
    throw new ShapeError(`${name}: expected a verdict for each of ${scores.length} scores, got ${isRight.length}.`);
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at] as number;
    if (!(score >= 0 && score <= 1))
      throw new ShapeError(`${name}: score ${at} must lie in [0, 1], got ${score}; apply the sigmoid first.`);
  }
}
