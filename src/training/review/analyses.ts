// The answers of all analyses, which are found by their folders.
import type { LookAnswers, SeatAnswers } from './analysis.ts';

const found = Object.assign(
  {},
  ...Object.values(
    import.meta.glob<object>('../../extensions/analyses/*/answers.ts', { eager: true, import: 'answers' }),
  ),
) as Partial<LookAnswers & SeatAnswers>;

/**
 * The answers about an iteration or a checkpoint, by question. Questions that belong to no analysis have no answers
 * here.
 */
export const lookAnswers: Readonly<Partial<LookAnswers>> = found;
/** The answers about several checkpoints, by question. */
export const seatAnswers: Readonly<Partial<SeatAnswers>> = found;
