// Sources of training problems in addition to the world and level in a run's settings: other levels, or other worlds
// with the same vocabulary, each with its weight. The rules check whether such a world exists and has the same
// vocabulary (rules.ts).
import * as v from 'valibot';

/** Maximum number of places in addition to the first one. */
export const mostPlaces = 8;

export const placesSchema = v.pipe(
  v.array(
    v.strictObject({
      /** The name of a world. */
      name: v.string(),
      level: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
      /** The average number of problems from this place for each problem from the run's own world and level. */
      weight: v.optional(v.pipe(v.number(), v.minValue(0.05), v.maxValue(20)), 1),
    }),
  ),
  v.maxLength(mostPlaces),
);

export type WorldPlace = v.InferOutput<typeof placesSchema>[number];
