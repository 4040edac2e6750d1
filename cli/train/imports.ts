// Files that a run imports: preference pairs, and chats to imitate. Each file is identified by a digest of its content.
import path from 'node:path';
import { FormatError } from '../../src/base/errors.ts';
import { sha256 } from '../../src/base/sha256.ts';
import { readChats } from '../../src/formats/chats.ts';
import { readPreferences } from '../../src/formats/preferences.ts';
import type { ChatFile } from '../../src/records/stored/chatFile.ts';
import type { FileImport } from '../../src/records/stored/history.ts';
import type { ImportSource } from '../../src/training/history/replay.ts';
import { readText } from '../files.ts';

export interface GivenImports extends ImportSource {
  /** The imported files for a newly started run. */
  imports: readonly FileImport[];
}

/** Reads the files. Throws FormatError with the file and the line in the message. */
export async function openImports(files: {
  pairs: readonly string[];
  chats?: string | undefined;
}): Promise<GivenImports> {
  const pairs = new Map<string, ReturnType<typeof readPreferences>>();
  const chats = new Map<string, ChatFile>();
  const imports: FileImport[] = [];
  for (const file of files.pairs) {
    const { text, ...about } = await opened(file);
    pairs.set(
      about.digest,
      said(file, 'pairs', 'one pair on each line', () => readPreferences(text)),
    );
    imports.push({ ...about, iteration: 0 });
  }
  if (files.chats !== undefined) {
    const { text, ...about } = await opened(files.chats);
    const read = said(files.chats, 'chats', 'one chat on each line', () => readChats(text));
    chats.set(about.digest, { ...about, chats: read });
    imports.push({ ...about, kind: 'chats', iteration: 0 });
  }
  return {
    imports,
    pairsOf: (digest) => pairs.get(digest),
    chatsOf: (digest) => chats.get(digest),
    atHand: (wanted) => wanted.filter(({ digest }) => pairs.has(digest) || chats.has(digest)),
  };
}

async function opened(file: string) {
  const text = await readText(file);
  return { text, name: path.basename(file), digest: sha256(text) };
}

/** The contents of a file. Throws FormatError, with the name of the file, if a line is invalid or if there are none. */
function said<T>(file: string, what: string, form: string, read: () => T[]): T[] {
  let found: T[];
  try {
    found = read();
  } catch (error) {
    if (error instanceof FormatError) throw new FormatError(`${file}: ${error.message}`);
    throw error;
  }
  if (found.length > 0) return found;
  throw new FormatError(`${file}: the file contains no ${what}; it must have ${form}.`);
}
