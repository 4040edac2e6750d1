// Collects the answers of all analyses from their folders.
import type { LookAnswers, SeatAnswers } from './analysis.ts';

const found = Object.assign(
  {},
  ...Object.values(
    import.meta.glob<object>('../../extensions/analyses/*/answers.ts', { eager: true, import: 'answers' }),
  ),
) as Partial<LookAnswers & SeatAnswers>;

/**
 * The functions that answer questions about an iteration or a checkpoint, by question. Questions that belong to no
 * analysis are not included.
 */
export const lookAnswers: Readonly<Partial<LookAnswers>> = found;
/** The functions that answer questions about several checkpoints, by question. */
export const seatAnswers: Readonly<Partial<SeatAnswers>> = found;
