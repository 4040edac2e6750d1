// Protocols as visitors write them; imported by tests only.
import fc from 'fast-check';
import { mostAgents, roles } from '../names.ts';
import { plannedPair, type OwnProtocol } from '../ownProtocol.ts';
import { faultOf } from '../refusals/ownProtocol.ts';

/** Two agents that answer and hear each other. */
export const answeringPair: OwnProtocol = {
  agents: [
    { role: 'debater', hears: [1], sees: 'all' },
    { role: 'debater', hears: [0], sees: [] },
  ],
  order: [[0, 1]],
  answer: 'majority',
  finisher: null,
  context: 'growing',
};

/**
 * Two valid protocols, one with steps and one with answers, and an invalid one whose answering agent does not exist.
 */
export const ownValues: readonly OwnProtocol[] = [plannedPair, answeringPair, { ...answeringPair, answer: 7 }];

const some = (count: number) => fc.subarray(Array.from({ length: count }, (_, agent) => agent));

/** Random records that the schema accepts, with at most `most` agents, for a world with these hidden texts. */
export const ownProtocols = (hidden: readonly string[], most = mostAgents): fc.Arbitrary<OwnProtocol> =>
  fc.integer({ min: 1, max: most }).chain((count) =>
    fc.record({
      agents: fc.array(
        fc.record({
          role: fc.constantFrom(...roles),
          hears: some(count),
          sees: fc.oneof(fc.constant('all' as const), fc.subarray([...hidden])),
        }),
        { minLength: count, maxLength: count },
      ),
      order: fc.array(some(count), { minLength: 1, maxLength: count }),
      answer: fc.oneof(fc.constant('majority' as const), fc.nat({ max: mostAgents - 1 })),
      finisher: fc.option(fc.nat({ max: count - 1 }), { nil: null }),
      context: fc.constantFrom('growing' as const, 'fresh' as const),
    }),
  );

/**
 * Random protocols that are not refused in a world with these hidden texts. They are made from random records by
 * applying the first remedy until no error is left.
 */
export const possibleOwnProtocols = (hidden: readonly string[], most = mostAgents): fc.Arbitrary<OwnProtocol> =>
  ownProtocols(hidden, most).map((own) => mended(own, hidden));

function mended(own: OwnProtocol, hidden: readonly string[]): OwnProtocol {
  const [nearest] = faultOf(own, hidden)?.mended ?? [];
  return nearest ? mended(nearest, hidden) : own;
}
