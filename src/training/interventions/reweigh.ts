// Computes what would change for collected dialogues if the reward weights were different: the rewards, the advantages
// and the direction of the update. Nothing is trained. The direction is the policy gradient Σ A·∇log π of the group. At
// the current weights, every ratio is 1, so nothing is clipped.
import * as tf from '@tensorflow/tfjs-core';
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { mean } from '../../base/stats.ts';
import { learnerFacts } from '../../config/learners/registry.ts';
import { withSettings } from '../../config/parse.ts';
import type { Config } from '../../config/schema.ts';
import { commonParts, rightAnswer } from '../../config/worlds/form.ts';
import { partSettings } from '../../config/worlds/registry.ts';
import { lossAndGradients } from '../../engine/gradients.ts';
import { weightedSum } from '../../engine/ops/loss/weightedSum.ts';
import { ownFormulaOf } from '../../exercises/ownFormula.ts';
import type { Reweighed } from '../../records/intervention.ts';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { noteAssessed, comparesSteps } from '../collect/ownRewards.ts';
import { stepsPaid } from '../collect/collect.ts';
import { payTrajectory } from '../collect/rewards.ts';
import { asLearned } from '../learners/learner.ts';
import { learners } from '../learners/registry.ts';
import { disposeRows, readOnce, rowOutputs, uploadRows } from '../rows/forward.ts';
import { buildRows, eachAction, selectRows, type RowBatch } from '../rows/rows.ts';
import { networkRows } from '../rows/networkRows.ts';
import { collectionFacts } from '../run/collectionFacts.ts';
import { disposeTrainState, restoreTrainState, type TrainState } from '../run/trainState.ts';
import { Gate } from '../team/gate.ts';
import { variables, type Network } from '../team/network.ts';
import { teamAt, type Team } from '../team/team.ts';

/** The length of the step for which changes of log-probabilities are reported. */
const stepLength = 0.01;

export interface Collection {
  /** All trajectories over which advantages are computed. */
  trajectories: readonly Trajectory[];
  /** The indices of the trajectories that belong to the inspected group. */
  group: readonly number[];
  /** The new weight of each reward part, by name. */
  weights: Readonly<Record<string, number>>;
}

/** Throws ConfigError with an explanation if the learner's advantages depend on more than the reward weights. */
export async function reweigh(checkpoint: Checkpoint, collection: Collection): Promise<Reweighed> {
  refuse(checkpoint.config);
  const { trajectories, group, weights } = collection;
  const state = restoreTrainState(checkpoint, new Gate());
  try {
    const team = teamAt(state.team, checkpoint.iteration);
    const there = { ...team, config: withSettings(team.config, weightSettings(weights, team)) };
    const batch = buildRows(trajectories, [...team.protocol.roles.keys()], team.tokens);
    const before = await collectionFacts({ ...state, team }, batch, trajectories);
    const both = await Promise.all([team, there].map((paying) => paidBy(paying, trajectories, { batch, before })));
    const directions = await Promise.all(
      both.map(({ advantages }) => direction({ ...state, team }, { trajectories, group, batch, advantages })),
    );
    const [now, then] = both as [Paid, Paid];
    const [ofNow, ofThen] = directions as [Direction, Direction];
    return {
      dialogues: trajectories.length,
      cosine: cosine(ofNow.gradient, ofThen.gradient),
      rollouts: group.map((place) => ({
        reward: [now.rewards[place] as number, then.rewards[place] as number],
        advantage: [now, then].map(({ advantages }) => meanOf(batch, advantages, place)) as [number, number],
        change: (trajectories[place] as Trajectory).turns.map(({ index, text }) => {
          const at = placesOf(batch, place, index);
          return {
            text,
            tokens: at.map((t): [number, number] => [ofNow.change[t] as number, ofThen.change[t] as number]),
          };
        }),
      })),
    };
  } finally {
    disposeTrainState(state);
  }
}

function refuse({ learning, agents }: Config): void {
  const { label, loss, critic } = learnerFacts[learning.learner];
  const why =
    loss !== 'policy'
      ? spoken`${label} learns by imitation or comparison, not from advantages`
      : critic === 'mixing'
        ? spoken`the mixing critic of ${label} must first be trained on the new rewards`
        : agents.candidates > 1
          ? spoken`in a tree of candidates, the reward of each candidate is its own score`
          : '';
  if (why)
    throw new ConfigError(
      spoken`other reward weights cannot be tried here: ${why}; train a fork with these weights instead.`,
    );
}

/**
 * The settings with the given reward weights. If all worlds have a reward part, its weight is a setting in `reward`.
 * The weights of all other parts are settings of their world.
 */
function weightSettings(weights: Readonly<Record<string, number>>, { world }: Team) {
  const common = new Set([rightAnswer, ...commonParts].map(({ name }) => name));
  const entries = Object.entries(weights);
  return {
    ...Object.fromEntries(entries.flatMap(([name, weight]) => (common.has(name) ? [[`reward.${name}`, weight]] : []))),
    ...partSettings(world, Object.fromEntries(entries.filter(([name]) => !common.has(name)))),
  };
}

interface Paid {
  rewards: number[];
  /** [B·T] the advantages that the loss uses. */
  advantages: Float32Array;
}

