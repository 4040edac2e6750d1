// Measures engines in rounds, A B C A B C …, so that the noise of a shared machine affects all of them equally.
import { median } from '../../src/base/stats.ts';
import { startEngine, type Entry, type Opened, type Remote, type Sample } from './process.ts';

export interface Measured {
  entry: Entry;
  /** The opened engine; null if it could not be opened. */
  opened: Opened | null;
  /** The reason why the engine could not be opened. */
  absent?: string;
  /** The samples of the warm-up, oldest first. */
  warm: Sample[];
  samples: Sample[];
}

export interface Pace {
  /** Requested number of samples of each engine. */
  count: number;
  /** Minimum number of samples, however slow the engine. */
  least: number;
  /** Maximum milliseconds of measured steps, once there are `least`. */
  limitMs: number;
}

/** Steps of a fast engine in one round; the first of them only warms up its caches and is not counted. */
const burst = 4;
const slowMs = 1500;

/** Opens every entry, warms it up and measures all of them in rounds. */
export async function measureInRounds(entries: readonly Entry[], pace: Pace): Promise<Measured[]> {
  const all: (Measured & { remote: Remote | null })[] = [];
  for (const entry of entries) {
    const { workload, engine, backend, variant } = entry;
    process.stderr.write(`${workload}: ${[`${engine} on ${backend}`, variant].filter(Boolean).join(', ')} …\n`);
    all.push(await opened(entry));
  }
  for (;;) {
    const unfinished = all.filter((one) => one.remote && !isEnough(one, pace));
    if (unfinished.length === 0) break;
    for (const one of unfinished) await addBurst(one, pace);
  }
  for (const { remote } of all) remote?.stop();
  return all.map(({ remote: _, ...measured }) => measured);
}

async function opened(entry: Entry): Promise<Measured & { remote: Remote | null }> {
  const empty = { entry, warm: [], samples: [] };
  let remote: Remote | null = null;
  try {
    remote = await startEngine(entry);
    const warm = await remote.take(1);
    if ((warm[0]?.ms ?? 0) < 4 * slowMs) warm.push(...(await remote.take(2)));
    return { ...empty, opened: remote.opened, warm, remote };
  } catch (error) {
    remote?.stop();
    return { ...empty, opened: null, absent: (error as Error).message, remote: null };
  }
}

async function addBurst(one: Measured & { remote: Remote | null }, { count }: Pace): Promise<void> {
  const isSlow = median((one.samples.length > 0 ? one.samples : one.warm.slice(-1)).map(({ ms }) => ms)) > slowMs;
  const wanted = isSlow ? 1 : Math.min(burst, count - one.samples.length + 1);
  try {
    const got = await (one.remote as Remote).take(wanted);
    one.samples.push(...(isSlow ? got : got.slice(1)));
  } catch (error) {
    one.absent = (error as Error).message;
    one.remote = null;
  }
}

/** Returns whether there are as many samples as the pace requires. */
export function isEnough({ samples }: Measured, { count, least, limitMs }: Pace): boolean {
  if (samples.length >= count) return true;
  return samples.length >= least && samples.reduce((sum, { ms }) => sum + ms, 0) > limitMs;
}
