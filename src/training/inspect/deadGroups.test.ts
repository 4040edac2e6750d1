// Tests whether the groups found to be dead are those in which the advantages of all tokens are 0. The runs are real,
// and their rollouts differ in more than their rewards.
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../config/parse.ts';
import { presets } from '../../config/presets.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { trunksOf } from '../../records/branch.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig, startRun } from '../testing/microRun.ts';
import { isDeadByReward } from './deadGroups.ts';
import { inspectGroup, type Inspectable } from './inspect.ts';

onCpu();

const few = { problemsPerIteration: 8, groupSize: 2 } as const;
const mixing = { teamRewardIterations: 0, mixingSteps: 4, mixingBatch: 8 } as const;
const ofPreset = (name: 'cory' | 'rloo') => {
  const { learning, kl } = presets[name].settings as ConfigInput;
  return { learning: { ...learning, ...few, numMinibatches: 1 }, kl: { ...kl } };
};

/**
 * The settings of the runs. In every run, there are living groups with unequal rewards and dead groups with equal
 * rewards. The list at the end of each entry shows which other kinds of groups occur in the run.
 */
const runs: [string, ConfigInput, ('equal, yet living' | 'unequal, yet dead')[]][] = [
  ['GRPO', { learning: few }, []],
  ['RLOO, no KL', { learning: { ...few, learner: 'rloo' }, kl: { place: 'off' } }, []],
  ['DPO', { learning: { ...few, learner: 'dpo' }, kl: { place: 'off' } }, []],
  ['PPO', { learning: { ...few, learner: 'ppo' } }, ['equal, yet living']],
  ['KL in the reward', { learning: few, kl: { place: 'reward', coef: 0.1 } }, ['equal, yet living']],
  ['the preset of RLOO', ofPreset('rloo'), ['equal, yet living']],
  [
    'the preset of CORY',
    { agents: { protocol: 'pioneerObserver', parameters: 'separate', swapEvery: 5 }, ...ofPreset('cory') },
    ['equal, yet living'],
  ],
  [
    'steps compared apart',
    { learning: { ...few, outcomeShare: 0.5 }, reward: { format: 0.5, length: 1 } },
    ['equal, yet living'],
  ],
  ['whitening', { learning: { ...few, normAdv: true } }, ['equal, yet living']],
  ['VDN', { learning: { ...few, learner: 'vdn', ...mixing } }, ['equal, yet living']],
  ['QMIX', { learning: { ...few, learner: 'qmix', ...mixing } }, ['equal, yet living']],
  [
    'turns compared',
    { learning: { ...few, groupKey: 'problem+agent+turn' }, reward: { across: 'own', over: 'dense' } },
    ['unequal, yet dead'],
  ],
  [
    'candidates of turns',
    {
      agents: { candidates: 2 },
      learning: { ...few, groupKey: 'problem+agent+turn', ratioLevel: 'turn', aggregation: 'turn' },
      reward: { across: 'own', over: 'dense' },
    },
    [],
  ],
];

describe.each(runs)('groups of %s', (_, settings, expected) => {
  it('are dead where all their advantages are 0, and only there; rewards say the same or nothing', async () => {
    const { session } = await startRun(settings);
    const found = new Set<string>();
    const comparesGroups = settings.learning?.learner !== 'ppo';
    for (let i = 0; i < 4; i++) {
      await session.train(1);
      const of = session.inspectable as Inspectable;
      const { batch, advantages, trajectories } = of;
      for (const group of new Set(trajectories.map((one) => one.group))) {
        const isOwn = (at: number) =>
          trajectories[batch.trajectoryIds[Math.floor(at / batch.length)] as number]?.group === group;
        const isStill = advantages.every((advantage, at) => !batch.actionMask[at] || !isOwn(at) || advantage === 0);
        const { isDead } = await inspectGroup(of, group);
        expect(isDead).toBe(comparesGroups && isStill);
        const rewards = trunksOf(trajectories.filter((one) => one.group === group)).map(({ reward }) => reward);
        expect([null, isDead]).toContain(isDeadByReward(rewards, of.config));
        const isEqual = Math.max(...rewards) - Math.min(...rewards) < 1e-9;
        if (isEqual === !isStill) found.add(isEqual ? 'equal, yet living' : 'unequal, yet dead');
      }
    }
    await session.dispose();
    expect([...found]).toEqual(expect.arrayContaining(expected));
  });
});

it('are told by rewards only where nothing else sets rollouts apart', () => {
  const told = (settings: ConfigInput) => isDeadByReward([1, 1], microConfig(settings));
  expect(told({})).toBe(true);
  expect(isDeadByReward([1, 0], parseConfig({}))).toBe(false);
  expect(isDeadByReward([1], parseConfig({}))).toBe(false); // a single rollout is compared with nothing
  expect(told({ learning: { learner: 'ppo' } })).toBe(false); // PPO compares no rollouts
  for (const settings of runs.filter(([, , found]) => found.length > 0).map(([, of]) => of))
    if (settings.learning?.learner !== 'ppo') expect(told(settings)).toBeNull();
  expect(told({ learning: { learner: 'dpo', pairsFrom: 'demonstrations' } })).toBeNull();
});

it.each<[string, ConfigInput]>([
  ['as they are', { learning: few }],
  ['whitened', { learning: { ...few, normAdv: true } }],
  ['with steps compared apart', { learning: { ...few, outcomeShare: 0.5 }, reward: { format: 0.5, length: 1 } }],
])('the metric counts the groups that are shown as dead, %s', async (_, settings) => {
  const { session, store } = await startRun(settings);
  await session.train(3);
  const of = session.inspectable as Inspectable;
  const groups = [...new Set(of.trajectories.map(({ group }) => group))];
  const dead = await Promise.all(groups.map(async (group) => (await inspectGroup(of, group)).isDead));
  const share = dead.filter(Boolean).length / groups.length;
  expect(store.iterations[2]?.metrics.values['charts/dead_groups']).toBeCloseTo(share, 12);
  await session.dispose();
});
