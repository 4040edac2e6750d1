// A verifier reads a response and predicts the probability that the response is right (MAPoRL 2502.18439). The verifier
// is trained at every token of the response, and its score at the last token is used. The training data contain equally
// many right and wrong responses to each question. Without this selection, most responses to easy questions would be
// right, and the verifier would learn only how hard a question is. A verifier reads the question with all hidden texts,
// so that it has all information that is needed to judge an answer, and then one answer. If each turn is a whole
// answer, it does not read the other messages, because whether an answer is right does not depend on them. If turns are
// steps, it reads all messages. A verifier that chooses the team's answer (`verifier.decides`) reads no hidden texts, but
// all messages before the answer.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../base/errors.ts';
import { placesByKey } from '../../base/groups.ts';
import type { Draws } from '../../base/random.ts';
import type { Config } from '../../config/schema.ts';
import { setOf, type Trajectory, type Turn } from '../../records/trajectory.ts';
import type { RememberedAnswer } from '../../records/verifier.ts';
import { heardTokens } from '../../rollout/view.ts';
import { maskedMean } from '../maths/loss.ts';
import { paddedParts } from '../rows/microbatches.ts';
import { rowInputs, rowOutputs, rowsFrom } from '../rows/forward.ts';
import { oldFacts } from '../rows/oldFacts.ts';
import { actionCount, emptyBatch, jointRow, type RowBatch } from '../rows/rows.ts';
import type { Gate } from '../team/gate.ts';
import { variables, type Network } from '../team/network.ts';
import type { Team } from '../team/team.ts';
import { adamWOf, lossGradient, optimiserStep, type Microbatch } from '../update/optimiserStep.ts';

export interface BalancedSample {
  /** The indices of the selected responses, in order. */
  indices: number[];
  /** The number of questions that are omitted, because all their responses are right or all are wrong. */
  oneSided: number;
}

/**
 * Selects equally many right and wrong responses to each question, drawn without replacement. For each question, all
 * responses of the rarer kind are selected, and equally many of the other kind. `isRight` is [N], with one question key
 * for each response. Throws ShapeError if the lengths differ.
 */
export function balancedSample(
  isRight: readonly boolean[],
  questionKeys: readonly string[],
  draws: Draws,
): BalancedSample {
  if (isRight.length !== questionKeys.length)
    throw new ShapeError(
      `balancedSample: expected one question for each of ${isRight.length} responses, got ${questionKeys.length}.`,
    );
  const indices: number[] = [];
  let oneSided = 0;
  for (const places of placesByKey(questionKeys).values()) {
    const [right, wrong] = [true, false].map((is) => places.filter((at) => isRight[at] === is)) as [number[], number[]];
    const count = Math.min(right.length, wrong.length);
    if (count === 0) oneSided++;
    else indices.push(...draws.shuffle(right).slice(0, count), ...draws.shuffle(wrong).slice(0, count));
  }
  return { indices: indices.sort((a, b) => a - b), oneSided };
}

/**
 * Binary cross-entropy, averaged over every response token. logits, responseMask [B, T], isRight [B] of 0 and 1;
 * returns a scalar in nats, differentiable in logits. If there is no response token, the result is 0.
 */
export function verifierLoss({
  logits,
  isRight,
  responseMask,
}: {
  logits: tf.Tensor2D;
  isRight: tf.Tensor1D;
  responseMask: tf.Tensor2D;
}): tf.Scalar {
  return tf.tidy(() => {
    // −y·log σ(x) − (1−y)·log σ(−x) = softplus(x) − y·x
    const label = tf.reshape(isRight, [-1, 1]);
    return maskedMean(tf.sub(tf.softplus(logits), tf.mul(label, logits)), responseMask);
  });
}

/**
 * The score of each row in [0, 1], computed at its last response token; NaN for a row without response tokens. logits,
 * responseMask [B·T], row after row; returns [B]. Throws ShapeError if the length of logits or responseMask is not rows
 * · columns.
 */
export function verifierScores(
  logits: ArrayLike<number>,
  responseMask: ArrayLike<number>,
  [rows, columns]: readonly [number, number],
): Float64Array {
  if (logits.length !== rows * columns || responseMask.length !== rows * columns)
    throw new ShapeError(
      `verifierScores: expected ${rows * columns} logits and mask entries for [${rows}, ${columns}], got ${logits.length} and ${responseMask.length}.`,
    );
  return Float64Array.from({ length: rows }, (_, row) => {
    let at = (row + 1) * columns - 1;
    while (at >= row * columns && !responseMask[at]) at--;
    return at < row * columns ? Number.NaN : 1 / (1 + Math.exp(-(logits[at] as number)));
  });
}

/** An answer as tokens, and the position where the answer itself starts. */
export type AnswerRow = Pick<RememberedAnswer, 'tokens' | 'start'>;

/**
 * The turns of a dialogue that a verifier judges. The verifier judges all answers or, if turns are steps, only the last
 * turn, whose score applies to the whole dialogue.
 */
