// Tests the measured influence of a turn on the next turn. The expected values come from a slow float64 network whose
// contexts are built by hand.
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import { logSoftmaxReference } from '../../engine/ops/tokens/testing/reference.ts';
import { livelyWeights, rowLogitsReference } from '../../model/testing/reference.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { isHeard, turnContext, viewRow, vocabularyAt } from '../../rollout/view.ts';
import { heardTurns, meanInfluence, measureInfluence } from './influencePass.ts';
import { disposeNetwork, freshState, uploadNetwork, type Network } from '../team/network.ts';
import { agentPolicies } from './agentPolicies.ts';
import { collectRollouts } from './collect.ts';
import { assembleTeam, type Team } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig, openGate } from '../testing/microRun.ts';

onCpu();

const teams: [string, ConfigInput['agents']][] = [
  ['plan and reason', {}],
  ['plan and reason with two networks', { parameters: 'separate' }],
  ['a debate of three over three rounds, some answers withheld', { protocol: 'debate', count: 3, maskPeers: 0.3 }],
  [
    'a debate with feedback and two networks',
    { protocol: 'debate', count: 2, roundLimit: 2, feedback: true, parameters: 'separate' },
  ],
  ['a summary over two rounds', { protocol: 'summary', count: 3, roundLimit: 2 }],
  [
    'a debate of two vocabularies',
    { protocol: 'debate', count: 2, parameters: 'heterogeneous', otherVocabulary: 'joined' },
  ],
  ['a pioneer and an observer', { protocol: 'pioneerObserver' }],
  [
    'a debate of two with a network for each turn',
    { protocol: 'debate', count: 2, parameters: 'lora', adapterPer: 'turn' },
  ],
];

async function talkOf(agents: ConfigInput['agents']) {
  const config = microConfig({
    agents: { temperature: 0.9, reasonWindow: 6, ...agents },
    learning: { problemsPerIteration: 2, groupSize: 2 },
  });
  const team = assembleTeam(config);
  const weights = team.shapes.map((shape, n) => livelyWeights(shape, 5 + n));
  const networks = weights.map((arrays, n) => {
    const shape = team.shapes[n] ?? team.shape;
    return uploadNetwork(freshState(arrays, shape, false), shape, false);
  });
  const { trajectories } = await collectRollouts(team, { policies: agentPolicies({ team, networks }), iteration: 0 });
  return { team, networks, weights, trajectories };
}

type Talk = Awaited<ReturnType<typeof talkOf>>;

/**
 * Log-probabilities of the tokens of turn `next` in the listener's context, with the tokens of turn `hidden` removed
 * from the context.
 */
function slowly(
  { team, weights }: Talk,
  trajectory: Trajectory,
  at: { listener: number; next: number; hidden: number },
) {
  // The context is built turn by turn, and every token is labelled with its turn.
  const context = (trajectory.prompts[at.listener] as number[]).map((id) => ({ id, of: -1 }));
  const put = (ids: readonly number[], of: number) => context.push(...ids.map((id) => ({ id, of })));
  const answer = trajectory.turns[at.next] as Trajectory['turns'][number];
  const start = answer.set ?? answer.index;
  for (let from = 0; from < start;) {
    const set = trajectory.turns.filter((turn) => (turn.set ?? turn.index) === from);
    for (const turn of set) {
      if ((turn.agent as number) === at.listener) put(turnContext(turn, team.tokens, at.listener), -1);
    }
    for (const turn of set) {
      if (isHeard(turn.agent, at.listener, team.tokens)) put(turnContext(turn, team.tokens, at.listener), turn.index);
    }
    from += set.length;
  }
  put(vocabularyAt(team.tokens, at.listener).headers[answer.role], -1);
  const asked = context.length;
  put(answer.tokens, -1);
  const ids = context.map(({ id }) => id);
  const visible = context.map(({ of }) => of !== at.hidden);
  const network = team.networkOf[at.listener]?.[answer.round] as number;
  const shape = team.shapes[network] ?? team.shape;
  const logits = rowLogitsReference(shape, weights[network] as never, ids, visible);
  const all = logSoftmaxReference(logits, shape.vocabSize, team.config.agents.temperature);
  return answer.tokens.map((token, i) => all[(asked + i - 1) * shape.vocabSize + token] as number);
}

