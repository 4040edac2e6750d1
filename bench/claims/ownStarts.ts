// Warm starts that are trained from the seed of a run, exactly as the page and the command line train them, and stored
// in .cache so that runs with the same warm start share it.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Config } from '../../src/config/schema.ts';
import type { KeptWarmStart, WarmStartStore } from '../../src/records/stored/warmStart.ts';
import { readRecord, writeRecord } from '../../src/storage/archive/recordBytes.ts';
import { warmStartKey } from '../../src/training/imitation/warmStartBasis.ts';
import { hashOf } from '../shared/rowStore.ts';
import { folder } from '../shared/warmStarts.ts';

/** The file of a warm start; null if the run starts from random weights. */
export const ownStartFile = (config: Config): string | null =>
  config.warmStart.source === 'none' ? null : `${folder}/own-${hashOf(warmStartKey(config, 'simd'))}.record`;

/** Stores the complete warm start of a configuration, and nothing in between. */
export function ownStarts(config: Config): WarmStartStore {
  const file = ownStartFile(config);
  const { steps } = config.warmStart;
  return {
    load: (key) => {
      if (!file || !existsSync(file)) return Promise.resolve(null);
      const kept = readRecord(new Uint8Array(readFileSync(file)), file) as KeptWarmStart;
      return Promise.resolve(kept.key === key ? kept : null);
    },
    save: (kept) => {
      if (file && kept.step === steps) {
        mkdirSync(folder, { recursive: true });
        const whole = `${file}.${process.pid}`;
        writeFileSync(whole, writeRecord(kept));
        renameSync(whole, file);
      }
      return Promise.resolve();
    },
  };
}
