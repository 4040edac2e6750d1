import { describe, expect, it } from 'vitest';
import { NumericsError, ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { happoAdvantages, happoWeights, turnLogratios, updateOrder } from './happoWeights.ts';
import { sequentialRatios, type SequentialRatio } from '../../config/names.ts';
import { finiteDifferences, largestGap, randomBatch } from '../reference/batches.ts';
import { referenceHappo } from '../reference/team.ts';

describe('happoWeights', () => {
  it('multiplies the joint advantage by the ratios of those before, by hand', () => {
    const got = happoWeights(2, [1.1, 0.9, 1.2]);
    expect(largestGap([got], [[2, 2.2, 1.98, 2.376]])).toBeLessThan(1e-12);
    expect(happoWeights(-0.5, [])).toEqual([-0.5]);
    expect(happoWeights(3, [1, 1])).toEqual([3, 3, 3]);
  });
  it('holds the product within e³ either way, and lets it come back', () => {
    const [, far, back] = happoWeights(1, [Math.exp(5), Math.exp(-4)]);
    expect(far).toBeCloseTo(Math.exp(3), 9);
    expect(back).toBeCloseTo(Math.exp(1), 9);
    expect(happoWeights(1, [1e-4])[1]).toBeCloseTo(Math.exp(-3), 12);
  });
  it('agrees with the products written out on 200 teams', () => {
    for (let seed = 0; seed < 200; seed++) {
      const draws = new Draws(seed, streams.control, 23);
      const ratios = Array.from({ length: draws.below(9) }, () => Math.exp(draws.normal() * (seed % 3)));
      const advantage = draws.normal();
      const gap = largestGap([happoWeights(advantage, ratios)], [referenceHappo(advantage, ratios)]);
      expect(gap, `seed ${seed}`).toBeLessThan(1e-9);
    }
  });
  it('refuses a ratio that no probabilities have', () => {
    for (const ratio of [0, -1, Number.NaN, Infinity]) expect(() => happoWeights(1, [ratio])).toThrow(NumericsError);
  });
});

describe('happoAdvantages', () => {
  // There are two rounds of a planner and a reasoner. A third agent speaks in the second round only.
  const turns = [
    { agent: 0, round: 0 },
    { agent: 1, round: 0 },
    { agent: 0, round: 1 },
    { agent: 1, round: 1 },
    { agent: 2, round: 1 },
  ];
  const advantages = [1, 2, 3, 4, 5];
  const logratios = [0.1, 0.2, -0.3, 0.4, 9];

  it('pairs turns by round', () => {
    const got = happoAdvantages(turns, { advantages, logratios, updated: [0], agent: 1 });
    const expected = [0, 2 * Math.exp(0.1), 0, 4 * Math.exp(-0.3), 0];
    expect(largestGap([Array.from(got)], [expected])).toBeLessThan(1e-12);
  });
  it('counts agents that were silent in a round as 1, and those not yet updated not at all', () => {
    const of = (updated: number[], agent: number) =>
      Array.from(happoAdvantages(turns, { advantages, logratios, updated, agent }));
    expect(of([2], 1)[1]).toBe(2);
    expect(of([2], 1)[3]).toBeCloseTo(4 * Math.exp(3), 9); // log of the product: limited from 9 to 3
    expect(of([], 0)).toEqual([1, 0, 3, 0, 0]);
    expect(of([1, 0], 2)[4]).toBeCloseTo(5 * Math.exp(0.4 - 0.3), 12);
  });
  it('gives each agent in turn the weights of happoWeights, whatever the order', () => {
    for (let seed = 0; seed < 60; seed++) {
      const draws = new Draws(seed, streams.control, 24);
      const agents = 1 + draws.below(5);
      const rounds = 1 + draws.below(4);
      const said = Array.from({ length: rounds * agents }, (_, t) => ({
        agent: t % agents,
        round: Math.floor(t / agents),
      }));
      const ofTurn = said.map(() => draws.normal());
      const logs = said.map(() => 0.3 * draws.normal());
      const order = updateOrder(agents, draws);
      expect([...order].sort()).toEqual(Array.from({ length: agents }, (_, agent) => agent));
      order.forEach((agent, place) => {
        const updated = order.slice(0, place);
        const got = happoAdvantages(said, { advantages: ofTurn, logratios: logs, updated, agent });
        said.forEach((turn, t) => {
          if (turn.agent !== agent) return expect(got[t]).toBe(0);
          const ratios = updated.map((other) => Math.exp(logs[turn.round * agents + other] as number));
          expect(got[t]).toBeCloseTo(happoWeights(ofTurn[t] as number, ratios).at(-1) as number, 9);
        });
      });
    }
  });
  it('refuses an agent that had its turn and lists of other lengths', () => {
    const of = (changed: object) => () =>
      happoAdvantages(turns, { advantages, logratios, updated: [0], agent: 1, ...changed });
    expect(of({ agent: 0 })).toThrow(/already been updated/);
    expect(of({ logratios: [1] })).toThrow(ShapeError);
  });
});

it('updateOrder is drawn again for every iteration and is the same for the same address', () => {
  const order = (iteration: number) => updateOrder(5, new Draws(7, streams.control, iteration)).join();
  expect(order(3)).toBe(order(3));
  expect(new Set(Array.from({ length: 20 }, (_, iteration) => order(iteration))).size).toBeGreaterThan(10);
});

it('only the product makes of old messages those that the first agent would say now, tested on every message of two', () => {
  // Two agents have one turn each. A turn has two tokens, and there are three words. The first agent's policy has
  // already changed, and the second agent's policy is about to change.
  const draws = new Draws(5, streams.control, 25);
  const words = [0, 1, 2];
  const table = () => words.map(() => words.map(() => draws.normal()));
  const softmax = (xs: number[]) => xs.map((x) => Math.exp(x) / xs.reduce((sum, other) => sum + Math.exp(other), 0));
  /**
   * log p of the two tokens of a message. The first row of `logits` is for the first token, and the second row is for
   * the second token.
   */
  const logps = (logits: number[][], message: number[]) =>
    message.map((word, t) => Math.log(softmax(logits[t] as number[])[word] as number));
  const messages = words.flatMap((a) => words.map((b) => [a, b]));
  const [old1, new1, old2] = [table(), table(), table()];
  const gain = new Map(messages.map((a) => [a, new Map(messages.map((b) => [b, draws.normal()]))]));
  const sum = (xs: number[]) => xs.reduce((total, x) => total + x, 0);
  const p = (logits: number[][], message: number[]) => Math.exp(sum(logps(logits, message)));
  const over = (of: (a: number[], b: number[]) => number) =>
    sum(messages.flatMap((a) => messages.map((b) => of(a, b))));
  const gainOf = (a: number[], b: number[]) => gain.get(a)?.get(b) as number;

  // The update of the second agent should increase the team's expected advantage, given the new policy of the first
  // agent.
  const truth = finiteDifferences((second) => over((a, b) => p(new1, a) * p(second, b) * gainOf(a, b)), old2);
  const slope = (kind: SequentialRatio) => {
    const shape = [messages.length, 2] as const;
    const rows = {
      shape,
      actionMask: messages.flatMap(() => [1, 1]),
      turnIds: messages.flatMap(() => [0, 0]),
      trajectoryIds: [...messages.keys()],
    };
    const logratios = turnLogratios(
      {
        ...rows,
        logprobs: messages.flatMap((a) => logps(new1, a)),
        oldLogprobs: messages.flatMap((a) => logps(old1, a)),
      },
      kind,
    );
    const weight = (a: number[], b: number[]) =>
      happoAdvantages(
        [
          { agent: 0, round: 0 },
          { agent: 1, round: 0 },
        ],
        {
          advantages: [0, gainOf(a, b)],
          logratios: [logratios.get(messages.indexOf(a))?.get(0) as number, 0],
          updated: [0],
          agent: 1,
        },
      )[1] as number;
    return finiteDifferences(
      (second) => over((a, b) => p(old1, a) * p(old2, b) * (p(second, b) / p(old2, b)) * weight(a, b)),
      old2,
    );
  };
  expect(largestGap(slope('product'), truth)).toBeLessThan(1e-6);
  expect(largestGap(slope('geometric'), truth)).toBeGreaterThan(1e-2);
});

it('turnLogratios of three tokens of 0.1, −0.05 and 0.3 are 0.35 as a product and a third of that as a mean', () => {
  const batch = {
    shape: [1, 3] as const,
    actionMask: [1, 1, 1],
    turnIds: [0, 0, 0],
    trajectoryIds: [0],
    oldLogprobs: [0, 0, 0],
    logprobs: [0.1, -0.05, 0.3],
  };
  expect(turnLogratios(batch, 'product').get(0)?.get(0)).toBeCloseTo(0.35, 12);
  expect(turnLogratios(batch, 'geometric').get(0)?.get(0)).toBeCloseTo(0.35 / 3, 12);
});

it.each(sequentialRatios)('turnLogratios (%s) agree with what is written out on 200 batches', (kind) => {
  for (let seed = 0; seed < 200; seed++) {
    const batch = randomBatch(seed, { spread: seed % 2 === 0 });
    const got = turnLogratios(
      {
        actionMask: batch.actionMask.flat(),
        turnIds: batch.turnIds.flat(),
        trajectoryIds: batch.trajectoryIds,
        shape: [batch.logprobs.length, (batch.logprobs[0] as number[]).length],
        logprobs: batch.logprobs.flat(),
        oldLogprobs: batch.oldLogprobs.flat(),
      },
      kind,
    );
    const expected = new Map<string, number[]>();
    batch.actionMask.forEach((cells, row) =>
      cells.forEach((mask, t) => {
        const of = (matrix: number[][]) => (matrix[row] as number[])[t] as number;
        const name = `${batch.trajectoryIds[row]}/${of(batch.turnIds)}`;
        if (mask === 1) expected.set(name, [...(expected.get(name) ?? []), of(batch.logprobs) - of(batch.oldLogprobs)]);
      }),
    );
    const count = [...got.values()].reduce((sum, turns) => sum + turns.size, 0);
    expect(count).toBe(expected.size);
    for (const [name, xs] of expected) {
      const [trajectory, turn] = name.split('/').map(Number) as [number, number];
      const sum = xs.reduce((a, b) => a + b, 0);
      expect(got.get(trajectory)?.get(turn)).toBeCloseTo(kind === 'product' ? sum : sum / xs.length, 9);
    }
  }
});
