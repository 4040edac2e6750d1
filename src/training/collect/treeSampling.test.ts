import { describe, expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { referenceTree } from '../reference/team.ts';
import { bestCandidate } from './treeSampling.ts';

describe('bestCandidate', () => {
  it('is the highest, the first of equal ones, and needs one to choose from', () => {
    expect(bestCandidate([0, 2, 1, 2].map((team) => ({ team, local: 0 })))).toBe(1);
    expect(() => bestCandidate([])).toThrow(ShapeError);
  });
  it('compares by team and local score together', () => {
    expect(bestCandidate([{ team: 1, local: 0 }, { team: 0.5, local: 1 }])).toBe(1); // prettier-ignore
  });
  it('agrees with the choice written out on 200 sets of candidates', () => {
    for (let seed = 0; seed < 200; seed++) {
      const draws = new Draws(seed, streams.control, 29);
      const scores = Array.from({ length: 1 + draws.below(8) }, () => ({ team: draws.below(2), local: draws.below(3) / 4 })); // prettier-ignore
      const candidates = scores.map((own) => ({ tree: 0, agent: 0, turn: 0, ...own }));
      const isBest = referenceTree(candidates, false).map((own) => own.isBest);
      expect(bestCandidate(candidates), `seed ${seed}`).toBe(isBest.indexOf(true));
    }
  });
});
