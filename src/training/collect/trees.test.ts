// Tests training on trees: the scores of candidates, the groups (one for each observation), and the properties that
// every run must have.
import { reasonInEnglish } from '../../base/spoken.ts';
import { sampleProblem } from '../../records/testing/arbitrary.ts';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { ownTurns, trunksOf } from '../../records/branch.ts';
import type { FinishCode, Trajectory } from '../../records/trajectory.ts';
import { decodingPolicy } from '../../model/decoding/decoder.ts';
import { initialWeights } from '../../model/network/parameters.ts';
import type { CandidateTrajectory } from '../../rollout/trees.ts';
import { collectRollouts, type Paid } from './collect.ts';
import { evaluateTeam } from '../evaluation/evaluate.ts';
import type { Collected } from '../learners/learner.ts';
import { learners } from '../learners/registry.ts';
import { groupUnits } from '../learners/units.ts';
import { policyLoss } from '../maths/loss.ts';
import { disposeNetwork, freshState, uploadNetwork } from '../team/network.ts';
import { oldFacts } from '../rows/oldFacts.ts';
import { referenceTree } from '../reference/team.ts';
import { actionCount, buildRows, type RowBatch } from '../rows/rows.ts';
import { assembleTeam, type Team } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig, openGate, startRun } from '../testing/microRun.ts';
import { trajectoryOf } from '../testing/spoken.ts';
import { bestCandidate, scoreDraft } from './trees.ts';

onCpu();

const trees = (more: ConfigInput = {}): ConfigInput => ({
  ...more,
  agents: { candidates: 3, ...more.agents },
  learning: { groupKey: 'problem+agent+turn', problemsPerIteration: 3, groupSize: 2, ...more.learning },
  reward: { over: 'dense', across: 'own', ...more.reward },
});

interface Grown {
  team: Team;
  paid: Paid;
  batch: RowBatch;
  collected: Collected;
  /** [B·T] log-probabilities of the tokens, computed again with the sampling policy. */
  again: Float32Array;
}

async function grow(settings: ConfigInput): Promise<Grown> {
  const team = assembleTeam(microConfig(settings));
  const network = uploadNetwork(freshState(initialWeights(team.shape, 1), team.shape, false), team.shape);
  const policies = team.networkOf.map(() => decodingPolicy(network.tree, team.shape));
  const paid = await collectRollouts(team, { policies, iteration: 0 });
  const batch = buildRows(paid.trajectories, [...team.protocol.roles.keys()], team.tokens);
  const facts = await oldFacts(batch, { network, reference: network.tree, temperature: 1, gate: openGate() });
  disposeNetwork(network);
  const { trajectories, rewards } = paid;
  const tokenCharge = new Float32Array(batch.ids.length);
  const collected = { config: team.config, trajectories, rewards, batch, tokenCharge, values: new Float32Array(0) };
  return { team, paid, batch, collected, again: facts.refLogprobs };
}

const teams: [string, NonNullable<ConfigInput['agents']>][] = [
  ['planner and reasoner', {}],
  ['one agent', { protocol: 'single', candidates: 4 }],
  ['pioneer and observer', { protocol: 'pioneerObserver', candidates: 2 }],
  ['debate of three, with masks and feedback', { protocol: 'debate', count: 3, maskPeers: 0.4, feedback: true }],
  ['summary of three', { protocol: 'summary', count: 3 }],
];

