// A visitor's measurement of both arms of a claim with one seed. Result files are lists of such measurements. Each
// field has a text that describes its valid values.
import * as v from 'valibot';

const wholeNumber = 'a whole number from 0';
const pair = 'two numbers, of the first arm and of the second';
const sha256 = 'a SHA-256 of 64 hexadecimal digits (0 to 9, a to f)';

export const resultSchema = v.object(
  {
    /** The name of the claim, as the page displays it. */
    claim: v.string('a text'),
    /**
     * A digest of the experiment: the settings of both arms, the numbers of tokens, and the measure. Results with equal
     * digests come from the same experiment.
     */
    digest: v.pipe(v.string(sha256), v.regex(/^[0-9a-f]{64}$/, sha256)),
    seed: v.pipe(v.number(wholeNumber), v.safeInteger(wholeNumber), v.minValue(0, wholeNumber)),
    /** The measured values of the first arm and of the second arm. */
    values: v.tuple([v.pipe(v.number(pair), v.finite(pair)), v.pipe(v.number(pair), v.finite(pair))], pair),
    /** The backend on which both arms were trained; `code` if the result was typed as a code. */
    backend: v.string('a text'),
  },
  'a result: claim, digest, seed, values, backend',
);
export type ClaimResult = v.InferOutput<typeof resultSchema>;
