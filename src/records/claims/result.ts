// The result of both arms of a claim with one seed, as measured by a visitor. Result files consist of such results. The
// text of each field describes its valid values.
import * as v from 'valibot';

const wholeNumber = 'a whole number from 0';
const pair = 'two numbers, of the first arm and of the second';
const sha256 = 'a SHA-256 of 64 digits, 0 to 9 and a to f';

export const resultSchema = v.object(
  {
    /** The name of the claim, as shown to people. */
    claim: v.string('a text'),
    /**
     * Digest of the experiment: both arms' settings, their tokens and the measure. Equal digests mean the same
     * experiment.
     */
    digest: v.pipe(v.string(sha256), v.regex(/^[0-9a-f]{64}$/, sha256)),
    seed: v.pipe(v.number(wholeNumber), v.safeInteger(wholeNumber), v.minValue(0, wholeNumber)),
    /** The measure of the first and of the second arm. */
    values: v.tuple([v.pipe(v.number(pair), v.finite(pair)), v.pipe(v.number(pair), v.finite(pair))], pair),
    /** The backend that computed the result. */
    backend: v.string('a text'),
  },
  'a result: claim, digest, seed, values, backend',
);
export type ClaimResult = v.InferOutput<typeof resultSchema>;
