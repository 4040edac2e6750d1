import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { std, mean } from '../../base/stats.ts';
import type { ConfigInput } from '../../config/schema.ts';
import type { GroupInspection, RolloutInspection, TurnInspection } from '../../records/inspection.ts';
import type { ProblemEnds } from '../../records/problemEnds.ts';
import { logits, rowHiddenStates } from '../../model/network/llama.ts';
import type { WeightTree } from '../../model/network/parameters.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { displayToken } from '../../text/tokenizer.ts';
import { disposeRows, rotationOf, rowOutputs, uploadRows } from '../rows/forward.ts';
import { referencePolicyLoss, type Matrix } from '../reference/policy.ts';
import { buildRows, type RowBatch } from '../rows/rows.ts';
import type { Session } from '../run/session.ts';
import { onCpu } from '../testing/onCpu.ts';
import { startRun } from '../testing/microRun.ts';
import { inspectGroup, type Inspectable } from './inspect.ts';

onCpu();

/**
 * Trains for two iterations. Returns the group of the second iteration that the page shows, and everything that was
 * collected in this iteration.
 */
async function shownGroup(settings: ConfigInput) {
  const run = await startRun(settings);
  await run.session.train(2);
  const { shown, trajectories } = run.store.iterations[1] as { shown: GroupInspection; trajectories: Trajectory[] };
  return { ...run, shown, group: trajectories.filter(({ group }) => group === shown.group) };
}

const matrix = (values: ArrayLike<number>, { rows, length }: RowBatch): Matrix =>
  Array.from({ length: rows }, (_, b) => Array.from({ length }, (_, t) => values[b * length + t] as number));

/** log softmax(logits / temperature) of every column, in float64. */
function logShares(session: Session, batch: RowBatch, tree: WeightTree): number[][] {
  const { shape, config } = session.trainState.team;
  const rows = uploadRows(batch);
  const rotation = rotationOf(shape, batch.length);
  const all = tf.tidy(() => logits(rowHiddenStates(rows.ids, { tree, shape, rotation }), tree, shape).arraySync());
  disposeRows(rows);
  return all.map((row) => {
    const scaled = row.map((x) => x / config.agents.temperature);
    const top = Math.max(...scaled);
    const total = top + Math.log(scaled.reduce((sum, x) => sum + Math.exp(x - top), 0));
    return scaled.map((x) => x - total);
  });
}

const levels = [
  ['token', 'token'],
  ['turn', 'turn'],
  ['trajectory', 'trajectory'],
  ['dialogue', 'dialogue'],
] as const;

