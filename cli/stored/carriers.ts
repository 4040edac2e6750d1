// The kinds of files that `cothink export` writes, found by their location in the source tree.
import type { CommandOption } from '../command.ts';
import type { CarrierFacts, Write } from './carrier.ts';

/** The facts of all kinds, in the order of lists. */
export const carrierFacts: readonly CarrierFacts[] = Object.values(
  import.meta.glob<CarrierFacts>('../../src/extensions/carriers/*/facts.ts', { eager: true, import: 'facts' }),
).sort((one, other) => one.order - other.order);

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
