// One step of a mixing critic, and one evaluation of dialogues by the critic. The step trains Q_tot towards r +
// gammaTurn·Q_tot⁻(s′, a′)·(1 − done). Here s′ and a′ are the state and the messages of the next round in the stored
// dialogue, and Q_tot⁻ is computed by the slow copy. Each computation has fixed shapes and depends only on uploaded
// numbers, so it can be recorded and replayed.
import * as tf from '@tensorflow/tfjs-core';
import { inParts } from '../../base/groups.ts';
import type { Config } from '../../config/schema.ts';
import { bucketOf, scoringTokens, updateTokens } from '../rows/microbatches.ts';
import type { Gate } from '../team/gate.ts';
import { follow, mixedValues, mixingUploads, type MixingKind } from './mixingCritic.ts';
import { mixingLoss, mixingTargets, type MixingNumbers } from '../maths/mixing.ts';
import { beginningsColumn, poolRows, type Transcript, type PooledRows } from './mixingRows.ts';
import { variables, type Network } from '../team/network.ts';
import { adamWOf, lossGradient, optimiserStep, type Microbatch } from '../update/optimiserStep.ts';

export interface MixingNetworks {
  critic: Network;
  target: Network;
}

export interface MixingContext {
  config: Config;
  kind: MixingKind;
  gate: Gate;
}

export interface MixingLook {
  /** [transcript][round] Q_tot. */
  totals: Float64Array[];
  /** [transcript][round][agent] Q_i; 0 if the agent is silent. */
  q: Float64Array[][];
  /**
   * [transcript][round] the weights of the mixing network; null for VDN, where the values are added without a network,
   * and for the slow copy.
   */
  weights: (MixingNumbers | null)[][];
}

/** Computes all Q_i and Q_tot of the dialogues, with the critic or with its slow copy. */
export async function lookMixed(
  learned: MixingNetworks,
  who: keyof MixingNetworks,
  transcripts: readonly Transcript[],
  { kind, gate }: Pick<MixingContext, 'kind' | 'gate'>,
): Promise<MixingLook> {
  const look: MixingLook = { totals: [], q: [], weights: [] };
  const { agents, hidden } = kind;
  const isMixer = kind.isMixed && who === 'critic';
  const width = 1 + agents + (isMixer ? hidden * (agents + 2) + 1 : 0);
  for (const part of cuts(transcripts, (longest) => scoringTokens(learned.critic, longest))) {
    await gate.pass();
    const pooled = poolRows(part, agents, bucketOf(tf.getBackend()));
    const { outputs, release } = learned.critic.replays.run(
      `${who} ${keyOf(pooled, kind)}`,
      mixingUploads(pooled),
      (inputs) => {
        const { q, totals, weights } = mixedValues(learned[who], inputs, kind);
        const count = totals.shape[1];
        const whole = tf.slice(totals, [agents - 1, 0], [1, count]);
        const mixer = isMixer && weights ? [weights.w1, weights.b1, weights.w2, weights.v] : [];
        return [tf.concat([tf.reshape(whole, [count, 1]), q, ...mixer.map((x) => tf.reshape(x, [count, -1]))], 1)];
      },
    );
    const read = await (outputs[0] as tf.Tensor).data<'float32'>().finally(release);
    part.forEach(({ rounds }, b) => {
      const ofRounds = rounds.map((_, r) => read.subarray((b * pooled.rounds + r) * width).subarray(0, width));
      look.totals.push(Float64Array.from(ofRounds, (own) => own[0] as number));
      look.q.push(ofRounds.map((own) => Float64Array.from(own.subarray(1, 1 + agents))));
      look.weights.push(ofRounds.map((own) => (isMixer ? mixerNumbers(own.subarray(1 + agents), kind) : null)));
    });
  }
  return look;
}

