// What a verifier adds to an iteration, in rows as long as those of the agents: for the pre-flight.
import type { Trajectory } from '../../records/trajectory.ts';
import type { Learning } from '../run/learning.ts';
import { buildAnswerRows, rememberedAnswers } from '../verifier/verifierRows.ts';

export interface VerifierWork {
  scoredRows: number;
  /** Optimiser steps, and the rows of each. */
  steps: number;
  stepRows: number;
}

/** From the answers of some dialogues tried; nothing without a verifier. */
export function verifierWork(
  { team, verifier }: Pick<Learning, 'team' | 'verifier'>,
  tried: readonly Trajectory[],
  { dialogues, rowLength }: { dialogues: number; rowLength: number },
): VerifierWork {
  const answers = verifier ? rememberedAnswers(tried, team, 0) : [];
  if (answers.length === 0) return { scoredRows: 0, steps: 0, stepRows: 0 };
  const perAnswer = buildAnswerRows(answers).length / rowLength;
  const { batch, steps } = team.config.verifier;
  return {
    scoredRows: ((dialogues * answers.length) / tried.length) * perAnswer,
    steps,
    stepRows: batch * perAnswer,
  };
}
