// The levels of a world, in the order in which the world's form lists them.
import { ConfigError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';

/**
 * The entry for a level in a table. The first entry of the table belongs to level 1. Throws ConfigError if there is no
 * such level.
 */
export function levelIn<Row>(table: readonly Row[], level: number): Row {
  const found = table[level - 1];
  if (found === undefined) throw new ConfigError(spoken`world.level: expected 1 to ${table.length}, got ${level}.`);
  return found;
}
