// Tests preference, imitation and sequential updates, and the influence of turns, on WebGPU. Replayed steps must give
// exactly the same results as steps without replay, and both must agree with the CPU engine.
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { preferenceKinds } from '../../config/names.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { simdName } from '../../engine/simd.ts';
import { startWebGpu } from '../../engine/webgpu.ts';
import { livelyWeights } from '../../model/testing/reference.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { collectRollouts } from '../collect/collect.ts';
import { measureInfluence } from '../collect/influencePass.ts';
import { agentPolicies } from '../collect/agentPolicies.ts';
import { disposeNetwork, downloadNetwork, freshState, uploadNetwork, type Network } from '../team/network.ts';
import type { Objective } from './objectives.ts';
import { buildRows, selectRows, type RowBatch } from '../rows/rows.ts';
import { SequentialUpdates } from '../../extensions/learners/happo/sequentialUpdates.ts';
import { assembleTeam, type Team } from '../team/team.ts';
import { startCpuEngine } from '../testing/cpuEngine.ts';
import { microConfig, openGate } from '../testing/microRun.ts';
import { updateNetwork, type RowFacts } from './update.ts';

type Engine = 'replayed' | 'run' | 'cpu';
const gate = openGate();
const nothing = new Float32Array(0);

interface Said {
  team: Team;
  trajectories: Trajectory[];
  batch: RowBatch;
}
let said: Said;

beforeAll(async () => {
  await startCpuEngine();
  said = await talkOf({});
  const adapter = await navigator.gpu.requestAdapter();
  expect(adapter, 'an adapter').not.toBeNull();
  await startWebGpu(adapter as GPUAdapter, { onLost: () => undefined, onRefusal: () => undefined });
});

const lively = (team: Team, n: number) =>
  freshState(livelyWeights(team.shapes[n] ?? team.shape, 5 + n), team.shape, false);

function upload(team: Team, isReplayed: boolean): Network[] {
  return team.agentsOf.map((_, n) => uploadNetwork(lively(team, n), team.shapes[n] ?? team.shape, isReplayed));
}

/** Eight dialogues and their rows. Each agent has its own network with random weights. */
async function talkOf(agents: ConfigInput['agents']): Promise<Said> {
  const team = assembleTeam(
    microConfig({
      agents: { parameters: 'separate', temperature: 0.9, roundLimit: 2, ...agents },
      learning: { learner: 'happo', problemsPerIteration: 4, groupSize: 2, updateEpochs: 3, numMinibatches: 2 },
      optimiser: { learningRate: 1e-3 },
    }),
  );
  const networks = upload(team, false);
  const { trajectories } = await collectRollouts(team, { policies: agentPolicies({ team, networks }), iteration: 0 });
  networks.forEach(disposeNetwork);
  return { team, trajectories, batch: buildRows(trajectories, [...team.protocol.roles.keys()], team.tokens) };
}

/** Uploads the team's networks to an engine. No optimiser step has been taken yet. */
const started = async (engine: Engine, { team }: Said) => {
  await tf.setBackend(engine === 'cpu' ? simdName : 'webgpu');
  return upload(team, engine === 'replayed');
};

const replaysOf = (networks: readonly Network[]) => ({
  captures: networks.map(({ replays }) => replays.captures),
  notes: networks.map(({ replays }) => replays.note),
});

/** Takes six steps of the first network on all rows. */
async function learn(engine: Engine, objective: Objective, { isFree = false, microbatchTokens = 8192 } = {}) {
  const networks = await started(engine, said);
  const [network] = networks as [Network];
  const { team, batch } = said;
  const draws = new Draws(5, streams.control, 41);
  const refLogprobs = batch.oldLogprobs.map((x, at) => (batch.actionMask[at] ? x + 0.3 * draws.normal() : 0));
  const facts = {
    advantages: nothing,
    returns: nothing,
    oldValues: nothing,
    refLogprobs: isFree ? nothing : refLogprobs,
  };
  const { config, maxActionTokens } = team;
  const context = { config, gate, klCoef: 0, maxActionTokens, objective, microbatchTokens };
  const metrics = await updateNetwork(network, batch, facts, { ...context, iteration: 0 });
  const learned = { metrics, state: await downloadNetwork(network) };
  const replays = replaysOf([network]);
  networks.forEach(disposeNetwork);
  return { learned, replays };
}

/** The largest difference between two lists of numbers, relative to the largest number. */
function relativeGap(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  const scale = Math.max(...Array.from(expected, Math.abs));
  return Math.max(...Array.from(expected, (x, i) => Math.abs((found[i] as number) - x))) / scale;
}

const numbers = (metrics: readonly object[]) => metrics.flatMap((step) => Object.values(step) as number[]);
const flat = (arrays: readonly Float32Array[]) => arrays.flatMap((values) => Array.from(values));

/** Checks that steps with and without replay give equal results, which are close to those on the CPU. */
async function expectTheSame(
  objective: Objective,
  how: { isFree?: boolean; microbatchTokens?: number; captures?: number } = {},
) {
  const run = await learn('run', objective, how);
  const { numTensors } = tf.memory();
  const replayed = await learn('replayed', objective, how);
  expect(tf.memory().numTensors).toBe(numTensors);
  expect(replayed.replays.notes).toEqual(['']);
  // All six steps have the same shape, so one recording is enough. If steps are split into parts, three recordings are
  // needed: one for the first part, one for the second part and one for the update.
  expect(replayed.replays.captures).toEqual([how.captures ?? 1]);
  expect(run.replays.captures).toEqual([0]);
  expect(replayed.learned).toEqual(run.learned);
  expect(run.learned.metrics).toHaveLength(6);
  const cpu = await learn('cpu', objective, how);
  expect(relativeGap(numbers(run.learned.metrics), numbers(cpu.learned.metrics))).toBeLessThan(1e-4);
  expect(relativeGap(flat(run.learned.state.m), flat(cpu.learned.state.m))).toBeLessThan(1e-3);
}