async function paidBy(
  team: Team,
  trajectories: readonly Trajectory[],
  { batch, before }: { batch: RowBatch; before: Awaited<ReturnType<typeof collectionFacts>> },
): Promise<Paid> {
  const { config, world, protocol, settings } = team;
  const paid = structuredClone(trajectories) as Trajectory[];
  const rewards = await Promise.all(
    paid.map(async (trajectory) => {
      const found = await world.assess(trajectory.problem, trajectory.turns, protocol);
      noteAssessed(trajectory.turns, found.perTurn, settings);
      const last = trajectory.turns.at(-1);
      if (last && trajectory.finishCode !== 0) last.parts = { ...last.parts, finished: 0 };
      return payTrajectory(trajectory, found.potentials, config);
    }),
  );
  const ownFormula = await ownFormulaOf(config);
  const collected = {
    ...{ config, trajectories: paid, rewards, batch, tokenCharge: before.tokenCharge, values: before.values },
    ...(before.joint && { joint: before.joint }),
    ...(comparesSteps(config) && { steps: stepsPaid(team, paid) }),
    ...(ownFormula && { ownFormula }),
  };
  const { advantages } = learners[config.learning.learner].advantages(collected);
  return { rewards: paid.map(({ reward }) => reward), advantages: asLearned(collected, advantages) };
}

interface Direction {
  /** The direction as one array with the gradients of all networks. */
  gradient: Float32Array;
  /** [B·T] the change of the log-probability after a step of `stepLength`; 0 at positions without a sampled token. */
  change: Float32Array;
}

/** The direction of the update of a group: Σ A·∇log π over its action tokens. */
async function direction(
  { team, networks }: Pick<TrainState, 'team' | 'networks'>,
  {
    trajectories,
    group,
    batch,
    advantages,
  }: { trajectories: readonly Trajectory[]; group: readonly number[]; batch: RowBatch; advantages: Float32Array },
): Promise<Direction> {
  const change = new Float32Array(batch.ids.length);
  const parts = networks.map((network, n) => {
    const { batch: said, own } = networkRows(n, team, { batch, trajectories });
    const rows = own.filter((row) => group.includes(said.trajectoryIds[row] as number));
    return { network, rows, ...selectRows(said, rows, { advantages }) };
  });
  const gradients: (Float32Array[] | null)[] = [];
  for (const { network, rows, ...cut } of parts)
    gradients.push(rows.length > 0 ? await policyGradient(network, cut, team) : null);
  const gradient = joined(gradients.flatMap((of) => of ?? []));
  const scale = stepLength / norm(gradient);
  if (!Number.isFinite(scale)) return { gradient, change };
  for (const [p, { network, rows, batch: cut }] of parts.entries()) {
    const steps = gradients[p];
    if (!steps) continue;
    const own = variables(network);
    const stand = await logprobs(network, cut, team);
    const kept = await Promise.all(own.map((variable) => variable.data<'float32'>().then((values) => values.slice())));
    own.forEach((variable, i) =>
      assign(
        variable,
        (kept[i] as Float32Array).map((x, at) => x + scale * (steps[i]?.[at] ?? 0)),
      ),
    );
    const moved = await logprobs(network, cut, team);
    own.forEach((variable, i) => assign(variable, kept[i] as Float32Array));
    rows.forEach((row, b) => {
      for (let t = 0; t < cut.length; t++) {
        const from = b * cut.length + t;
        if (cut.actionMask[from] === 1)
          change[row * batch.length + t] = (moved[from] as number) - (stand[from] as number);
      }
    });
  }
  return { gradient, change };
}

function assign(variable: tf.Variable, values: Float32Array): void {
  const tensor = tf.tensor(values, variable.shape);
  variable.assign(tensor);
  tensor.dispose();
}

/** The gradient Σ A·∇log π for each variable. The gradient is zero for a variable that has no effect on log π. */
async function policyGradient(
  network: Network,
  { batch, columns }: { batch: RowBatch; columns: { advantages: Float32Array } },
  { config }: Team,
): Promise<Float32Array[]> {
  const own = variables(network);
  const rows = uploadRows(batch);
  const weights = tf.tensor2d(columns.advantages, [batch.rows, batch.length]);
  try {
    const { grads, value } = lossAndGradients(
      () => weightedSum(rowOutputs(network, rows, config.agents.temperature).logprobs, weights),
      own,
    );
    value.dispose();
    return await Promise.all(
      own.map(({ name, size }) => (grads[name] ? readOnce(grads[name]) : Promise.resolve(new Float32Array(size)))),
    );
  } finally {
    disposeRows(rows);
    weights.dispose();
  }
}

async function logprobs(network: Network, batch: RowBatch, { config }: Team): Promise<Float32Array> {
  const rows = uploadRows(batch);
  try {
    return await readOnce(tf.tidy(() => rowOutputs(network, rows, config.agents.temperature).logprobs));
  } finally {
    disposeRows(rows);
  }
}

function joined(arrays: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(arrays.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const array of arrays) {
    all.set(array, at);
    at += array.length;
  }
  return all;
}

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);
const norm = (a: Float32Array) => Math.sqrt(dot(a, a));
const cosine = (a: Float32Array, b: Float32Array) => dot(a, b) / (norm(a) * norm(b));

/** The positions of a turn's tokens in the batch, in order. */
function placesOf(batch: RowBatch, trajectory: number, turn: number): number[] {
  const places: number[] = [];
  eachAction(batch, (action) => {
    if (action.trajectory === trajectory && action.turn === turn) places.push(action.at);
  });
  return places;
}

function meanOf(batch: RowBatch, column: Float32Array, trajectory: number): number {
  const values: number[] = [];
  eachAction(batch, (action) => {
    if (action.trajectory === trajectory) values.push(column[action.at] as number);
  });
  return mean(values);
}
