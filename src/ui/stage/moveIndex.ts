// Keyboard navigation in a list: arrows, Home and End.

/** The index to which a key leads along one axis of a list; null for other keys. */
export function moveIndex(key: string, index: number, count: number): number | null {
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
  const target = key === 'Home' ? 0 : key === 'End' ? count - 1 : index + (steps[key] ?? Number.NaN);
  return Number.isNaN(target) ? null : Math.max(0, Math.min(count - 1, target));
}
