// The rows of `npm run bench:learn -- --opening`: the preset that the page opens with compared with GRPO's eight
// rollouts, with which it opened before, on two levels, from the same warm starts.
import { parseConfig } from '../../src/config/parse.ts';
import { firstPreset, presets } from '../../src/config/presets.ts';
import { loadShipped } from '../shared/shippedWeights.ts';
import { trainUntil } from '../shared/trainUntil.ts';
import { startFrom } from '../shared/warmStarts.ts';

export const openings = [firstPreset, 'default'] as const;
export type Opening = (typeof openings)[number];

export const openingLevels = [1, 2] as const;

const iterations = 60;

export interface OpeningResult {
  /** At the warm start and every five iterations; `seconds` is processor time since before the first evaluation. */
  measured: { iteration: number; accuracy: number; seconds: number }[];
  sampledTokens: number;
}

export async function learnOpening(preset: Opening, level: number, seed: number): Promise<OpeningResult> {
  const run = { seed, iterations };
  const config = parseConfig({ ...presets[preset].settings, world: { level }, evaluation: { every: 5 }, run });
  const start = await startFrom(config, await loadShipped(config));
  const secondsAt = new Map<number, number>();
  const { evaluations, sampledTokens, failure } = await trainUntil(start, ({ run: { iteration } }) => {
    const { user, system } = process.cpuUsage();
    secondsAt.set(iteration, (user + system) / 1e6);
    return false;
  });
  if (failure !== '') throw new Error(failure);
  const { user, system } = process.cpuUsage();
  secondsAt.set(iterations, (user + system) / 1e6);
  const began = secondsAt.get(0) as number;
  const measured = evaluations.map(({ iteration, accuracy }) => {
    const seconds = Number(((secondsAt.get(iteration) as number) - began).toFixed(2));
    return { iteration, accuracy, seconds };
  });
  return { measured, sampledTokens };
}
