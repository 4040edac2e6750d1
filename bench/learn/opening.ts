// The rows of `npm run bench:learn -- --opening`: the preset that the page opens with compared with GRPO's eight
// rollouts, with which it opened before, on two levels, from the same warm starts.
import type { Session } from '../../src/training/run/session.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { firstPreset, presets } from '../../src/config/presets.ts';
import { loadShipped } from '../shared/shippedWeights.ts';
import { trainUntil, type Share } from '../shared/trainUntil.ts';
import { startFrom } from '../shared/warmStarts.ts';

export const openings = [firstPreset, 'default'] as const;
export type Opening = (typeof openings)[number];

export const openingLevels = [1, 2] as const;

const iterations = 60;

export interface OpeningResult {
  /** At the warm start and every five iterations; `seconds` is processor time since before the first evaluation. */
  measured: { iteration: number; accuracy: number; seconds: number }[];
  /** The accuracy at low temperature at the end; absent in rows of earlier versions. */
  lowAfter?: Share | null;
  sampledTokens: number;
}

export async function learnOpening(preset: Opening, level: number, seed: number): Promise<OpeningResult> {
  const run = { seed, iterations };
  const config = parseConfig({ ...presets[preset].settings, world: { level }, evaluation: { every: 5 }, run });
  const start = await startFrom(config, await loadShipped(config));
  const secondsAt = new Map<number, number>();
  const noteSeconds = ({ run: { iteration } }: Session) => {
    const { user, system } = process.cpuUsage();
    secondsAt.set(iteration, (user + system) / 1e6);
    return false;
  };
  const trained = await trainUntil(start, noteSeconds, { atLowTemperature: true });
  const { evaluations, sampledTokens, failure, lowAfter } = trained;
  if (failure !== '') throw new Error(failure);
  const began = secondsAt.get(0) as number;
  const measured = evaluations.map(({ iteration, accuracy }) => {
    const seconds = Number(((secondsAt.get(iteration) as number) - began).toFixed(2));
    return { iteration, accuracy, seconds };
  });
  return { measured, lowAfter, sampledTokens };
}
