// Splits and groups lists.

/** For each key in a list, the indices at which it occurs; the keys are in the order of their first occurrence. */
export function placesByKey<K>(keys: Iterable<K>): Map<K, number[]> {
  const places = new Map<K, number[]>();
  let at = 0;
  for (const key of keys) {
    const known = places.get(key);
    if (known) known.push(at++);
    else places.set(key, [at++]);
  }
  return places;
}

/** Splits a list into consecutive parts of `size` elements; the last part may be smaller. */
export function inParts<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}