const cases = preferenceKinds.flatMap((kind) =>
  [false, true].map((isFree) => ({ kind, isFree, against: isFree ? 'nothing' : 'a reference' })),
);

it.each(cases)(
  'a preference ($kind) held against $against is learned as on the CPU, run or replayed',
  async (given) => {
    const { kind, isFree } = given;
    const { trajectoryIds } = said.batch;
    const options = { kind, beta: 0.2, smoothing: kind === 'sigmoid' || kind === 'robust' ? 0.1 : 0, margin: 0.3 };
    const pairIds = Array.from(trajectoryIds, (id) => id >> 1);
    const sides = Array.from(trajectoryIds, (id) => (id % 2 ? -1 : 1));
    await expectTheSame({ kind: 'preference', options, pairIds, sides }, { isFree });
  },
);

it.each([
  { cut: 'at once', microbatchTokens: 8192, captures: 1 },
  { cut: 'in parts', microbatchTokens: 96, captures: 3 },
])('an example is imitated as on the CPU, run or replayed, $cut', async ({ microbatchTokens, captures }) => {
  const isKept = Array.from(said.batch.trajectoryIds, (id) => (id % 4 === 1 ? 0 : 1));
  await expectTheSame({ kind: 'imitation', isKept }, { microbatchTokens, captures });
});

/** Updates both agents one after another. The second update takes the change of the first agent into account. */
async function learnInTurn(engine: Engine) {
  const networks = await started(engine, said);
  const { team, batch, trajectories } = said;
  const draws = new Draws(5, streams.control, 42);
  const ofTurn = trajectories.map(({ turns }) => turns.map(() => draws.normal()));
  const advantages = batch.actionMask.map((is, at) => {
    const trajectory = batch.trajectoryIds[Math.floor(at / batch.length)] as number;
    return is === 0 ? 0 : (ofTurn[trajectory]?.[batch.turnIds[at] as number] as number);
  });
  const sequence = new SequentialUpdates(team, 0, { trajectories, batch, advantages });
  const { config, maxActionTokens } = team;
  const learned = [];
  for (const agent of sequence.order) {
    const weights = sequence.weightsOf(agent);
    const network = networks[agent] as Network;
    const own = [...batch.agentIds.keys()].filter((b) => batch.agentIds[b] === agent);
    const cut = selectRows(batch, own, { advantages: weights });
    const facts: RowFacts = { ...cut.columns, returns: nothing, oldValues: nothing, refLogprobs: nothing };
    const context = { config, gate, klCoef: 0, maxActionTokens, iteration: 0 };
    const metrics = await updateNetwork(network, cut.batch, facts, context);
    await sequence.note(agent, network, { rows: cut.batch, temperature: config.agents.temperature, gate });
    const joint = advantages.map((x, at) => (batch.agentIds[Math.floor(at / batch.length)] === agent ? x : 0));
    learned.push({ agent, weights, joint, metrics, state: await downloadNetwork(network) });
  }
  const replays = replaysOf(networks);
  networks.forEach(disposeNetwork);
  return { learned, replays };
}

it('agents updated one after another weigh and learn the same as on the CPU, run or replayed', async () => {
  const run = await learnInTurn('run');
  const replayed = await learnInTurn('replayed');
  expect(replayed.replays.notes).toEqual(['', '']);
  expect(replayed.replays.captures).toEqual([1, 1]);
  expect(run.replays.captures).toEqual([0, 0]);
  expect(replayed.learned).toEqual(run.learned);
  const [first, second] = run.learned as [(typeof run.learned)[0], (typeof run.learned)[0]];
  expect(first.weights).toEqual(first.joint);
  expect(relativeGap(second.weights, second.joint)).toBeGreaterThan(1e-2);
  const cpu = await learnInTurn('cpu');
  run.learned.forEach(({ agent, weights, metrics, state }, i) => {
    const expected = cpu.learned[i] as typeof first;
    expect(agent).toBe(expected.agent);
    expect(relativeGap(weights, expected.weights)).toBeLessThan(1e-4);
    expect(relativeGap(numbers(metrics), numbers(expected.metrics))).toBeLessThan(1e-4);
    expect(relativeGap(flat(state.m), flat(expected.state.m))).toBeLessThan(1e-3);
  });
});

it('the influence of a turn is what the CPU measures', async () => {
  const measured = async (engine: Engine, from: Said) => {
    const networks = await started(engine, from);
    const table = await measureInfluence({ team: from.team, networks, gate }, from.trajectories);
    networks.forEach(disposeNetwork);
    return table;
  };
  const [expected, found] = [await measured('cpu', said), await measured('run', said)];
  const isKnown = (table: typeof found) => table.map((turns) => turns.map((x) => x !== null));
  expect(isKnown(found)).toEqual(isKnown(expected));
  const known = (table: typeof found) => table.flat().filter((x) => x !== null);
  const gaps = known(found).map((x, i) => Math.abs(x - (known(expected)[i] as number)));
  expect(gaps.length).toBeGreaterThan(8);
  expect(Math.max(...gaps)).toBeLessThan(1e-4);
  expect(Math.max(...known(expected).map(Math.abs))).toBeGreaterThan(0.1);
});
