// For tests. Runs whose adapters are taught before reinforcement learning.
import { withSettings } from '../../src/config/parse.ts';
import { presetConfig } from '../../src/config/presets.ts';
import { givenSample } from '../../src/formats/llama/testing/givenSample.ts';
import { sampleShape } from '../../src/formats/llama/testing/sample.ts';
import { runId } from '../../src/records/ids.ts';
import type { Checkpoint } from '../../src/records/stored/checkpoint.ts';
import { introduceModel } from '../../src/records/stored/foreignModel.ts';
import type { KeptWarmStart, WarmStartStore } from '../../src/records/stored/warmStart.ts';
import { readyWorlds } from '../../src/tasks/registry.ts';
import { startingCheckpoint, type StartRequest } from '../../src/training/run/start.ts';

const few = { 'run.iterations': 1, 'evaluation.problems': 4, 'agents.loraRank': 4, 'warmStart.batchSize': 4 };

/** Settings in which the agents have adapters to the sample model, and this model. */
export async function configFor(settings: Record<string, unknown> = {}) {
  const { name, given } = await givenSample({ ...sampleShape(), maxPositions: 2048 });
  introduceModel(name, given.foreign as NonNullable<typeof given.foreign>, given.matrices);
  const config = withSettings(presetConfig('countLegs'), { ...few, 'agents.start': name, ...settings } as never);
  await readyWorlds(config);
  return { config, given, name };
}

/** A store in memory, as the page and the command line have one on disk. */
export function memoryStore(): WarmStartStore & { kept: KeptWarmStart[] } {
  const kept: KeptWarmStart[] = [];
  return {
    kept,
    load: (key) => Promise.resolve(kept.findLast((one) => one.key === key) ?? null),
    save: (one) => Promise.resolve(void kept.push(structuredClone(one))),
  };
}

type Parts = Pick<StartRequest, 'chats' | 'warmStarts' | 'isLeft' | 'onProgress'>;

/** The checkpoint of iteration 0. */
export async function started(settings: Record<string, unknown> = {}, parts: Parts = {}): Promise<Checkpoint> {
  const { config, given, name } = await configFor(settings);
  return startingCheckpoint({
    ...{ config, runId: runId('taught'), backend: 'simd', ...parts },
    loadShipped: () => Promise.reject(new Error('nothing ships for it')),
    loadModel: (asked) => (asked === name ? given : undefined),
  });
}
