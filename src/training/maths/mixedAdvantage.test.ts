import { describe, expect, it } from 'vitest';
import { ConfigError, ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { cover, memoryReward, mixedAdvantage } from './mixedAdvantage.ts';
import { largestGap } from '../reference/batches.ts';
import { referenceMixed } from '../reference/credit.ts';

describe('mixedAdvantage', () => {
  // One question, two rollouts of two steps: R 1 and 0; step rewards 0.5, 0.2 and 0.1, 0.4.
  const outcome = [1, 1, 0, 0];
  const questions = ['q', 'q', 'q', 'q'];
  const state = [0.5, 0.2, 0.1, 0.4];
  const steps = ['q/0', 'q/1', 'q/0', 'q/1'];

  it('weighs outcome against step by alpha, by hand', () => {
    const got = mixedAdvantage(outcome, questions, state, steps, 0.8);
    const expected = [0.8 * 0.5 + 0.2 * 0.2, 0.8 * 0.5 - 0.2 * 0.1, -0.8 * 0.5 - 0.2 * 0.2, -0.8 * 0.5 + 0.2 * 0.1];
    expect(largestGap([Array.from(got)], [expected])).toBeLessThan(1e-12);
    expect(got[0]).toBeCloseTo(0.44, 9);
  });
  it('counts each rollout once, however many steps it took', () => {
    const got = mixedAdvantage([1, 1, 1, 0], questions, [0, 0, 0, 0], ['q/0', 'q/1', 'q/2', 'q/0'], 1);
    expect([...got]).toEqual([0.5, 0.5, 0.5, -0.5]);
  });
  it('agrees with the means written out on 200 batches of odd shapes', () => {
    for (let seed = 0; seed < 200; seed++) {
      const draws = new Draws(seed, streams.control, 22);
      const rollouts = Array.from({ length: 1 + draws.below(9) }, (_, rollout) => {
        const [question, outcome] = [`question ${draws.below(3)}`, draws.below(2)];
        return Array.from({ length: 1 + draws.below(4) }, (__, step) => ({
          ...{ rollout, outcome, question, state: draws.normal(), step: `${question}/${step}` },
        }));
      });
      const entries = draws.shuffle(rollouts.flat());
      const alpha = draws.next();
      const got = mixedAdvantage(
        entries.map((e) => e.outcome),
        entries.map((e) => e.question),
        entries.map((e) => e.state),
        entries.map((e) => e.step),
        alpha,
      );
      expect(largestGap([Array.from(got)], [referenceMixed(entries, alpha)]), `seed ${seed}`).toBeLessThan(1e-9);
    }
  });
  it('refuses lists of two lengths and an alpha outside [0, 1]', () => {
    expect(() => mixedAdvantage([1, 0], ['q', 'q'], [1], ['s'], 0.8)).toThrow(ShapeError);
    expect(() => mixedAdvantage([1, 0], ['q'], [1, 0], ['s', 's'], 0.8)).toThrow(ShapeError);
    expect(() => mixedAdvantage([1], ['q'], [1], ['s'], 1.2)).toThrow(ConfigError);
  });
});

describe('memoryReward', () => {
  const gold = ['a', 'b', 'c', 'd'];
  const facts = (text: string) => new Set(text);

  it('is what the memory gained and what calling back brought into view', () => {
    // cover: after 2/4, before 1/4; recalled ∪ prompt 3/4, prompt 1/4.
    const step = { before: facts('a'), after: facts('ab'), recalled: facts('cd'), prompt: facts('dx') };
    expect(memoryReward(step, gold)).toBeCloseTo(0.25 + 0.25, 12);
    const forgetful = { before: facts('abc'), after: facts('a'), recalled: facts(''), prompt: facts('') };
    expect(memoryReward(forgetful, gold)).toBeCloseTo(-0.5, 12);
  });
  it('pays nothing for calling back what is in view or is no gold fact', () => {
    const step = { before: facts('a'), after: facts('a'), recalled: facts('bxyz'), prompt: facts('b') };
    expect(memoryReward(step, gold)).toBe(0);
  });
  it('cover counts gold facts once, and asks for some', () => {
    expect(cover(facts('aabbz'), gold)).toBe(0.5);
    expect(() => cover(facts('a'), [])).toThrow(ShapeError);
  });
});
