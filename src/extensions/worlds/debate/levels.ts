// The four levels, in the order of the form: how many rules are between a person and a trait, what misleads, who decides.
import type { Protocol } from '../../../records/protocol.ts';
import { levelIn } from '../../../tasks/levels.ts';
import type { WorldLimits, Split } from '../../../tasks/world.ts';

interface Level {
  /** Rules from what somebody is to the trait that is claimed. */
  hops: number;
  /** Statements about other people stand in the evidence too. */
  hasOthers?: true;
  /** Pairs of statements that mislead: what the person is not, and what would follow if he were. */
  decoys: number;
  /** The judge decides for who says more. */
  countsWords?: true;
}

const table: readonly Level[] = [
  { hops: 1, decoys: 0 },
  { hops: 2, hasOthers: true, decoys: 0 },
  { hops: 3, hasOthers: true, decoys: 1 },
  { hops: 1, decoys: 0, countsWords: true },
];

/** The level of a number; throws ConfigError where there is none. */
export const levelOf = (level: number): Level => levelIn(table, level);

/** The statements of a level: the harder split misleads once more. */
export function toldAt(level: number, split: Split): Level {
  const usual = levelOf(level);
  return split === 'harder' ? { ...usual, decoys: usual.decoys + 1 } : usual;
}

/** A statement at a time is told where each hears what was said before it, else all that may matter at once. */
export const isTurnByTurn = ({ name, hasSteps }: Protocol): boolean => name === 'inTurn' || hasSteps === true;

/** Tokens of a statement at most: ` Every baker is a sailor.` */
const statement = 6;

/** Room of a level, for the harder split too. */
export function limits(level: number, protocol: Protocol): WorldLimits {
  const { hops, decoys } = toldAt(level, 'harder');
  const { hasSteps, rounds } = protocol;
  const told = 2 * (hops + 1 + decoys); // two chains
  const cited = isTurnByTurn(protocol) ? 1 : hops + 1 + decoys;
  const turns = Math.ceil((hops + 1) / 2);
  return {
    roundLimit: hasSteps ? turns + 2 : protocol.name === 'inTurn' ? turns : rounds,
    windows: protocol.roles.map(() => cited * statement + 2), // the answer, <eot>
    promptWindow: told * statement + 4 + 2, // the claim, <bos>, <eot>
  };
}
