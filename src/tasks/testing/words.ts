// For tests of worlds in plain words: the chats of agents, and checks that every world must pass.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { parseConfig } from '../../config/parse.ts';
import { plannedPair } from '../../config/ownProtocol.ts';
import type { ProtocolName } from '../../config/protocols/facts.ts';
import { protocolsFor } from '../../config/worlds/rules.ts';
import type { Role } from '../../records/ids.ts';
import type { Problem } from '../../records/problem.ts';
import { protocolOf } from '../../records/protocol.ts';
import type { ChatMessage } from '../../records/stored/modelCard.ts';
import { readTerminated, saysFinish } from '../../text/chatTemplate.ts';
import { duties, type Duty } from '../inWords/names.ts';
import { promptsAround, speakerAt, worldInWords, type WordsWorld } from '../inWords/worldInWords.ts';

/** The settings of a team with three agents, if the protocol does not fix their number. */
export const teamSettings = (protocol: ProtocolName, more = {}) => ({
  ...parseConfig({}).agents,
  ...{ count: 3, protocol },
  ...more,
});

/** A message with the agent that sent it; null for an observation. */
export type MessageOf = readonly [agent: number | null, text: string];

/** The chat of an agent that has heard these messages. */
export function chatIn(
  world: WordsWorld,
  problem: Problem,
  [name, agent, said = []]: readonly [name: ProtocolName, agent: number, said?: readonly MessageOf[]],
): ChatMessage[] {
  const agents = teamSettings(name);
  const protocol = protocolOf(agents, world);
  const heard = said.map(([from, text]) => ({
    ...{
      role: protocol.roles[from ?? 0] as Role,
      agent: from ?? 0,
      isOwn: from === agent,
      isWorld: from === null,
      text,
    },
  }));
  return world.inWords.chat(problem, { ...speakerAt(protocol, agent), heard }, promptsAround({ agents }, world));
}

/**
 * Checks that any text is read, and that it stays the same if it is written and read again. The texts are random, and
 * also consist of these pieces.
 */
export function readsAnyText({ inWords }: WordsWorld, problems: readonly Problem[], pieces: readonly string[]): void {
  it('can contain any text, and stays the same if it is written and read again', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.array(fc.constantFrom(...pieces)).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(text, fc.constantFrom<Duty>(...duties), fc.constantFrom(...problems), (said, duty, problem) => {
        const speaker = { role: 'reasoning', agent: 0, duty } as const;
        const first = inWords.fromWords(problem, { ...speaker, text: said }).text;
        const written = inWords.toWords(problem, { ...speaker, text: first });
        expect(inWords.fromWords(problem, { ...speaker, text: written }).text).toBe(first);
      }),
      { numRuns: 1_000 },
    );
  });
}

/** A visitor's protocol in which each turn is a whole answer. */
const ownAnswers = {
  own: { ...plannedPair, finisher: null, agents: plannedPair.agents.map((one) => ({ ...one, role: 'reasoning' })) },
};

/**
 * Checks on all levels and in all protocols that demonstrations in plain words are judged as in the world's own
 * vocabulary, and have exactly the requested form. With `isSame`, they also stay exactly the same.
 */
export function judgesAlike(world: WordsWorld, { isSame }: { isSame: boolean }): void {
  const names = [...protocolsFor(world).map((name) => [name, {}] as const), ['own' as const, ownAnswers] as const];
  it.each(names.filter(([name]) => protocolsFor(world).includes(name)))(
    'demonstrations in plain words are judged as in the world’s own vocabulary (%s)',
    async (name, more) => {
      for (const finishEnds of ['atOnce', 'afterReply'] as const) {
        const protocol = protocolOf(teamSettings(name, { finishEnds, ...more }), world);
        const inWords = worldInWords(world, protocol);
        const options = { goodPlans: 0.6, resultNoise: 0.2, finishEnds, rounds: 2 };
        for (let i = 0; i < 60; i++) {
          const drawn = world.draw(1 + (i % world.levels.length), new Draws(1, streams.problems, i), 'training');
          const [own, told] = [world, inWords].map((one) =>
            one
              .demonstrate(drawn, new Draws(1, streams.demonstrations, i), options, protocol)
              .map(({ agent, message }) => {
                const { role, duty } = speakerAt(protocol, agent);
                const read = readTerminated(message);
                return { ...read, agent, role, duty, isFinish: read.isFinish || saysFinish(read.text) };
              }),
          );
          const found = await inWords.assess(drawn, told ?? [], protocol);
          expect(found).toEqual(await world.assess(drawn, own ?? [], protocol));
          for (const message of (own ?? []).filter(({ text }) => text.trim() !== '')) {
            const again = world.inWords.fromWords(drawn, { ...message, text: world.inWords.toWords(drawn, message) });
            expect(again.isExact, message.text).toBe(true);
            if (isSame) expect(again.text).toBe(message.text);
          }
        }
      }
    },
  );
}
