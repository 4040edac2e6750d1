// Moves the selection in a list with the keyboard: arrow keys, Home and End.

/** The index of the list to which a key moves; null for keys that do not move the selection. */
export function moveIndex(key: string, index: number, count: number): number | null {
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
  const target = key === 'Home' ? 0 : key === 'End' ? count - 1 : index + (steps[key] ?? Number.NaN);
  return Number.isNaN(target) ? null : Math.max(0, Math.min(count - 1, target));
}
