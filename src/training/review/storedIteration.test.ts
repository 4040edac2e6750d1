// Tests that an iteration restored from storage gives the same numbers as during its update.
import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import type { GroupInspection, TurnInspection } from '../../records/inspection.ts';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { inspectGroup } from '../inspect/inspect.ts';
import { onCpu } from '../testing/onCpu.ts';
import { heldTensors, inspectableOf, startRun } from '../testing/microRun.ts';
import { heldOutTrajectory, plainProblems } from './heldOut.ts';
import * as houseRule from '../../extensions/worlds/houseRule/problems.ts';
import { withIteration } from './storedIteration.ts';

onCpu();

async function trained(settings: ConfigInput = {}) {
  const run = await startRun({ learning: { problemsPerIteration: 3, groupSize: 4 }, ...settings });
  const before = await run.session.checkpoint();
  await run.session.train(1);
  const first = await run.session.checkpoint();
  await run.session.train(1);
  const after = await run.session.checkpoint();
  const [, collected] = run.collected() as [Trajectory[], Trajectory[]];
  const trajectories = structuredClone(collected);
  return { ...run, before, first, after, trajectories };
}
const groupsOf = (trajectories: readonly Trajectory[]) => [...new Set(trajectories.map(({ group }) => group))];

async function seen(checkpoint: Checkpoint, trajectories: readonly Trajectory[]) {
  const stored = { checkpoint, config: checkpoint.config, iteration: 2, trajectories };
  return withIteration(stored, async (inspectable, lacking) => ({
    lacking,
    groups: await inOrder(groupsOf(trajectories), (group) => inspectGroup(inspectable, group)),
  }));
}
async function inOrder<T>(groups: readonly number[], look: (group: number) => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (const group of groups) found.push(await look(group));
  return found;
}
const columns = ({ formula, rollouts }: GroupInspection, pick: (turn: TurnInspection) => unknown) => ({
  formula,
  turns: rollouts.map(({ turns }) => turns.map(pick)),
});

const kinds: [string, ConfigInput][] = [
  ['GRPO', {}],
  [
    'whitened RLOO with a KL in the reward',
    {
      learning: { learner: 'rloo', normAdv: true, problemsPerIteration: 3, groupSize: 4 },
      kl: { place: 'reward', coef: 0.1 },
    },
  ],
  [
    'shaped and accumulated rewards',
    {
      reward: { shaping: 0.5, over: 'accumulated' },
      learning: { groupKey: 'problem+agent', problemsPerIteration: 3, groupSize: 4 },
    },
  ],
  [
    'candidates of single turns',
    {
      agents: { candidates: 2, maskUnfinished: false, stopWhenTruncated: false },
      learning: { groupSize: 1, groupKey: 'problem+agent+turn', problemsPerIteration: 3 },
      reward: { over: 'dense', across: 'own' },
    },
  ],
];

describe('a stored iteration', () => {
  for (const [name, settings] of kinds) {
    it(`under the weights that its update left has every number that it had: ${name}`, async () => {
      const { session, after, trajectories } = await trained(settings);
      const inspectable = inspectableOf(session);
      const live = await inOrder(groupsOf(trajectories), (group) => inspectGroup(inspectable, group));
      const { groups, lacking } = await seen(after, trajectories);
      expect(lacking).toBe('');
      expect(groups).toEqual(live);
      expect(live.length).toBeGreaterThan(1);
    });
  }

  it('under other weights keeps its advantages, and only what the network now thinks differs', async () => {
    const { session, before, trajectories } = await trained();
    const [group] = groupsOf(trajectories) as [number];
    const live = await inspectGroup(session.inspectable as never, group);
    const [found] = (await seen(before, trajectories)).groups as [GroupInspection];
    expect(columns(found, ({ advantage, pBefore }) => [advantage, pBefore])).toEqual(
      columns(live, ({ advantage, pBefore }) => [advantage, pBefore]),
    );
    expect(columns(found, ({ p }) => p)).not.toEqual(columns(live, ({ p }) => p));
  });

  it('says what cannot be known any more, and then gives no advantages', async () => {
    const separate = {
      parameters: 'separate',
      maskUnfinished: false,
      stopWhenTruncated: false,
      roundLimit: 3,
    } as const;
    const { after, trajectories } = await trained({
      learning: { learner: 'happo', groupSize: 1, problemsPerIteration: 4, switchEvery: 0 },
      agents: separate,
    });
    const { lacking, groups } = await seen(after, trajectories);
    expect(lacking).toBe(
      'agents are updated one after another, and the weight changes of the earlier ones are not stored',
    );
    expect(groups[0]?.formula).toBeUndefined();
    expect(groups[0]?.rollouts[0]?.turns[0]?.advantage[0]).toBeNaN();
    expect(groups[0]?.rollouts[0]?.turns[0]?.p[0]).toBeGreaterThan(0);
    const other = trajectories.map((trajectory) => ({ ...trajectory, reward: trajectory.reward + 1 }));
    expect((await seen(after, other)).lacking).toBe(
      'the rewards of these dialogues depended on data that is not stored',
    );
  });

  it('is let go of entirely', async () => {
    const run = await trained();
    const held = heldTensors(run);
    await seen(run.after, run.trajectories);
    expect(heldTensors(run)).toBe(held);
    await heldOutTrajectory(run.after, 0);
    expect(heldTensors(run)).toBe(held);
  });
});

describe('a held-out problem', () => {
  it('is talked about under a checkpoint as when it was measured there', async () => {
    const { before, after } = await trained({ evaluation: { problems: 8 } });
    const [first, second] = [await heldOutTrajectory(before, 3), await heldOutTrajectory(after, 3)];
    expect(await heldOutTrajectory(after, 3)).toEqual(second);
    expect(second.problem).toEqual(first.problem);
    // The draws are the same for both checkpoints, so the first token differs only if the new weights change the
    // choice.
    expect(second.turns[0]?.tokens).not.toEqual([]);
  });

  it('is plain if no result on the way is negative and only its own rule gives the answer', async () => {
    const { after } = await trained({ evaluation: { problems: 64 } });
    const problems = houseRule.heldOutProblems(after.config.world.level, 64);
    const plain = plainProblems(after, 40);
    expect(plain.length).toBeGreaterThan(5);
    expect(plain).toEqual([...plain].sort((a, b) => a - b).filter((at) => at < 40));
    for (const [at, problem] of problems.entries())
      if (at < 40) expect(plain.includes(at), problem.shown).toBe(houseRule.isPlain(problem));
    expect(plain.length).toBeLessThan(40);
  });

  it('that there is not is refused in words', async () => {
    const { after } = await trained({ evaluation: { problems: 8 } });
    await expect(heldOutTrajectory(after, 8)).rejects.toThrow('problem: expected 1 to 8, got 9');
  });
});
