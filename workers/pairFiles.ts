// Keeps the files of preference pairs that were imported during this visit. When a run is replayed from its history,
// its files are found by their digests.
import { FormatError } from '../src/base/errors.ts';
import { spoken } from '../src/base/spoken.ts';
import { sha256 } from '../src/base/sha256.ts';
import { readPreferences } from '../src/formats/preferences.ts';
import type { PairImport } from '../src/records/stored/history.ts';
import type { PairSource } from '../src/training/history/replay.ts';
import type { PreferenceText } from '../src/records/stored/preference.ts';

export interface PairFile {
  name: string;
  digest: string;
  pairs: PreferenceText[];
}

export class PairFiles implements PairSource {
  readonly #held = new Map<string, PairFile>();

  /**
   * Reads a file of pairs. Throws FormatError for an invalid line, with the number of the line, and for a file without
   * pairs.
   */
  read(text: string, name: string): PairFile {
    const pairs = readPreferences(text);
    if (pairs.length === 0) throw new FormatError(spoken`the file contains no pairs; expected one pair per line.`);
    return { name, digest: sha256(text), pairs };
  }

  hold(file: PairFile): PairFile {
    this.#held.set(file.digest, file);
    return file;
  }

  /** The pairs of the file with this digest; undefined if no such file was imported. */
  pairsOf = (digest: string): PreferenceText[] | undefined => this.#held.get(digest)?.pairs;

  /**
   * The imports whose files are available. All other imports are left out, because the visitor has chosen to continue
   * without their files.
   */
  atHand(imports: readonly PairImport[]): PairImport[] {
    return imports.filter(({ digest }) => this.#held.has(digest));
  }
}
