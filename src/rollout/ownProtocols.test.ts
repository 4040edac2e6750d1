// Tests of all kinds of protocols that a visitor can write. Agents generate random messages. The tests check when each
// agent speaks, which other agents it hears, and which agent ends the dialogue.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { plannedPair, type OwnProtocol } from '../config/ownProtocol.ts';
import { mostRounds } from '../config/protocols/registry.ts';
import { parseConfig, parseShape } from '../config/parse.ts';
import { answeringPair, possibleOwnProtocols } from '../config/testing/ownProtocols.ts';
import { form as houseRule } from '../extensions/worlds/houseRule/form.ts';
import { protocolOf } from '../records/protocol.ts';
import { setsOf } from '../records/trajectory.ts';
import { sampleProblem } from '../records/testing/arbitrary.ts';
import { worlds } from '../tasks/registry.ts';
import { seated } from '../tasks/steps/seats.ts';
import { loadTokenizer } from '../tasks/testing/tokenizers.ts';
import { roleHeaders } from '../text/chatTemplate.ts';
import { runTrajectories } from './runTrajectories.ts';
import { rolloutSettings } from './settings.ts';
import { fakePolicy } from './testing/fakePolicy.ts';
import { viewTokens } from './view.ts';

const tokenizer = loadTokenizer();
const id = (agent: number) => tokenizer.encode(`${agent}`);

/**
 * Runs a dialogue in which every agent says its own number. Returns the context of each agent before the agent's last
 * turn.
 */
async function talk(own: OwnProtocol, finishes: number | null = null, consensus = 0) {
  const { agents } = parseConfig({
    agents: { protocol: 'own', own, consensus, roundLimit: 2 },
    warmStart: { source: 'train' },
  });
  const protocol = protocolOf(agents, houseRule);
  const world = seated(worlds.houseRule, protocol);
  const policies = own.agents.map((_, agent) =>
    fakePolicy((_row, turn) => [...id(agent), ...tokenizer.encode(turn === finishes ? '<finish>' : '<eot>')], {
      maxPositions: 4096,
    }),
  );
  const [trajectory] = await runTrajectories({
    ...{ problems: [sampleProblem], groups: [0], protocol, policies, tokens: viewTokens(protocol, [tokenizer]) },
    settings: rolloutSettings(parseConfig({ agents, warmStart: { source: 'train' } }), world, protocol),
    prompt: (asked, agent) => tokenizer.encode(world.view(asked, protocol.sees[agent] ?? [])),
    decode: (ids) => tokenizer.decode(ids),
    address: () => 0,
    judge: (said) => Promise.resolve(said.map(() => ({ answer: '5', isRight: true, score: 1 }))),
    maskDraw: () => 0,
  });
  const contexts = policies.map(({ sessions }) => tokenizer.decode(sessions.at(-1)?.rows[0]?.ids ?? []));
  return { trajectory: trajectory!, contexts, protocol };
}

it('a written protocol is talked through to its end, in its order, by those who hear each other in it', async () => {
  await fc.assert(
    fc.asyncProperty(possibleOwnProtocols(['rule']), async (own) => {
      const { trajectory, contexts, protocol } = await talk(own);
      const said = setsOf(trajectory.turns).map((set) => set.map(({ agent }) => agent as number));
      expect(said).toEqual([...own.order, ...own.order]);
      expect(trajectory.finishCode).toBe(own.finisher === null ? 0 : 1);
      for (const [agent, context] of contexts.entries()) {
        const { role, hears, sees } = own.agents[agent]!;
        expect(context.includes('<rightToLeft>')).toBe(sees === 'all' || sees.includes('rule'));
        const place = own.order.findIndex((set) => set.includes(agent));
        const spoken = own.order.slice(0, place).flat();
        for (const [other, { role: as }] of own.agents.entries()) {
          const words = `${roleHeaders[as]}${other}<eot>`;
          // Before its second turn, an agent has received messages from all agents that it hears according to the
          // protocol, and from no others.
          if (other !== agent) expect(context.includes(words), `${agent} hears ${other}`).toBe(hears.includes(other));
        }
        expect(context.endsWith(`${roleHeaders[role]}${agent}<eot>`)).toBe(true);
        if (place > 0) expect(spoken.some((other) => hears.includes(other))).toBe(true);
      }
      expect(protocol.messengers.every((agent) => own.agents.some(({ hears }) => hears.includes(agent)))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

it('is ended by its finisher alone', async () => {
  const three: OwnProtocol = {
    ...plannedPair,
    agents: [...plannedPair.agents, { role: 'metaThinking', hears: [0], sees: 'all' }],
    order: [[0], [2], [1]],
    finisher: 2,
  };
  const { trajectory } = await talk(three, 1);
  expect(trajectory.turns.map(({ agent }) => agent as number)).toEqual([0, 2, 1, 0, 2]);
  expect(trajectory.finishCode).toBe(0);
});

it('of answers ends on agreement where the settings say so', async () => {
  const { trajectory } = await talk(answeringPair, null, 1);
  expect(trajectory).toMatchObject({ finishCode: 0, turns: [{ round: 0 }, { round: 0 }] });
});

it('has as many rounds as the settings say, else as its kind has', () => {
  const rounds = (own: OwnProtocol, roundLimit: number) =>
    mostRounds(parseShape({ agents: { protocol: 'own', own, roundLimit } }).agents);
  expect([rounds(plannedPair, 0), rounds(plannedPair, 3)]).toEqual([7, 3]);
  expect(rounds({ ...plannedPair, finisher: null }, 0)).toBe(2);
});
