// Tests every setting that the page offers for an arm of a same-luck fork (a fork with the same random numbers as its
// parent). With every setting, the arm must start with its parent's weights and roles, and it must be possible to train
// the arm.
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import type { Field } from '../../config/describe.ts';
import type { SettingValue } from '../../config/field.ts';
import { changeable, mayDiffer, type Changed } from '../../config/fork.ts';
import { valueAt, type ConfigInput } from '../../config/schema.ts';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import { runId } from '../../records/ids.ts';
import { forkCheckpoint } from './fork.ts';
import { onCpu } from '../testing/onCpu.ts';
import { openRun, startRun, type MicroRun } from '../testing/microRun.ts';
import { agentWeights } from './trainState.ts';

onCpu();

/** Values near the current value of a field. Training with these values is quick. */
function nearby(field: Field, now: unknown): SettingValue[] {
  if (field.kind === 'flag') return [now !== true];
  if (field.kind === 'choice') return field.names.filter((name) => name !== now);
  if (field.kind !== 'real' && field.kind !== 'whole') return [];
  const { min, max, kind } = field;
  const within = (value: number) => Math.min(max, Math.max(min, kind === 'whole' ? Math.round(value) : value));
  return [within(Number(now) / 2), within(Number(now) * 2), within(Number(now) + 1), min].filter((x) => x !== now);
}

/**
 * A fork with these settings. If the settings are refused, they are also changed as the refusal suggests. Returns null
 * if no suggested change makes the settings valid.
 */
function armWith(checkpoint: Checkpoint, settings: readonly Changed[], steps = 3): Checkpoint | null {
  try {
    return forkCheckpoint(checkpoint, { mode: 'settings', settings, runId: runId('arm') });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const isNew = (path: string) => mayDiffer(path) && settings.every((one) => one.path !== path);
    const remedy = error.refusal?.remedies.find((way) => Object.keys(way).every(isNew));
    if (!remedy || steps === 0) return null;
    const further = Object.entries(remedy).map(([path, value]): Changed => ({ path, value: value as SettingValue }));
    return armWith(checkpoint, [...settings, ...further], steps - 1);
  }
}

/**
 * A fork in which one setting differs, with the settings that must change with it; null if every nearby value is
 * refused.
 */
function armOf(checkpoint: Checkpoint, field: Field): Checkpoint | null {
  for (const value of nearby(field, valueAt(checkpoint.config, field.path))) {
    const made = armWith(checkpoint, [{ path: field.path, value }]);
    if (made) return made;
  }
  return null;
}

/** The weights that each agent will use in the next iteration. */
async function speaking({ session }: MicroRun) {
  const { trainState } = session;
  const agents = [...trainState.team.networkOf.keys()];
  return Promise.all(agents.map((agent) => agentWeights(trainState, agent, session.run.iteration)));
}

describe('an arm with any other setting that the page offers', () => {
  const learned = {
    problemsPerIteration: 4,
    groupSize: 4,
    criticSteps: 2,
    criticBatch: 4,
    mixingSteps: 2,
    mixingBatch: 4,
  } as const;
  const separate = { parameters: 'separate' } as const;
  const grounds: [string, ConfigInput][] = [
    ['a shared network', {}],
    ['a head and an adaptive KL weight', { learning: { learner: 'ppo' }, kl: { place: 'reward', isAdaptive: true } }],
    ['a critic of its own', { learning: { learner: 'ppo', critic: 'network', criticMemory: 20 } }],
    ['a joint critic', { learning: { learner: 'mappo', criticMemory: 20 } }],
    ['a mixing critic', { learning: { learner: 'qmix', replaySize: 20 } }],
    ['adapters by Muon', { agents: { parameters: 'lora' }, optimiser: { method: 'muon' } }],
    ['roles that are exchanged', { agents: { ...separate, swapEvery: 2 }, learning: { learner: 'cory' } }],
    [
      'a debate with a verifier',
      { agents: { protocol: 'debate', count: 2, roundLimit: 2 }, verifier: { isTrained: true, steps: 2, batch: 4 } },
    ],
    ['pairs', { learning: { learner: 'dpo' } }],
  ];
  const tried = new Set<string>();

  it.each(grounds)('starts where the run stands, and trains: %s', async (_, settings) => {
    const parent = await startRun({ ...settings, learning: { ...learned, ...settings.learning } });
    await parent.session.train(3);
    const checkpoint = await parent.session.checkpoint();
    const expected = await speaking(parent);
    await parent.session.dispose();
    const fields = changeable(checkpoint.config).filter(({ path }) => !tried.has(path));
    const refused: string[] = [];
    for (const field of fields) {
      const made = armOf(checkpoint, field);
      if (!made) {
        refused.push(field.path);
        continue;
      }
      tried.add(field.path);
      const run = openRun(made);
      expect(await speaking(run), field.path).toEqual(expected);
      await run.session.train(1);
      const failed = run.events.find(({ kind }) => kind === 'failed');
      expect(failed, field.path).toBeUndefined();
      await run.session.dispose();
    }
    // Only the world cannot be changed, because the networks have learned the vocabulary of their world, and other
    // worlds have other vocabularies.
    expect(refused).toEqual(['world.name']);
  });
});
