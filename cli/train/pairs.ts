// Files of preference pairs for a run. Each file is identified by a digest of its content.
import path from 'node:path';
import { FormatError } from '../../src/base/errors.ts';
import { sha256 } from '../../src/base/sha256.ts';
import { readPreferences } from '../../src/formats/preferences.ts';
import type { PairImport } from '../../src/records/stored/history.ts';
import type { PairSource } from '../../src/training/history/replay.ts';
import { readText } from '../files.ts';

export interface Pairs extends PairSource {
  /** The imported pairs for a newly started run. */
  imports: readonly PairImport[];
}

/** Reads the files. Throws FormatError with the file and the line in the message. */
export async function openPairs(files: readonly string[]): Promise<Pairs> {
  const held = new Map<string, ReturnType<typeof readPreferences>>();
  const imports: PairImport[] = [];
  for (const file of files) {
    const text = await readText(file);
    const pairs = readPreferences(text);
    if (pairs.length === 0)
      throw new FormatError(`${file}: the file contains no pairs; it must have one pair on each line.`);
    const digest = sha256(text);
    held.set(digest, pairs);
    imports.push({ name: path.basename(file), digest, iteration: 0 });
  }
  return {
    imports,
    pairsOf: (digest) => held.get(digest),
    atHand: (wanted) => wanted.filter(({ digest }) => held.has(digest)),
  };
}