describe('the shown group', () => {
  for (const [ratioLevel, aggregation] of levels) {
    it(`carries the numbers of an independent calculation from logits (${ratioLevel} ratio)`, async () => {
      const settings = {
        learning: { ratioLevel, aggregation, learner: 'ppo', clipHigh: 0.02, clipLow: 0.02 },
        agents: { temperature: 0.8 },
      } as const;
      const { session, shown, group } = await shownGroup(settings);
      const { team, networks, references } = session.trainState;
      const network = networks[0];
      if (!network) throw new Error('a run has a network');
      const batch = buildRows(group, [0, 1], team.tokens);
      const now = logShares(session, batch, network.tree);
      const reference = logShares(session, batch, references[0] as WeightTree);
      const rows = uploadRows(batch);
      const values = tf.tidy(() => rowOutputs(network, rows, 1).values?.dataSync() ?? []);
      disposeRows(rows);

      // The displayed advantages, placed at the positions where the loss uses them.
      const advantages = new Float64Array(batch.ids.length);
      const places: { at: number; turn: TurnInspection; token: number }[] = [];
      const said = new Map<TurnInspection, number>();
      for (let at = 0; at < batch.ids.length; at++) {
        if (!batch.actionMask[at]) continue;
        const trajectory = group[batch.trajectoryIds[Math.floor(at / batch.length)] as number] as Trajectory;
        const rollout = shown.rollouts.find((candidate) => candidate.trajectory.index === trajectory.index);
        const turn = rollout?.turns[batch.turnIds[at] as number] as TurnInspection;
        const token = said.get(turn) ?? 0;
        said.set(turn, token + 1);
        places.push({ at, turn, token });
        advantages[at] = turn.advantage[token] as number;
      }
      const logprobs = Float64Array.from(batch.targets, (target, at) => now[at]?.[target] as number);
      const { ratio, won } = referencePolicyLoss(
        {
          logprobs: matrix(logprobs, batch),
          oldLogprobs: matrix(batch.oldLogprobs, batch),
          advantages: matrix(advantages, batch),
          actionMask: matrix(batch.actionMask, batch),
          turnIds: matrix(batch.turnIds, batch),
          trajectoryIds: Array.from(batch.trajectoryIds),
          agentIds: Array.from(batch.agentIds),
        },
        session.config.learning,
      );
      let clipped = 0;
      for (const { at, turn, token } of places) {
        const target = batch.targets[at] as number;
        const shares = now[at] as number[];
        const old = batch.oldLogprobs[at] as number;
        const p = Math.exp(shares[target] as number);
        const d = (reference[at]?.[target] as number) - (shares[target] as number);
        expect(turn.tokens[token]).toBe(displayToken(team.tokenizer.token(target), team.world.signs));
        expect(turn.p[token]).toBeCloseTo(p, 6);
        expect(turn.pBefore[token]).toBeCloseTo(Math.exp(old), 6);
        expect(turn.tokenRatio[token]).toBeCloseTo(p / Math.exp(old), 4);
        expect(turn.ratio[token]).toBeCloseTo(ratio.flat()[at] as number, 4);
        expect(turn.won[token]).toBe(won.flat()[at]);
        expect(turn.entropy[token]).toBeCloseTo(-shares.reduce((sum, x) => sum + x * Math.exp(x), 0), 5);
        expect(turn.kl[token]).toBeCloseTo(Math.exp(d) - d - 1, 5);
        expect(turn.value[token]).toBeCloseTo(values[at] as number, 5);
        const others = [...shares.keys()]
          .filter((id) => id !== target && Math.exp(shares[id] as number) >= 0.005)
          .sort((a, b) => (shares[b] as number) - (shares[a] as number));
        expect(turn.alternatives[token]?.map(({ token: shownAs }) => shownAs)).toEqual(
          others.slice(0, 3).map((id) => displayToken(team.tokenizer.token(id), team.world.signs)),
        );
        if (turn.won[token]) clipped++;
      }
      expect(clipped).toBeGreaterThan(0);
      expect(places.length).toBe(group.flatMap(({ turns }) => turns.flatMap(({ tokens }) => tokens)).length);
    });
  }

  it('is sorted best first and knows its mean; its advantages are those of GRPO', async () => {
    const { shown, group } = await shownGroup({ agents: { parameters: 'separate' } });
    const rewards = shown.rollouts.map(({ trajectory }) => trajectory.reward);
    expect(rewards).toEqual([...rewards].sort((a, b) => b - a));
    expect(shown.meanReward).toBeCloseTo(mean(rewards), 12);
    expect(shown.isDead).toBe(false);
    expect(shown.iteration).toBe(2);
    expect(group).toHaveLength(4);
    for (const { trajectory, turns, promptTexts } of shown.rollouts) {
      const expected = (trajectory.reward - mean(rewards)) / (std(rewards) + 1e-6);
      expect(turns).toHaveLength(trajectory.turns.length);
      turns.forEach(({ advantage, tokens, kl, value }, t) => {
        expect(tokens).toHaveLength(trajectory.turns[t]?.tokens.length as number);
        advantage.forEach((a) => expect(a).toBeCloseTo(expected, 5));
        expect(kl).toHaveLength(tokens.length);
        expect(value).toEqual([]);
      });
      expect(promptTexts[0]).toBe(`<bos><${trajectory.problem.slice}>${trajectory.problem.shown}<eot>`);
      expect(promptTexts[1]).toBe(`<bos>${trajectory.problem.shown}<eot>`);
    }
  });

  it('is dead where nothing could be earned', async () => {
    const reward = { finished: 0, rightAnswer: 0 };
    const { shown } = await shownGroup({ reward, houseRule: { rewrite: 0, legalOperation: 0 } });
    expect(shown.isDead).toBe(true);
    expect(
      shown.rollouts.flatMap(({ turns }) => turns.flatMap(({ advantage }) => advantage)).every((a) => a === 0),
    ).toBe(true);
  });

  it('of an iteration that tried each problem once knows how all of them ended, and which teach nothing', async () => {
    const lone = { learner: 'reinforcePlusPlus', groupSize: 1, problemsPerIteration: 12, normAdv: true } as const;
    const { shown, session, store } = await shownGroup({ learning: lone, kl: { place: 'off' } });
    const { trajectories } = store.iterations[1] as { trajectories: Trajectory[] };
    const { group, reward, isRight, finishCode, isStill } = shown.problems as ProblemEnds;
    expect(reward).toEqual(trajectories.map((one) => one.reward).sort((a, b) => b - a));
    expect(group.toSorted((a, b) => a - b)).toEqual([...Array(12).keys()]);
    for (const [place, at] of group.entries()) {
      const one = trajectories.find((trajectory) => trajectory.group === at) as Trajectory;
      expect([reward[place], isRight[place], finishCode[place]]).toEqual([one.reward, one.isRight, one.finishCode]);
      const { turns } = (await inspectGroup(session.inspectable as Inspectable, at)).rollouts[0] as RolloutInspection;
      expect(isStill?.[place]).toBe(turns.every(({ advantage }) => advantage.every((a) => a === 0)));
    }
    expect(isStill).toContain(false);
    const unpaid = { reward: { finished: 0, rightAnswer: 0 }, houseRule: { rewrite: 0, legalOperation: 0 } };
    const dead = await shownGroup({ learning: lone, kl: { place: 'off' }, ...unpaid });
    expect(dead.shown.problems?.isStill).toEqual(Array(12).fill(true));
    const several = await shownGroup({});
    expect(several.shown.problems).toBeUndefined();
  });
});
