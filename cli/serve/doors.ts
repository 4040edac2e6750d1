// The doors of `cothink serve`, which are its protocols for clients, found by their location in the source tree.
import type { CommandOption } from '../command.ts';
import type { Door, DoorFacts } from './door.ts';

/** The facts of all doors, sorted by `order`. */
export const doorFacts: readonly DoorFacts[] = Object.values(
  import.meta.glob<DoorFacts>('../../src/extensions/servers/*/facts.ts', { eager: true, import: 'facts' }),
).sort((one, other) => one.order - other.order);

const code = import.meta.glob<Door>('../../src/extensions/servers/*/door.ts', { import: 'door' });

/** The options that only some doors accept. */
export const doorOptions: Readonly<Record<string, CommandOption>> = Object.assign(
  {},
  ...doorFacts.map(({ options }) => options ?? {}),
);

/** Loads the code of all doors, each with its name. */
export const loadDoors = (): Promise<(Door & { name: string })[]> =>
  Promise.all(
    doorFacts.map(async ({ name }) => {
      const load = code[`../../src/extensions/servers/${name}/door.ts`];
      if (!load) throw new Error(`src/extensions/servers/${name}/door.ts: there is no such file.`);
      return { name, ...(await load()) };
    }),
  );
