// Where training problems come from beside the world and level that a run names: other worlds of the same words, or other
// levels, each with its weight. Whether there is such a world, and whether it speaks so, is a rule (rules.ts).
import * as v from 'valibot';

/** Places beside the first at most. */
export const mostPlaces = 8;

export const placesSchema = v.pipe(
  v.array(
    v.strictObject({
      /** The name of a world. */
      name: v.string(),
      level: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
      /** Problems from here for one of the world and level that the run names. */
      weight: v.optional(v.pipe(v.number(), v.minValue(0.05), v.maxValue(20)), 1),
    }),
  ),
  v.maxLength(mostPlaces),
);

export type WorldPlace = v.InferOutput<typeof placesSchema>[number];
