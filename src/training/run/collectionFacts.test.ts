import { expect, it } from 'vitest';
import { decodingPolicy } from '../../model/decoding/decoder.ts';
import { initialWeights } from '../../model/network/parameters.ts';
import { collectRollouts } from '../collect/collect.ts';
import { collectionFacts } from './collectionFacts.ts';
import { disposeNetwork, freshState, uploadNetwork } from '../team/network.ts';
import { buildRows } from '../rows/rows.ts';
import { assembleTeam, teamAt } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig, openGate } from '../testing/microRun.ts';

onCpu();

it('the values of agents that exchange roles are those of the network that plays the agent in this iteration', async () => {
  const settings = {
    agents: { parameters: 'separate', swapEvery: 2, protocol: 'debate', count: 3 },
    learning: { learner: 'ippo' },
    reward: { across: 'own' },
  } as const;
  const fixed = assembleTeam(microConfig(settings));
  // Three critics, which predict 10, 20 and 30 for every state.
  const networks = [10, 20, 30].map((value) => {
    const state = freshState(initialWeights(fixed.shape, 1), fixed.shape, true);
    state.critic[1]?.values.fill(value);
    return uploadNetwork(state, fixed.shape);
  });
  const policies = networks.map(({ tree }) => decodingPolicy(tree, fixed.shape));
  const { trajectories } = await collectRollouts(fixed, { policies, iteration: 0 });
  const batch = buildRows(trajectories, [0, 1, 2], fixed.tokens);
  const seen: string[] = [];
  for (const iteration of [0, 1, 2, 4, 6]) {
    const team = teamAt(fixed, iteration);
    const references = networks.map(({ tree }) => tree);
    const { values } = await collectionFacts(
      { team, networks, references, gate: openGate(), klCoef: 0 },
      batch,
      trajectories,
    );
    // The position of the agent's first own token. Values are computed only for the agent's own tokens.
    const saidFirst = (agent: number) => batch.actionMask.indexOf(1, batch.agentIds.indexOf(agent) * batch.length);
    const ofAgent = [0, 1, 2].map((agent) => values[saidFirst(agent)]);
    seen.push(ofAgent.join(' '));
  }
  expect(seen).toEqual(['10 20 30', '10 20 30', '20 30 10', '30 10 20', '10 20 30']);
  networks.forEach(disposeNetwork);
});
