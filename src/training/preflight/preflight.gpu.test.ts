// Tests the forecast of a run on WebGPU, where recorded steps keep their buffers.
import { beforeAll, expect, it } from 'vitest';
import { startOwnDevice } from '../../engine/testing/ownDevice.ts';
import type { ConfigInput } from '../../config/schema.ts';
import type { PreferenceText } from '../../records/stored/preference.ts';
import { measureIteration } from './preflight.ts';
import { microCheckpoint, microConfig, openRun } from '../testing/microRun.ts';

beforeAll(() => startOwnDevice());

const agents = { roundLimit: 2, stopWhenTruncated: false, maskUnfinished: false };
const pair = {
  prompt: '<bos>7+4*2<eot>',
  chosen: '<meta>7+4*2<eot><reason>15<eot>',
  rejected: '<meta>7+4*2<eot><reason>7+4*2<eot>',
};
const cases: { title: string; settings: ConfigInput; pairs?: PreferenceText[] }[] = [
  { title: 'grpo', settings: {} },
  { title: 'a mixing critic', settings: { learning: { learner: 'qmix', mixingSteps: 2 } } },
  {
    title: 'imported pairs',
    settings: { learning: { learner: 'dpo', pairsFrom: 'imported' } },
    pairs: Array.from({ length: 16 }, () => pair),
  },
];

it.each(cases)(
  'the memory is forecast within 10 % of the most that three iterations need, recordings included ($title)',
  async ({ settings, pairs }) => {
    const config = microConfig({ agents, ...settings });
    const run = openRun(await microCheckpoint(config), { now: () => performance.now() });
    if (pairs) await run.session.importPairs(pairs);
    const { memoryBytes, replayBytes } = await measureIteration(run.session.trainState);
    await run.session.train(3);
    const profiles = run.events.flatMap((event) => (event.kind === 'profile' ? [event.profile] : []));
    await run.session.dispose();
    expect(profiles).toHaveLength(3);
    const forecast = memoryBytes - replayBytes;
    expect(profiles[2]?.usedBytes).toBeGreaterThan(forecast / 4); // the buffers of recordings stay in use
    const most = Math.max(...profiles.map(({ peakBytes }) => peakBytes));
    expect(Math.abs(forecast / most - 1)).toBeLessThan(0.1);
  },
);