function mixerNumbers(read: Float32Array, { agents, hidden }: MixingKind): MixingNumbers {
  const [b1, w2] = [hidden * agents, hidden * (agents + 1)];
  return {
    ...{ w1: read.subarray(0, b1), b1: read.subarray(b1, w2), w2: read.subarray(w2, w2 + hidden) },
    v: read[w2 + hidden] as number,
  };
}

/**
 * Takes one optimiser step on some dialogues, and then moves the slow copy towards the critic. The critic and the slow
 * copy are changed in place. Returns a tensor with the metrics of the step, which the caller must dispose of. The first
 * metric is the loss before the step.
 */
export async function mixingStep(
  learned: MixingNetworks,
  transcripts: readonly Transcript[],
  context: MixingContext,
): Promise<tf.Tensor1D> {
  const { config, gate } = context;
  const { critic, target } = learned;
  const targets = await targetsOf(learned, transcripts, context);
  const trained = variables(critic);
  const metrics = await optimiserStep(critic, microbatches(critic, { transcripts, targets }, context), {
    trained,
    gate,
    options: adamWOf(critic, config, config.learning.mixingRate),
  });
  critic.updates++;
  follow(target, critic, config.learning.targetRate);
  return metrics;
}

/** [transcript][round] the target of Q_tot. */
async function targetsOf(
  learned: MixingNetworks,
  transcripts: readonly Transcript[],
  { config, kind, gate }: MixingContext,
): Promise<Float64Array[]> {
  const { totals } = await lookMixed(learned, 'target', transcripts, { kind, gate });
  return transcripts.map(({ rounds }, i) =>
    mixingTargets(
      rounds.map(({ reward }) => reward),
      totals[i] as Float64Array,
      { gammaTurn: config.learning.mixingGamma },
    ),
  );
}

function microbatches(
  critic: Network,
  { transcripts, targets }: { transcripts: readonly Transcript[]; targets: readonly Float64Array[] },
  { kind }: MixingContext,
): Microbatch[] {
  const count = transcripts.reduce((sum, { rounds }) => sum + messageCount(rounds), 0);
  let start = 0;
  return cuts(transcripts, (longest) => updateTokens(critic, longest)).map((part): Microbatch => {
    const own = targets.slice(start, (start += part.length));
    const pooled = poolRows(part, kind.agents, bucketOf(tf.getBackend()));
    const shape = [kind.agents, pooled.rows * pooled.rounds];
    return {
      key: `mixing ${keyOf(pooled, kind)}`,
      uploads: {
        ...mixingUploads(pooled),
        targets: { values: beginningsColumn(pooled, part, (b, r) => own[b]?.[r] as number), shape },
        weights: { values: beginningsColumn(pooled, part, () => 1 / count), shape },
      },
      gradient: (inputs) => {
        const totals = () => mixedValues(critic, inputs, kind).totals;
        const loss = () => mixingLoss(totals(), inputs['targets'] as tf.Tensor, inputs['weights'] as tf.Tensor);
        return lossGradient(loss, variables(critic));
      },
    };
  });
}

const messageCount = (rounds: Transcript['rounds']) => rounds.reduce((sum, { messages }) => sum + messages.length, 0);

/**
 * A key of all values that do not change when a recorded computation is replayed, including the shapes of its inputs.
 */
const keyOf = ({ rows, length, rounds }: PooledRows, { isMixed, agents, hidden }: MixingKind) =>
  [isMixed ? `mix ${hidden}` : 'sum', rows, length, rounds, agents].join(' ');

/**
 * Groups consecutive transcripts, so that each group has at most a given number of tokens. Padding is counted, so each
 * row counts as many tokens as the longest transcript has.
 */
function cuts(transcripts: readonly Transcript[], tokensOf: (longest: number) => number): Transcript[][] {
  const longest = Math.max(1, ...transcripts.map(({ ids }) => ids.length));
  return inParts(transcripts, Math.max(1, Math.floor(tokensOf(longest) / longest)));
}
