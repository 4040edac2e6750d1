// The four levels, in the order in which the form lists them. Each states how many rules connect a person with a trait,
// which misleading statements there are, and how the judge decides.
import type { Protocol } from '../../../records/protocol.ts';
import { levelIn } from '../../../tasks/levels.ts';
import type { WorldLimits, Split } from '../../../tasks/world.ts';

interface Level {
  /** The number of rules between the person's first kind and the trait in the claim. */
  hops: number;
  /** Whether the evidence also contains statements about other people. */
  hasOthers?: true;
  /**
   * The number of misleading pairs of statements: one about a kind to which the person does not belong, and one about
   * what would follow from this kind.
   */
  decoys: number;
  /** Whether the judge decides in favour of the side that says more. */
  countsWords?: true;
}

const table: readonly Level[] = [
  { hops: 1, decoys: 0 },
  { hops: 2, hasOthers: true, decoys: 0 },
  { hops: 3, hasOthers: true, decoys: 1 },
  { hops: 1, decoys: 0, countsWords: true },
];

/** The level with this number; throws ConfigError if there is none. */
export const levelOf = (level: number): Level => levelIn(table, level);

/** The properties of a level. In the harder split, there is one more misleading pair. */
export function toldAt(level: number, split: Split): Level {
  const usual = levelOf(level);
  return split === 'harder' ? { ...usual, decoys: usual.decoys + 1 } : usual;
}

/**
 * Whether statements are cited one at a time, because each agent reads what the others have said before. Otherwise, all
 * statements that may matter are cited in one turn.
 */
export const isTurnByTurn = ({ name, hasSteps }: Protocol): boolean => name === 'inTurn' || hasSteps === true;

/** The maximum number of tokens of a statement, such as ` Every baker is a sailor.` */
const statement = 6;

/** The limits of a level, which are large enough for the harder split too. */
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
