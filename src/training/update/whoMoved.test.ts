// Tests which networks change, for every way to share parameters and every learner. All agents that should learn must
// change. For all other agents, the weights, critics and moments must not change at all. Impossible settings must be
// refused, and the error message must contain the name of the setting.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { learnerNames, type LearnerName } from '../../config/learners/registry.ts';
import { parameterModes } from '../../config/names.ts';
import type { Config, ConfigInput } from '../../config/schema.ts';
import type { Checkpoint, NetworkState } from '../../records/stored/checkpoint.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microCheckpoint, microConfig, openRun } from '../testing/microRun.ts';

onCpu();

type Mode = (typeof parameterModes)[number];

const mixing = { teamRewardIterations: 1, mixingSteps: 2, mixingBatch: 8, replaySize: 40 } as const;
/** The settings that each learner requires. */
const needs: Partial<Record<LearnerName, ConfigInput>> = {
  ippo: { reward: { across: 'own', over: 'dense' } },
  vdn: { learning: mixing },
  qmix: { learning: mixing },
  // SFT imitates only right answers, so the agents must be right sometimes.
  sft: {
    warmStart: { source: 'train', steps: 120, batchSize: 16 },
    learning: { problemsPerIteration: 4, groupSize: 8 },
  },
};

interface Variant {
  settings: ConfigInput;
  agents: number;
  /** The agents that should learn. */
  learns: number[];
}
const variants: Record<string, Variant> = {
  'all learn': { settings: {}, agents: 2, learns: [0, 1] },
  'one is frozen': { settings: { learning: { frozen: [1] } }, agents: 2, learns: [0] },
  'it is the turn of one': { settings: { learning: { switchEvery: 9, startAgent: 1 } }, agents: 2, learns: [1] },
  'one of a debate is frozen': {
    settings: { agents: { protocol: 'debate', count: 3, roundLimit: 2 }, learning: { frozen: [1] } },
    agents: 3,
    learns: [0, 2],
  },
};

/** The first setting that makes the run impossible, and its remedy; null if the run is possible. */
function refusalOf(mode: Mode, learner: LearnerName, variant: string): [setting: string, remedy: string] | null {
  if (mode === 'shared' && learner === 'happo') return ['agents.parameters', 'agents.parameters = separate'];
  if (mode === 'shared' && variant.includes('frozen')) return ['learning.frozen', 'agents.parameters = separate'];
  if (mode === 'shared' && variant.includes('turn')) return ['learning.switchEvery', 'agents.parameters = separate'];
  if (mode === 'heterogeneous' && learner === 'cory')
    return ['agents.otherVocabulary', 'agents.otherSize = same with agents.otherVocabulary = same'];
  return null;
}

function settingsOf(mode: Mode, learner: LearnerName, variant: string): ConfigInput {
  const of = { parameters: mode, ...(mode === 'heterogeneous' && { otherVocabulary: 'joined' as const }) };
  const parts = [needs[learner] ?? {}, variants[variant]?.settings ?? {}];
  const merged: ConfigInput = { ...parts[0], ...parts[1] };
  return {
    ...merged,
    agents: { ...of, ...parts[1]?.agents },
    learning: { problemsPerIteration: 2, groupSize: 3, learner, ...parts[0]?.learning, ...parts[1]?.learning },
  };
}

// Initial checkpoints are used for several runs, because a checkpoint does not depend on which agents will learn.
const starts = new Map<string, Promise<Checkpoint>>();
async function startOf(config: Config): Promise<Checkpoint> {
  const { agents, learning } = config;
  const key = [agents.parameters, learning.learner, agents.protocol].join();
  const start = starts.get(key) ?? microCheckpoint(config);
  starts.set(key, start);
  return { ...structuredClone(await start), config };
}

// The comparison is exact. The failure message does not show the changed networks, because printing them would take too
// long.
const isSame = isDeepStrictEqual;

/** A debate of unequal networks takes long, so only run/everyRun.test.ts has one. */
const variantsOf = (mode: Mode) =>
  Object.entries(variants).filter(([name]) => !(mode === 'heterogeneous' && name.includes('debate')));

describe.each(parameterModes)('with %s parameters', (mode) => {
  describe.each(learnerNames)('and %s', (learner) => {
    it.each(variantsOf(mode))('where %s', async (name, { agents, learns }) => {
      const settings = settingsOf(mode, learner, name);
      const refusal = refusalOf(mode, learner, name);
      if (refusal) {
        expect(() => microConfig(settings)).toThrow(ConfigError);
        expect(() => microConfig(settings)).toThrow(new RegExp(`^${refusal[0]}: .*use ${refusal[1]}`));
        return;
      }
      const before = await startOf(microConfig(settings));
      const { session, events } = openRun(structuredClone(before));
      // Some learners need two iterations: a mixing critic has an effect only from the second iteration on, and there
      // may be no right answer in the first iteration.
      await session.train(needs[learner] ? 2 : 1);
      const after = await session.checkpoint();
      await session.dispose();
      expect(events.filter(({ kind }) => kind === 'failed')).toEqual([]);
      expect(after.networks).toHaveLength(mode === 'shared' ? 1 : agents);
      after.networks.forEach((network, n) => {
        const old = before.networks[n] as NetworkState;
        if (mode !== 'shared' && !learns.includes(n)) {
          expect(isSame(network, old), `network ${n}`).toBe(true);
          return;
        }
        const moved = network.weights.map(({ values }, i) => !isSame(values, old.weights[i]?.values));
        expect(moved, `network ${n}`).toEqual(old.weights.map(() => true));
        expect(network.updates).toBeGreaterThan(old.updates);
      });
      for (const part of ['base', 'reference'] as const) expect(isSame(after[part], before[part]), part).toBe(true);
    });
  });
});
