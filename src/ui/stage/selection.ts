// Arrow keys of the stage: ← → rollouts, ↑ ↓ turns.

export interface Selection {
  rollout: number;
  turn: number;
}

/** Where a key leads, kept within the counts; null for a key that means nothing here. */
export function moveSelection(
  key: string,
  at: Selection,
  counts: { rollouts: number; turns: number },
): Selection | null {
  const within = (x: number, n: number) => Math.max(0, Math.min(n - 1, x));
  switch (key) {
    case 'ArrowLeft':
      return { ...at, rollout: within(at.rollout - 1, counts.rollouts) };
    case 'ArrowRight':
      return { ...at, rollout: within(at.rollout + 1, counts.rollouts) };
    case 'ArrowUp':
      return { ...at, turn: within(at.turn - 1, counts.turns) };
    case 'ArrowDown':
      return { ...at, turn: within(at.turn + 1, counts.turns) };
    default:
      return null;
  }
}

/** The index a list key leads to, along one axis; null for other keys. */
export function moveIndex(key: string, index: number, count: number): number | null {
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
  const target = key === 'Home' ? 0 : key === 'End' ? count - 1 : index + (steps[key] ?? Number.NaN);
  return Number.isNaN(target) ? null : Math.max(0, Math.min(count - 1, target));
}
