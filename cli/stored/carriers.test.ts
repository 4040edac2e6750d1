// The contract of the kinds of files that `cothink export` writes.
import { expect, it } from 'vitest';
import { carrierFacts, carrierOptions, loadWrite } from './carriers.ts';

it.each(carrierFacts)('the kind $name is written, into a file that is called as no other is', async (facts) => {
  expect(await loadWrite(facts)).toBeTypeOf('function');
  expect(Boolean(facts.ending) !== Boolean(facts.fileName)).toBe(true);
  const others = carrierFacts.filter((other) => other !== facts);
  if (facts.ending) expect(others.map(({ ending }) => ending)).not.toContain(facts.ending);
});

it('no two kinds take an option of one name', () => {
  const all = carrierFacts.flatMap(({ options = {} }) => Object.keys(options));
  expect(Object.keys(carrierOptions).sort()).toEqual(all.sort());
});
