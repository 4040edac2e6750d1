// Keeps the files of preference pairs and of chats that were imported during this visit. When a run is replayed from its
// history, its files are found by their digests.
import { FormatError } from '../src/base/errors.ts';
import { spoken } from '../src/base/spoken.ts';
import { sha256 } from '../src/base/sha256.ts';
import type { ChatFile } from '../src/records/stored/chatFile.ts';
import type { FileImport, ImportKind } from '../src/records/stored/history.ts';
import type { PreferenceText } from '../src/records/stored/preference.ts';
import type { ImportSource } from '../src/training/history/replay.ts';

interface PairFile {
  name: string;
  digest: string;
  pairs: PreferenceText[];
}

export type ImportedFile = PairFile | ChatFile;

export class ImportedFiles implements ImportSource {
  readonly #held = new Map<string, ImportedFile>();

  /**
   * Reads a file; the code of a format is loaded when it is needed. Throws FormatError for an invalid line, with the number of the line, and for a file without pairs or
   * chats.
   */
  async read(kind: ImportKind, text: string, name: string): Promise<ImportedFile> {
    const digest = sha256(text);
    if (kind === 'chats') {
      const chats = (await import('../src/formats/chats.ts')).readChats(text);
      if (chats.length === 0) throw new FormatError(spoken`the file contains no chats; expected one chat per line.`);
      return { name, digest, chats };
    }
    const pairs = (await import('../src/formats/preferences.ts')).readPreferences(text);
    if (pairs.length === 0) throw new FormatError(spoken`the file contains no pairs; expected one pair per line.`);
    return { name, digest, pairs };
  }

  hold(file: ImportedFile): void {
    this.#held.set(file.digest, file);
  }

  pairsOf = (digest: string): PreferenceText[] | undefined => {
    const file = this.#held.get(digest);
    return file && 'pairs' in file ? file.pairs : undefined;
  };

  chatsOf = (digest: string): ChatFile | undefined => {
    const file = this.#held.get(digest);
    return file && 'chats' in file ? file : undefined;
  };

  /**
   * The imports whose files are available. All other imports are left out, because the visitor has chosen to continue
   * without their files.
   */
  atHand(imports: readonly FileImport[]): FileImport[] {
    return imports.filter(({ digest }) => this.#held.has(digest));
  }
}

/** The number of pairs or chats in a file. */
export const countIn = (file: ImportedFile): number => ('pairs' in file ? file.pairs : file.chats).length;
