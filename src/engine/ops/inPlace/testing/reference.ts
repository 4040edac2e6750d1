// The results that the in-place kernels must write, computed by plain loops.
import { type Mutable, get } from '../../testing/numbers.ts';

/** mask[b, state[0] + s] ← fresh[b, s]. */
export function writeSlotsReference(
  mask: Mutable,
  fresh: ArrayLike<number>,
  state: ArrayLike<number>,
  rows: number,
): void {
  const [capacity, steps] = [mask.length / rows, fresh.length / rows];
  for (let b = 0; b < rows; b++)
    for (let s = 0; s < steps; s++) mask[b * capacity + get(state, 0) + s] = get(fresh, b * steps + s);
}
