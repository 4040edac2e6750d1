// For tests. Provides a run whose agents talk in plain words. The world is Pass it on, and each agent has an adapter to
// a third-party model.
import { presetConfig, type PresetName } from '../../config/presets.ts';
import { withSettings } from '../../config/parse.ts';
import { runId } from '../../records/ids.ts';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import { introduceModel } from '../../records/stored/foreignModel.ts';
import type { GivenModel } from '../../records/stored/modelCard.ts';
import { readyWorlds } from '../../tasks/registry.ts';
import { startingCheckpoint } from '../run/start.ts';

/** The checkpoint of iteration 0. */
export async function wordsCheckpoint(
  { name, given }: { name: string; given: GivenModel },
  settings: Record<string, unknown> = {},
  preset: PresetName = 'passItOn',
): Promise<Checkpoint> {
  introduceModel(name, given.foreign as NonNullable<typeof given.foreign>, given.matrices);
  const few = { 'run.iterations': 2, 'evaluation.problems': 12, 'agents.start': name, 'agents.loraRank': 4 };
  const config = withSettings(presetConfig(preset), { ...few, ...settings } as never);
  await readyWorlds(config);
  return startingCheckpoint({
    ...{ config, runId: runId('words'), backend: 'simd' },
    loadShipped: () => Promise.reject(new Error('nothing ships for it')),
    loadModel: (asked) => (asked === name ? given : undefined),
  });
}