describe.each(teams)('trees of %s', (_, agents) => {
  let grown: Grown;
  beforeAll(async () => {
    grown = await grow(trees({ agents }));
  });

  it('have on all rows the log-probabilities they were sampled with, and act on their own turns only', () => {
    const { batch, again, paid } = grown;
    const distance = batch.oldLogprobs.map((old, at) =>
      batch.actionMask[at] === 1 ? Math.abs(old - (again[at] as number)) : 0,
    );
    expect(Math.max(...distance)).toBeLessThan(1e-4);
    const own = paid.trajectories.flatMap(ownTurns);
    expect(actionCount(batch)).toBe(own.reduce((sum, { tokens }) => sum + tokens.length, 0));
    expect(actionCount(batch)).toBe(paid.sampledTokens);
    for (let b = 0; b < batch.rows; b++) {
      const { branch, turns } = paid.trajectories[batch.trajectoryIds[b] as number] as Trajectory;
      const acted = new Set(
        batch.turnIds.filter((_id, at) => Math.floor(at / batch.length) === b && batch.actionMask[at] === 1),
      );
      if (branch) expect([...acted]).toEqual([turns.length - 1]);
    }
  });

  it('have no gradient at what they inherit or only hear', () => {
    const { batch, team } = grown;
    const shape: [number, number] = [batch.rows, batch.length];
    const { actionMask, turnIds, trajectoryIds } = batch;
    const gradient = tf.tidy(() => {
      const old = tf.tensor2d(batch.oldLogprobs, shape);
      const given = { oldLogprobs: old, advantages: tf.ones<tf.Rank.R2>(shape), actionMask, turnIds, trajectoryIds };
      const loss = (logprobs: tf.Tensor2D) =>
        policyLoss({ ...given, logprobs }, { ...team.config.learning, maxActionTokens: batch.length }).loss;
      const now = tf.tensor2d(batch.oldLogprobs, shape);
      return tf
        .grad(loss as (x: tf.Tensor) => tf.Tensor)(now)
        .dataSync();
    });
    gradient.forEach((slope, at) => expect(slope !== 0).toBe(actionMask[at] === 1));
  });

  it('are compared within groups of one agent and one context, whose advantages sum to 0', () => {
    const { collected, batch, paid } = grown;
    const { keys, unitOf, rewards } = groupUnits(collected);
    const { advantages } = learners.grpo.advantages(collected);
    const members = new Map<string, { context: string; unit: number; advantage: number }[]>();
    const seen = new Set<number>();
    unitOf.forEach((unit, at) => {
      if (unit < 0 || seen.has(unit)) return;
      seen.add(unit);
      const row = Math.floor(at / batch.length);
      const from = row * batch.length;
      // The context of a candidate consists of all tokens in its row before the candidate's first token.
      const context = `${batch.agentIds[row]}: ${batch.ids.slice(from, at + 1).join()}`;
      const key = keys[unit] as string;
      members.set(key, [...(members.get(key) ?? []), { context, unit, advantage: advantages[at] as number }]);
      const { turns } = paid.trajectories[batch.trajectoryIds[row] as number] as Trajectory;
      expect(rewards[unit]).toBeCloseTo(turns[batch.turnIds[at] as number]?.reward as number, 6);
    });
    // If each context is treated as a separate tree, the explicit formula for candidates yields the same advantages.
    const asCandidates = keys.map((tree, unit) => ({
      tree,
      agent: 0,
      turn: 0,
      team: rewards[unit] as number,
      local: 0,
    }));
    const ofUnits = referenceTree(asCandidates, collected.config.learning.groupStd);
    for (const { unit, advantage } of [...members.values()].flat())
      expect(advantage).toBeCloseTo(ofUnits[unit]?.advantage as number, 5);
    const { candidates } = collected.config.agents;
    for (const group of members.values()) {
      expect(group.length % candidates).toBe(0);
      expect(new Set(group.map(({ context }) => context)).size).toBe(1);
      expect(Math.abs(group.reduce((sum, { advantage }) => sum + advantage, 0))).toBeLessThan(1e-5);
    }
    expect(members.size).toBeGreaterThan(2);
  });

  it('go on from the best: no candidate that was left scores more than the one that was chosen', () => {
    const { paid } = grown;
    const trunks = trunksOf(paid.trajectories);
    expect(trunks.map(({ index }) => index)).toEqual([...trunks.keys()]);
    let left = 0;
    for (const { branch, turns, reward } of paid.trajectories) {
      if (!branch) continue;
      expect(turns.at(-1)?.reward).toBe(reward);
      expect(reward).toBeLessThanOrEqual(trunks[branch.tree]?.turns[branch.from]?.reward as number);
      left++;
    }
    expect(left).toBeGreaterThan(10);
  });
});