/** The influence of each turn, computed directly from the definition. */
function influenceSlowly(talk: Talk, trajectory: Trajectory): (number | null)[] {
  return trajectory.turns.map((said) => {
    const gains = talk.team.protocol.roles.flatMap((_, listener) => {
      if (!isHeard(said.agent, listener, talk.team.tokens) || said.maskedFor?.includes(listener)) return [];
      const after = (turn: Trajectory['turns'][number]) => (turn.set ?? turn.index) > (said.set ?? said.index);
      const next = trajectory.turns.find((turn) => (turn.agent as number) === listener && after(turn));
      if (!next) return [];
      const full = slowly(talk, trajectory, { listener, next: next.index, hidden: -2 });
      const hidden = slowly(talk, trajectory, { listener, next: next.index, hidden: said.index });
      return [full.reduce((sum, x, i) => sum + x - (hidden[i] as number), 0) / full.length];
    });
    return gains.length > 0 ? gains.reduce((a, b) => a + b, 0) / gains.length : null;
  });
}

const free = (networks: readonly Network[]) => networks.forEach(disposeNetwork);

describe.each(teams)('influence in %s', (_, agents) => {
  it('is what two contexts built by hand give in float64', async () => {
    const talk = await talkOf(agents);
    const table = await measureInfluence({ ...talk, gate: openGate() }, talk.trajectories);
    let measured = 0;
    talk.trajectories.forEach((trajectory, i) => {
      influenceSlowly(talk, trajectory).forEach((expected, t) => {
        if (expected === null) return expect(table[i]?.[t]).toBeNull();
        measured++;
        expect(Math.abs((table[i]?.[t] as number) - expected), `dialogue ${i}, turn ${t}`).toBeLessThan(2e-5);
      });
    });
    expect(measured).toBeGreaterThan(0);
    expect(Math.max(...table.flat().map((x) => Math.abs(x ?? 0)))).toBeGreaterThan(1e-3);
    free(talk.networks);
  });
});

describe('what a listener heard', () => {
  it('stands in its row where its context says it does, and is answered by its next turn', async () => {
    const { team, networks, trajectories } = await talkOf({ protocol: 'debate', count: 3, maskPeers: 0.4 });
    let seen = 0;
    for (const trajectory of trajectories) {
      for (const listener of [0, 1, 2]) {
        const row = viewRow(trajectory, listener, team.tokens);
        for (const { turn, from, to, next } of heardTurns(trajectory, listener, team.tokens)) {
          const said = trajectory.turns[turn] as Trajectory['turns'][number];
          expect(row.ids.slice(from, to)).toEqual(turnContext(said, team.tokens));
          expect(said.maskedFor ?? []).not.toContain(listener);
          expect(trajectory.turns[next]?.agent).toBe(listener);
          expect(trajectory.turns[next]?.round).toBe(said.round + 1);
          seen++;
        }
      }
    }
    expect(seen).toBeGreaterThan(0);
    free(networks);
  });

  it('is nothing where nobody hears anybody, and then there is no mean', async () => {
    const talk = await talkOf({ protocol: 'vote', count: 3 });
    const table = await measureInfluence({ ...talk, gate: openGate() }, talk.trajectories);
    expect(table.flat().every((x) => x === null)).toBe(true);
    expect(meanInfluence(table)).toBeNull();
    free(talk.networks);
  });
});

it('leaves no tensor behind and changes no weight', async () => {
  const talk = await talkOf({});
  const measure = () => measureInfluence({ ...talk, gate: openGate() }, talk.trajectories);
  const first = await measure();
  const tensors = tf.memory().numTensors;
  expect(await measure()).toEqual(first);
  expect(tf.memory().numTensors).toBe(tensors);
  free(talk.networks);
});

it('is exactly 0 where the listener’s network does not attend', async () => {
  const talk = await talkOf({ parameters: 'separate' });
  const still = (team: Team) =>
    uploadNetwork(
      freshState(
        (talk.weights[1] as { name: string; shape: number[]; values: Float32Array }[]).map((array) =>
          array.name.includes('o_proj') ? { ...array, values: new Float32Array(array.values.length) } : array,
        ),
        team.shape,
        false,
      ),
      team.shape,
      false,
    );
  const deaf = [still(talk.team), still(talk.team)];
  const table = await measureInfluence({ team: talk.team, networks: deaf, gate: openGate() }, talk.trajectories);
  const known = table.flat().filter((x) => x !== null);
  expect(known.length).toBeGreaterThan(0);
  expect(known.every((x) => x === 0)).toBe(true);
  free([...deaf, ...talk.networks]);
});