export function judgedTurns(
  { turns, isRight }: Pick<Trajectory, 'turns' | 'isRight'>,
  { protocol }: Pick<Team, 'protocol'>,
): { turn: Turn; isRight: boolean }[] {
  if (protocol.hasSteps) return turns.slice(-1).map((turn) => ({ turn, isRight }));
  return turns.flatMap((turn) => (turn.isRight === undefined ? [] : [{ turn, isRight: turn.isRight }]));
}

/**
 * The row that a verifier judges for one turn of a dialogue, in the vocabulary of the first agent: the question with
 * all hidden texts, and the turn. If turns are steps, the row contains all messages and the world's replies instead of
 * a single turn. A verifier that chooses the team's answer reads no hidden texts, but all messages before the turn.
 */
export function answerRow(
  trajectory: Pick<Trajectory, 'problem' | 'opening' | 'turns'>,
  turn: Turn,
  team: Team,
): AnswerRow {
  const { problem, turns } = trajectory;
  const { decides } = team.config.verifier;
  const question = team.tokenizer.encode(team.world.view(problem, decides ? [] : Object.keys(problem.hidden)));
  if (team.protocol.hasSteps)
    return { tokens: jointRow({ ...trajectory, prompts: [question] }, 0, team.tokens).ids, start: question.length };
  const before = decides ? turns.slice(0, setOf(turn)) : [];
  const heard = before.flatMap((said) => [...team.tokens.headers[said.role], ...heardTokens(said, team.tokens)]);
  const opening = [...question, ...heard, ...team.tokens.headers[turn.role]];
  return { tokens: [...opening, ...heardTokens(turn, team.tokens)], start: opening.length };
}

/** All turns of these dialogues that the verifier judges, in the format of the verifier's memory. */
export function rememberedAnswers(
  trajectories: readonly Trajectory[],
  team: Team,
  iteration: number,
): RememberedAnswer[] {
  return trajectories.flatMap((trajectory) =>
    judgedTurns(trajectory, team).map(({ turn, isRight }) => ({
      ...{ iteration, question: trajectory.problem.id, isRight },
      ...answerRow(trajectory, turn, team),
    })),
  );
}

/**
 * Builds one row for each answer. `actionMask` is 1 for the tokens of the answer itself, because the verifier predicts
 * a score at each of these tokens.
 */
export function buildAnswerRows(answers: readonly AnswerRow[]): RowBatch {
  const length = Math.max(1, ...answers.map(({ tokens }) => tokens.length));
  const batch = emptyBatch(length, Int32Array.from(answers.keys()), new Int32Array(answers.length));
  answers.forEach(({ tokens, start }, b) => {
    batch.ids.set(tokens, b * length);
    batch.actionMask.fill(1, b * length + start, b * length + tokens.length);
    batch.turnIds.fill(0, b * length + start, b * length + tokens.length);
  });
  return batch;
}

/**
 * [N] the scores of answers in [0, 1], computed in microbatches. The rows of a microbatch are padded to the length of
 * its longest row.
 */
export async function scoreAnswers(network: Network, answers: readonly AnswerRow[], gate: Gate): Promise<Float64Array> {
  const batch = buildAnswerRows(answers);
  const { values } = await oldFacts(batch, { network, reference: null, temperature: 1, gate });
  return verifierScores(values, batch.actionMask, [batch.rows, batch.length]);
}

/**
 * Trains the verifier for one optimiser step on these answers. Returns a tensor with the metrics of the step. The
 * caller must dispose of this tensor. The first metric is the mean cross-entropy before the step, in nats.
 */
export async function verifierStep(
  network: Network,
  answers: readonly (AnswerRow & { isRight: boolean })[],
  { config, gate }: { config: Config; gate: Gate },
): Promise<tf.Tensor1D> {
  const trained = variables(network);
  const metrics = await optimiserStep(network, microbatches(network, answers), {
    trained,
    gate,
    options: adamWOf(network, config, config.verifier.learningRate),
  });
  network.updates++;
  return metrics;
}

function microbatches(network: Network, answers: readonly (AnswerRow & { isRight: boolean })[]): Microbatch[] {
  const batch = buildAnswerRows(answers);
  const total = actionCount(batch);
  return paddedParts(network, batch).map(({ part, rows }) => {
    const verdicts = new Float32Array(part.rows);
    verdicts.set(rows.map((b) => Number(answers[b]?.isRight)));
    return {
      key: `verifier ${part.rows} ${part.length}`,
      uploads: {
        ...rowInputs(part),
        responseMask: { values: part.actionMask, shape: [part.rows, part.length] },
        isRight: { values: verdicts, shape: [part.rows] },
        share: { values: Float32Array.of(actionCount(part) / total), shape: [1] },
      },
      gradient: (inputs) => lossGradient(() => partLoss(network, inputs), variables(network)),
    };
  });
}

/** The contribution of a microbatch to the loss of a verifier's step. */
function partLoss(network: Network, inputs: Record<string, tf.Tensor>): tf.Scalar {
  const loss = verifierLoss({
    logits: rowOutputs(network, rowsFrom(inputs), 1).values as tf.Tensor2D,
    isRight: inputs['isRight'] as tf.Tensor1D,
    responseMask: inputs['responseMask'] as tf.Tensor2D,
  });
  return tf.mul(loss, tf.reshape(inputs['share'] as tf.Tensor1D, [])) as tf.Scalar;
}
