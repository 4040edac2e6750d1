// Reads reasons that were stored by earlier versions, as English text.

/**
 * Converts a reason that an earlier version stored to a list with one clause, which is shown unchanged in any language.
 * Returns anything else unchanged.
 */
export const presentReason = (stored: unknown): unknown =>
  typeof stored !== 'string' ? stored : stored === '' ? [] : [stored];
