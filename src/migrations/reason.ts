// Reasons of earlier versions, which stored them as English text.

/**
 * Converts a reason that an earlier version stored to a list of one given clause, which is shown as it was written;
 * returns anything else unchanged.
 */
export const presentReason = (stored: unknown): unknown =>
  typeof stored !== 'string' ? stored : stored === '' ? [] : [stored];