describe('bestCandidate', () => {
  it('is the highest, the first of equal ones, and needs one to choose from', () => {
    expect(bestCandidate([0, 2, 1, 2].map((team) => ({ team, local: 0 })))).toBe(1);
    expect(() => bestCandidate([])).toThrow(ShapeError);
  });
  it('compares by team and local score together', () => {
    expect(
      bestCandidate([
        { team: 1, local: 0 },
        { team: 0.5, local: 1 },
      ]),
    ).toBe(1);
  });
  it('agrees with the choice written out on 200 sets of candidates', () => {
    for (let seed = 0; seed < 200; seed++) {
      const draws = new Draws(seed, streams.control, 29);
      const scores = Array.from({ length: 1 + draws.below(8) }, () => ({
        team: draws.below(2),
        local: draws.below(3) / 4,
      }));
      const candidates = scores.map((own) => ({ tree: 0, agent: 0, turn: 0, ...own }));
      const isBest = referenceTree(candidates, false).map((own) => own.isBest);
      expect(bestCandidate(candidates), `seed ${seed}`).toBe(isBest.indexOf(true));
    }
  });
});

describe('the score of a candidate', () => {
  const team = (reward: ConfigInput['reward'] = {}, parts: ConfigInput['houseRule'] = {}) =>
    assembleTeam(
      microConfig(
        trees({
          reward: { rightAnswer: 1, finished: 0, ...reward },
          houseRule: { legalOperation: 0, rewrite: 0, ...parts },
          agents: { maskUnfinished: true },
        }),
      ),
    );
  const problem = sampleProblem;
  const { tokenizer } = team();
  const draft = (texts: string[], end: FinishCode | null = null): CandidateTrajectory => {
    const said = texts.map((text, i) => ({ agent: i % 2, tokens: tokenizer.encode(text) }));
    const trajectory = trajectoryOf(said, { problem, finishCode: end ?? 1 });
    trajectory.turns.forEach((turn, i) => (turn.text = (texts[i] as string).replace(/<.*/, '')));
    return { trajectory, isEnd: end !== null };
  };
  const score = async (
    texts: string[],
    end: FinishCode | null = null,
    reward: ConfigInput['reward'] = {},
    parts: ConfigInput['houseRule'] = {},
  ) => {
    const asked = draft(texts, end);
    const scores = await scoreDraft(team(reward, parts), asked);
    expect(asked.trajectory.reward).toBe(scores.team + scores.local);
    expect(asked.trajectory.turns.at(-1)?.reward).toBe(asked.trajectory.reward);
    return asked.trajectory.reward;
  };

  it('is whether the team can still be right by it: a plan by what it leads to, a rewrite by what it leaves', async () => {
    expect(await score(['4*2<eot>'])).toBe(1);
    expect(await score(['7+4<eot>'])).toBe(0);
    expect(await score(['5*5<eot>'])).toBe(0);
    expect(await score(['4*2<eot>', '7+8<eot>'])).toBe(1);
    expect(await score(['4*2<eot>', '7+6<eot>'])).toBe(0);
    expect(await score(['4*2<eot>', '7+8<eot>', '7+8<eot>', '5<eot>'])).toBe(1);
  });

  it('is at the end whether it was right', async () => {
    expect(await score(['4*2<eot>', '7+8<eot>', '7+8<eot>', '5<eot>', '<finish>'], 0)).toBe(1);
    expect(await score(['4*2<eot>', '7+8<eot>', '<finish>'], 0)).toBe(0);
    expect(await score(['4*2<eot>', '7+8<eot>', '7+8<eot>', '5<eot>'], 1)).toBe(0);
  });

  it('comes with a reason that says how the dialogue ended only where the candidate ends it', async () => {
    const reason = async (texts: string[], end: FinishCode | null = null, agents: ConfigInput['agents'] = {}) => {
      const asked = draft(texts, end);
      await scoreDraft(assembleTeam(microConfig(trees({ agents }))), asked);
      return asked.trajectory.turns.map((turn) => reasonInEnglish(turn.reason));
    };
    expect(await reason(['4*2<eot>'])).toEqual(['']);
    expect(await reason(['5*5<eot>'])).toEqual(['5*5 is not in 7+4*2']);
    expect(await reason(['4*2<eot>', '7+8<eot>'])).toEqual(['', '']);
    expect(await reason(['4*2<eot>', '7+8<eot>'], 1)).toEqual(['', 'not finished; no number was given']);
    const done = ['4*2<eot>', '7+8<eot>', '7+8<eot>', '5<eot>'];
    expect((await reason(done)).at(-1)).toBe('');
    expect((await reason(done, 1)).at(-1)).toBe('not finished; the answer is 5');
    // If a plan ends the dialogue, its reply may still contain the answer, so the answer is not yet reported as
    // missing.
    expect((await reason([...done, '7+8<finish>'])).at(-1)).not.toContain('5 was the answer');
    expect((await reason([...done, '<finish>'], 0)).at(-1)).toBe('the answer is 5');
    const debate = { protocol: 'debate', count: 2 } as const;
    expect((await reason(['4*2=8;7+8=5<eot>', '3<eot>'], null, debate)).at(-1)).not.toContain('the team says');
    expect((await reason(['4*2=8;7+8=5<eot>', '3<eot>'], 0, debate)).at(-1)).toContain('the team says');
  });

  it('holds the parts of the turn itself by their weights', async () => {
    const reward = { finished: 0.25 };
    const parts = { legalOperation: 0.5 };
    expect(await score(['7+4<eot>'], null, reward, parts)).toBe(0.5);
    expect(await score(['4*2<eot>'], null, reward, parts)).toBe(1.5);
    expect(await score(['4*2<eot>', '7+8<eot>', '7+8<eot>', '5<eot>', '<finish>'], 0, reward, parts)).toBe(1.25);
    expect(await score(['4*2'], 3, reward, parts)).toBe(0);
  });
});

