// Checks that all kinds of files that `cothink export` writes and `cothink import` reads fulfil the requirements in
// carrier.ts.
import { expect, it } from 'vitest';
import { carrierFacts } from '../../src/records/carrierFacts.ts';
import { CommandArguments } from '../command.ts';
import { carrierOptions, loadWrite, readerOf } from './carriers.ts';

it.each(carrierFacts)('the kind $name is written into a file whose name no other kind uses', async (facts) => {
  expect(await loadWrite(facts)).toBeTypeOf('function');
  expect(Boolean(facts.ending) !== Boolean(facts.fileName)).toBe(true);
  const others = carrierFacts.filter((other) => other !== facts);
  if (facts.ending) expect(others.map(({ ending }) => ending)).not.toContain(facts.ending);
});

it('no two kinds have an option with the same name', () => {
  const all = carrierFacts.flatMap(({ options = {} }) => Object.keys(options));
  expect(Object.keys(carrierOptions).sort()).toEqual(all.sort());
});

it('a path that no kind accepts is read by the default kind, which says what it expected', async () => {
  const reader = await readerOf('nowhere.zip.txt');
  expect(await reader.takes('nowhere.zip.txt')).toBe(false);
  await expect(reader.read('nowhere.zip.txt', new CommandArguments(['nowhere.zip.txt'], new Map()))).rejects.toThrow(
    'nowhere.zip.txt',
  );
});
