// The code of the kinds of files that `cothink export` writes and `cothink import` reads, found by their location in
// the source tree.
import { carrierFacts, type CarrierFacts } from '../../src/records/carrierFacts.ts';
import type { CommandOption } from '../command.ts';
import type { Reader, Write } from './carrier.ts';

const readers = import.meta.glob<Reader>('../../src/extensions/carriers/*/read.ts', { import: 'reader' });
const code = import.meta.glob<Write>('../../src/extensions/carriers/*/write.ts', { import: 'write' });

/** The options that only some kinds accept. */
export const carrierOptions: Readonly<Record<string, CommandOption>> = Object.assign(
  {},
  ...carrierFacts.map(({ options }) => options ?? {}),
);

/** Loads the code that writes files of one kind. */
export async function loadWrite({ name }: CarrierFacts): Promise<Write> {
  const load = code[`../../src/extensions/carriers/${name}/write.ts`];
  if (!load) throw new Error(`src/extensions/carriers/${name}/write.ts: there is no such file.`);
  return load();
}

/**
 * The reader of the first kind that recognises the file or folder. If it is of no known kind, the reader of the default
 * kind is returned, whose error message says what was expected.
 */
export async function readerOf(place: string): Promise<Reader> {
  const inOrder = carrierFacts.flatMap(({ name }) => readers[`../../src/extensions/carriers/${name}/read.ts`] ?? []);
  const all = await Promise.all(inOrder.map((load) => load()));
  for (const reader of all) if (await reader.takes(place)) return reader;
  return all[0] as Reader;
}
