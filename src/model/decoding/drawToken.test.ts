// Tests of sampling one token. The results are compared with numbers computed by hand, and with a second implementation
// that builds the sets of allowed tokens.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TokenLimits } from '../../records/policy.ts';
import { drawToken } from './drawToken.ts';

/** Logits with which tokens 0 to 4 have the probabilities 0.1, 0.4, 0.2, 0.25, 0.05. */
const logits = [0.1, 0.4, 0.2, 0.25, 0.05].map((share) => Math.log(share) + 3);
const drawn = (uniform: number, limits: TokenLimits, temperature = 1) =>
  drawToken(logits, uniform, { temperature, ...limits }).id;

describe('a drawn token', () => {
  it.each([
    // In the order of the ids, the cumulative probabilities are 0.1, 0.5, 0.7, 0.95, 1.
    ['no limit', {}, [0, 0.09, 0.11, 0.49, 0.51, 0.69, 0.71, 0.94, 0.96], [0, 0, 1, 1, 2, 2, 3, 3, 4]],
    // Tokens 1 and 3 are left, with the probabilities 0.4 and 0.25. Their sum is 0.65, so numbers below 0.4 / 0.65 =
    // 0.615 select token 1.
    ['the two likeliest', { topK: 2 }, [0, 0.61, 0.62, 0.99], [1, 1, 3, 3]],
    // 0.4 + 0.25 is less than 0.66, so token 2 is needed too. Divided by their sum 0.85, the cumulative probabilities
    // of tokens 1, 2 and 3 are 0.471, 0.706 and 1.
    ['0.66 of all', { topP: 0.66 }, [0, 0.47, 0.48, 0.7, 0.71, 0.99], [1, 1, 2, 2, 3, 3]],
    ['a part that the likeliest has alone', { topP: 0.39 }, [0, 0.99], [1, 1]],
    ['nothing but the likeliest', { topP: 0 }, [0, 0.99], [1, 1]],
    // Tokens 1, 2 and 3 have a probability of at least 0.2, which is half of the largest probability, 0.4.
    ['half as likely as the likeliest', { minP: 0.499 }, [0, 0.48, 0.71], [1, 2, 3]],
    // top-p applies only to the two tokens that top-k has left. The share of the first of these tokens, 0.4 / 0.65 =
    // 0.615, is already enough.
    ['0.6 of the two likeliest', { topK: 2, topP: 0.6 }, [0, 0.99], [1, 1]],
    ['0.62 of the two likeliest', { topK: 2, topP: 0.62 }, [0, 0.99], [1, 3]],
  ])('under %s is the one whose remaining share contains the number', (_, limits, uniforms, ids) => {
    expect(uniforms.map((uniform) => drawn(uniform, limits))).toEqual(ids);
  });

  it('has the log-probability at the temperature, over all tokens', () => {
    // At temperature 0.5, the probabilities are squared and divided by their sum, so token 1 has 0.16 / (0.01 + 0.16 +
    // 0.04 + 0.0625 + 0.0025) = 0.16 / 0.275.
    expect(drawToken(logits, 0, { temperature: 0.5, topK: 1 })).toEqual({
      id: 1,
      logprob: expect.closeTo(Math.log(0.16 / 0.275), 12),
    });
  });

  it('is limited to exactly topK tokens, of equal ones those with the lower ids', () => {
    const draws = [0, 0.49, 0.51, 0.99].map(
      (uniform) => drawToken([1, 1, 1, 1], uniform, { temperature: 1, topK: 2 }).id,
    );
    expect(draws).toEqual([0, 0, 1, 1]);
  });

  it('equals that of a twin that searches for the smallest sets', () => {
    const limits = fc.record(
      {
        topK: fc.integer({ min: 1, max: 9 }),
        topP: fc.double({ min: 0, max: 1, noNaN: true }),
        minP: fc.double({ min: 0, max: 1, noNaN: true }),
      },
      { requiredKeys: [] },
    );
    const rows = fc.uniqueArray(fc.integer({ min: -4000, max: 4000 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(rows, fc.double({ min: 0, max: 0.999, noNaN: true }), limits, (row, uniform, wish) => {
        const given = row.map((logit) => logit / 1000);
        const likely = twin(given, wish);
        const sum = likely.reduce((all, [, share]) => all + share, 0);
        const bounds = likely.map((_, i) => likely.slice(0, i + 1).reduce((all, [, share]) => all + share / sum, 0));
        // If the random number lies exactly between two tokens, rounding determines which token is drawn, so the
        // results are not compared.
        fc.pre(bounds.every((bound) => Math.abs(bound - uniform) > 1e-9));
        const place = bounds.findIndex((bound) => bound > uniform);
        expect(drawToken(given, uniform, { temperature: 1, ...wish }).id).toBe(likely.at(place)?.[0]);
      }),
    );
  });
});

/**
 * The ids and probabilities of the tokens that are left after all limits, in the order of the ids. The code follows the
 * definition of each limit literally.
 */
function twin(given: readonly number[], { topK, topP, minP }: TokenLimits): [number, number][] {
  const sum = given.reduce((all, logit) => all + Math.exp(logit), 0);
  let left = given.map((logit, id): [number, number] => [id, Math.exp(logit) / sum]);
  const likelier = ([, share]: [number, number]) => left.filter(([, other]) => other > share);
  if (topK !== undefined) left = left.filter((one) => likelier(one).length < topK);
  if (topP !== undefined) {
    const all = left.reduce((mass, [, share]) => mass + share, 0);
    left = left.filter((one) => {
      const before = likelier(one);
      return before.length === 0 || before.reduce((mass, [, share]) => mass + share, 0) < topP * all || topP >= 1;
    });
  }
  const top = Math.max(...left.map(([, share]) => share));
  return minP === undefined ? left : left.filter(([, share]) => share >= minP * top);
}
