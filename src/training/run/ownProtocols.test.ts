// Tests that teams can learn from demonstrations and from rewards with every kind of protocol that a visitor can write.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { plannedPair, type OwnProtocol } from '../../config/ownProtocol.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { possibleOwnProtocols } from '../../config/testing/ownProtocols.ts';
import { setsOf } from '../../records/trajectory.ts';
import { demonstrate } from '../imitation/demonstrations.ts';
import { Gate } from '../team/gate.ts';
import { assembleTeam } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microCheckpoint, microConfig } from '../testing/microRun.ts';
import { evaluateTeam } from '../evaluation/evaluate.ts';
import { agentPolicies } from '../collect/agentPolicies.ts';
import { runIteration } from './iteration.ts';
import { disposeTrainState, restoreTrainState } from './trainState.ts';

onCpu();

const quiet = () => Promise.resolve();
const few = { problemsPerIteration: 2, groupSize: 2, numMinibatches: 1 };
const settingsOf = (own: OwnProtocol, agents: ConfigInput['agents'] = {}): ConfigInput => ({
  agents: { protocol: 'own', own, roundLimit: 2, reasonWindow: 4, metaWindow: 4, ...agents },
  learning: few,
});

async function iterated(settings: ConfigInput) {
  const learning = restoreTrainState(await microCheckpoint(microConfig(settings)), new Gate());
  const result = await runIteration(learning, 0, quiet);
  disposeTrainState(learning);
  return result;
}

it('any written protocol trains an iteration', async () => {
  await fc.assert(
    fc.asyncProperty(possibleOwnProtocols(['rule'], 4), async (own) => {
      const { trajectories, metrics } = await iterated(settingsOf(own));
      for (const { turns } of trajectories) {
        const said = setsOf(turns).map((set) => set.map(({ agent }) => agent as number));
        expect([...own.order, ...own.order].slice(0, said.length)).toEqual(said);
      }
      for (const [name, value] of Object.entries(metrics.values)) expect(Number.isFinite(value), name).toBe(true);
    }),
    { numRuns: 8, seed: 12 },
  );
});

it('what is demonstrated keeps to the order, and only the finisher ends it', () => {
  fc.assert(
    fc.property(possibleOwnProtocols(['rule'], 5), (own) => {
      const team = assembleTeam(microConfig({ agents: { protocol: 'own', own }, warmStart: { batchSize: 4 } }));
      for (const { turns } of demonstrate(team, 0)) {
        const said = setsOf(turns).map((set) => set.map(({ agent }) => agent as number));
        const whole = Array.from({ length: said.length }, (_, set) => own.order[set % own.order.length]);
        expect(said).toEqual(whole);
        const windows = turns.map(({ role, tokens }) => team.settings.windows[role] - tokens.length);
        expect(Math.min(...windows)).toBeGreaterThanOrEqual(0);
        if (own.finisher === null) continue;
        const ends = turns.filter(({ agent, isFinish }) => isFinish && (agent as number) === own.finisher);
        expect(ends).toHaveLength(1);
      }
    }),
    { numRuns: 40 },
  );
});

it('one who plans and one who reasons, written down, are the named pair to the bit', async () => {
  const settings: ConfigInput = { learning: few };
  const named = await iterated(settings);
  const own = await iterated({ ...settings, agents: { protocol: 'own', own: plannedPair } });
  expect(own.trajectories).toEqual(named.trajectories);
  const untimed = (values: Readonly<Record<string, number>>) =>
    Object.entries(values).filter(([name]) => !name.startsWith('time/') && name !== 'charts/SPS');
  expect(untimed(own.metrics.values)).toEqual(untimed(named.metrics.values));
});

it('settings of a debate act in it: answers are masked and followed by words', async () => {
  const own: OwnProtocol = {
    agents: [
      { role: 'debater', hears: [1, 2], sees: 'all' },
      { role: 'debater', hears: [0, 2], sees: [] },
      { role: 'reasoning', hears: [0], sees: [] },
    ],
    order: [[0, 1], [2]],
    answer: 'majority',
    finisher: null,
    context: 'growing',
  };
  const { trajectories } = await iterated(settingsOf(own, { maskPeers: 1, feedback: true, roundLimit: 3 }));
  const turns = trajectories.flatMap((one) => one.turns);
  expect(turns.every(({ feedback }) => feedback !== undefined)).toBe(true);
  // The messages of an agent are masked only in the contexts of the agents that hear it.
  for (const { agent, maskedFor } of turns)
    expect(maskedFor).toEqual([0, 1, 2].filter((listener) => own.agents[listener]?.hears.includes(agent)));
});

it('accuracy is measured with what its messengers say hidden as well', async () => {
  const learning = restoreTrainState(await microCheckpoint(microConfig(settingsOf(plannedPair))), new Gate());
  const found = await evaluateTeam(learning.team, {
    policies: agentPolicies(learning),
    iteration: 0,
    withMasked: true,
  });
  disposeTrainState(learning);
  expect(found.maskedMessage).toBeGreaterThanOrEqual(0);
});
