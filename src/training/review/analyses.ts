// Collects the answers of all analyses from their folders.
import type { LookAnswers, SeatAnswers } from './analysis.ts';

const found = Object.assign(
  {},
  ...Object.values(
    import.meta.glob<object>('../../extensions/analyses/*/answers.ts', { eager: true, import: 'answers' }),
  ),
) as Partial<LookAnswers & SeatAnswers>;

/**
 * The answers about an iteration or a checkpoint, by question. If a question belongs to no analysis, it is missing
 * here.
 */
export const lookAnswers: Readonly<Partial<LookAnswers>> = found;
/** The answers about several checkpoints, by question. */
export const seatAnswers: Readonly<Partial<SeatAnswers>> = found;
