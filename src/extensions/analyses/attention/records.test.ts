import { expect, it } from 'vitest';
import { headShares, readParts, strongest, type AttentionLook } from './records.ts';

const look: AttentionLook = {
  ...{ weightsAfter: 3, layers: 2, heads: 2, tokens: ['a', 'b', 'c'], turns: [-1, 0, 0] },
  weights: Float32Array.of(1, 0, 0, 0, 1, 0, 0.5, 0.25, 0.25, 0.25, 0.5, 0.25),
};

it('the shares are those of the requested head, or the mean over the heads of the layer', () => {
  expect(headShares(look, 0, 1)).toEqual([0, 1, 0]);
  expect(headShares(look, 1, 0)).toEqual([0.5, 0.25, 0.25]);
  expect(headShares(look, 1, null)).toEqual([0.375, 0.375, 0.25]);
  expect(headShares(look, 0, 9)).toEqual([0, 1, 0]); // a head that another network had
});

it('the tokens that were attended to are divided by turns', () => {
  expect(readParts(look)).toEqual([
    { turn: -1, from: 0, until: 1 },
    { turn: 0, from: 1, until: 3 },
  ]);
  expect(readParts({ turns: [] })).toEqual([]);
});

it('the strongest shares come first', () => {
  expect(strongest(look.tokens, [0.1, 0.7, 0.2], 2).map(({ token }) => token)).toEqual(['b', 'c']);
});