it('a run on trees says what it counts, and shows each trunk with its candidates', async () => {
  const settings = trees({ evaluation: { every: 9 }, agents: { roundLimit: 2 } });
  const run = await startRun(settings);
  await run.session.train(3);
  for (const { metrics, trajectories, shown } of run.store.iterations.slice(-3)) {
    const trunks = trunksOf(trajectories);
    expect(trunks).toHaveLength(6);
    const right = trunks.filter(({ isRight }) => isRight).length / trunks.length;
    expect(metrics.values['charts/training_accuracy']).toBe(right);
    expect(metrics.values['charts/turns']).toBe(trunks.reduce((sum, { turns }) => sum + turns.length, 0) / 6);
    expect(metrics.values['charts/lone_members']).toBe(0);
    const onShow = shown?.rollouts.map(({ trajectory }) => trajectory) ?? [];
    expect(trunksOf(onShow)).toEqual(onShow.slice(0, 2));
    const [first] = onShow;
    expect(onShow.slice(2)).toHaveLength(2 * (first?.turns.length ?? 0));
    expect(onShow.slice(2).every(({ branch }) => branch?.tree === first?.index)).toBe(true);
    for (const { trajectory, turns } of shown?.rollouts ?? [])
      turns.forEach(({ tokens }, t) => {
        const isOwn = t >= (trajectory.branch?.from ?? 0);
        expect(tokens).toHaveLength(isOwn ? (trajectory.turns[t]?.tokens.length as number) : 0);
      });
  }
});

it('what is measured is never chosen from', async () => {
  const measure = async (settings: ConfigInput) => {
    const team = assembleTeam(microConfig(settings));
    const network = uploadNetwork(freshState(initialWeights(team.shape, 1), team.shape, false), team.shape);
    const policies = team.networkOf.map(() => decodingPolicy(network.tree, team.shape));
    const measured = await evaluateTeam(team, { policies, iteration: 0, withMasked: true });
    disposeNetwork(network);
    return measured;
  };
  expect(await measure(trees())).toEqual(await measure({}));
});
