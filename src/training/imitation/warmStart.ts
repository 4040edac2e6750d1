// The warm start: supervised cross-entropy on the action tokens of demonstrations and, if this is enabled, on the
// messages that an agent hears. In the warm start, the agents learn the protocol and some arithmetic. The setting
// `warmStart.goodPlans` is the share of plans that follow the house rule.
import * as tf from '@tensorflow/tfjs-core';
import { NumericsError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import type { Config } from '../../config/schema.ts';
import { weightedSum } from '../../engine/ops/loss/weightedSum.ts';
import { paddedParts } from '../rows/microbatches.ts';
import { answered, demonstrate } from './demonstrations.ts';
import { masteryOf, type Mastery } from './mastery.ts';
import { readOnce, rowInputs, rowOutputs, rowsFrom } from '../rows/forward.ts';
import type { Gate } from '../team/gate.ts';
import { shareMemory } from '../rows/memory.ts';
import type { WeightTree } from '../../model/network/parameters.ts';
import { speakingVariables, type Network } from '../team/network.ts';
import { adamW, lossGradient, optimiserStep, type Microbatch } from '../update/optimiserStep.ts';
import { actionCount, buildHeardRows, buildRows, type RowBatch } from '../rows/rows.ts';
import type { Team } from '../team/team.ts';

/** The number of supervised steps, their highest learning rate, and the number of steps in which this rate is reached. */
export interface ImitationSchedule {
  steps: number;
  learningRate: number;
  warmUp: number;
  /** The setting of the learning rate. */
  setting: 'warmStart.learningRate' | 'optimiser.learningRate';
  /** The loss is read and reported after each step whose number is a multiple of this. */
  lossEvery: number;
  /**
   * The number of steps after which the agents had mastered the dialogue. From there, the learning rate decays to a
   * tenth within `coolDownSteps`, and the warm start ends. Undefined as long as they have not.
   */
  masteredAt?: number | undefined;
}

/** The number of steps that a warm start takes after its dialogue was mastered. */
const coolDownSteps = 100;

/** The number of steps of a warm start. It is smaller if the dialogue was mastered early. */
export const lastStep = ({ steps, masteredAt = Infinity }: ImitationSchedule): number =>
  Math.min(steps, masteredAt + coolDownSteps);

/** The schedule of a warm start that is trained here. */
export const warmStartSchedule = ({ warmStart: { steps, learningRate } }: Config): ImitationSchedule => ({
  ...{ steps, learningRate, warmUp: 30, setting: 'warmStart.learningRate', lossEvery: 10 },
});

/** The schedule in which the adapters of an imported model imitate demonstrations or chats. Its steps are few and slow. */
export const modelSchedule = ({
  warmStart: { modelSteps },
  optimiser: { learningRate },
}: Config): ImitationSchedule => ({
  ...{
    steps: modelSteps,
    learningRate,
    warmUp: Math.max(1, Math.ceil(modelSteps / 10)),
    setting: 'optimiser.learningRate',
    lossEvery: 1,
  },
});

/**
 * The learning rate of a step. It grows linearly at first, and decays to a tenth along a cosine. After the dialogue was
 * mastered, it decays linearly to a tenth of its value.
 */
export function scheduledRate(schedule: ImitationSchedule, step: number): number {
  const { steps, learningRate, warmUp, masteredAt = Infinity } = schedule;
  const at = Math.min(step, masteredAt);
  const cosine = 0.1 + 0.45 * (1 + Math.cos((Math.PI * at) / Math.max(1, steps)));
  const cooled = 1 - (0.9 * (step - at)) / coolDownSteps;
  return learningRate * Math.min(1, (at + 1) / warmUp) * cosine * cooled;
}

/**
 * [B·T] weight of each token's cross-entropy. The loss is the mean over the agent's own tokens, plus `heardWeight`
 * times the mean over the tokens that the agent hears. Heard tokens have no turn id.
 */
export function imitationWeights({ actionMask, turnIds }: RowBatch, totals: Totals, heardWeight: number): Float32Array {
  const { own, heard } = totals;
  return actionMask.map((is, at) => (is === 0 ? 0 : (turnIds[at] as number) >= 0 ? 1 / own : heardWeight / heard));
}

/** The numbers of own tokens and of heard tokens in a whole batch. */
interface Totals {
  own: number;
  heard: number;
}

/**
 * Splits a batch into microbatches with the loss of the warm start. The first metric of each microbatch is the loss.
 */
function imitation(network: Network, batch: RowBatch, heardWeight: number): Microbatch[] {
  const { shape, tree } = network;
  const own = batch.turnIds.reduce((sum, turn) => sum + (turn >= 0 ? 1 : 0), 0);
  const totals = { own, heard: actionCount(batch) - own };
  return paddedParts(network, batch).map(({ part }) => ({
    key: `imitation ${part.rows} ${part.length}`,
    uploads: {
      ...rowInputs(part),
      weight: {
        values: imitationWeights(part, totals, heardWeight).map((weight) => -weight),
        shape: [part.rows, part.length],
      },
    },
    gradient: (inputs) => {
      const logprobs = () => rowOutputs({ tree, shape }, rowsFrom(inputs), 1).logprobs;
      return lossGradient(() => weightedSum(logprobs(), inputs['weight'] as tf.Tensor), speakingVariables(network));
    },
  }));
}

/** Returns the rows of a supervised step, as a function of the index of the network that imitates them. */
export type StepRows = (step: number) => Promise<(n: number) => RowBatch>;

/** The rows of the world's demonstrations. */
const demonstratedRows =
  (team: Team): StepRows =>
  async (step) => {
    const trajectories = await answered(team, demonstrate(team, step));
    const rowsOf = team.config.warmStart.heardWeight > 0 ? buildHeardRows : buildRows;
    return (n) => rowsOf(trajectories, team.agentsOf[n] as number[], team.tokens);
  };

export interface WarmStartParts {
  gate: Gate;
  /** By default, the rows of the world's demonstrations. */
  rows?: StepRows;
  /** By default, the schedule of a warm start that is trained here. */
  schedule?: ImitationSchedule;
  /** The frozen base of the networks, if they are adapters. */
  base?: WeightTree;
  /** The number of supervised steps that the networks have already taken. */
  from?: number;
  /** Called with the losses of the steps that the schedule selects; a loss is the mean over the networks. */
  onStep?: (step: number, loss: number) => void;
  /** By default, mastery is measured if the settings end the warm start by it. */
  mastery?: Mastery | undefined;
  /** Called and awaited after each step except the last. No step runs in the meantime. */
  afterStep?: (step: number, schedule: ImitationSchedule) => Promise<void>;
}

/**
 * Trains the networks on demonstrations or other rows, in place, and returns the schedule as it ended. After all steps,
 * the moments of the networks are reset to zero. Throws NumericsError if the loss is not finite.
 */
export async function trainWarmStart(
  team: Team,
  networks: readonly Network[],
  { gate, rows, base, from = 0, onStep, afterStep, ...parts }: WarmStartParts,
): Promise<ImitationSchedule> {
  let { schedule = warmStartSchedule(team.config) } = parts;
  // A measurement of a language model would take longer than its few steps.
  const isMeasured = team.config.warmStart.untilMastered && !base;
  const { mastery = isMeasured ? masteryOf(team, networks) : undefined } = parts;
  for (let step = from; step < lastStep(schedule); step++) {
    const isTold = (step + 1) % schedule.lossEvery === 0 || step === lastStep(schedule) - 1;
    await superviseStep(team, networks, {
      ...{ step, gate, schedule },
      ...(rows && { rows }),
      ...(base && { base }),
      ...(isTold && {
        onLoss: (loss) => {
          if (!Number.isFinite(loss)) {
            throw new NumericsError(
              spoken`warm start: the loss at step ${step + 1} is ${loss}; lower ${schedule.setting}.`,
            );
          }
          onStep?.(step + 1, loss);
        },
      }),
    });
    const isDue = mastery && schedule.masteredAt === undefined && (step + 1) % mastery.every === 0;
    if (isDue && (await mastery.isMastered())) schedule = { ...schedule, masteredAt: step + 1 };
    if (step + 1 < lastStep(schedule)) await afterStep?.(step + 1, schedule);
  }
  for (const network of networks) {
    for (const moment of [...network.m, ...network.v]) tf.tidy(() => moment.assign(tf.zerosLike(moment)));
  }
  return schedule;
}

/** Takes one supervised step of each network that has rows, in place. `onLoss` gets the mean loss of these networks. */
export async function superviseStep(
  team: Team,
  networks: readonly Network[],
  {
    step,
    gate,
    schedule = warmStartSchedule(team.config),
    rows = demonstratedRows(team),
    base,
    onLoss,
  }: Pick<WarmStartParts, 'gate' | 'schedule' | 'rows' | 'base'> & { step: number; onLoss?: (loss: number) => void },
): Promise<void> {
  const { optimiser, warmStart } = team.config;
  shareMemory({ networks, ...(base && { base }) });
  const rowsOf = await rows(step);
  const losses: number[] = [];
  for (const [n, network] of networks.entries()) {
    const batch = rowsOf(n);
    if (batch.rows === 0) continue;
    const trained = speakingVariables(network);
    const metrics = await optimiserStep(network, imitation(network, batch, warmStart.heardWeight), {
      trained,
      gate,
      options: adamW(trained, {
        learningRate: scheduledRate(schedule, step),
        beta1: optimiser.beta1,
        beta2: 0.99,
        weightDecay: 0.01,
        maxGradNorm: 1,
        step: step + 1,
      }),
    });
    if (onLoss) losses.push((await readOnce(metrics))[0] as number);
    metrics.dispose();
  }
  if (losses.length > 0) onLoss?.(losses.reduce((sum, loss) => sum + loss, 0) / losses.length);
}
