// The part of a VDN or QMIX iteration that comes before the agents' update. In this part, the mixing critic evaluates
// each new message, the dialogues are stored, and the critic is trained on stored dialogues. The critic is evaluated
// before it is trained, so that no baseline is computed for dialogues on which the critic was trained. The critic's
// explained variance comes from the same evaluation. The credit of a message is Q_tot minus the Q_tot that results if
// the message's own Q is replaced by a baseline. This baseline is the mean Q of all messages after the same previous
// messages. Deviation: the credit of a message also includes the part of the round's return that exceeds Q_tot
// (`mixingResidual`). With an untrained critic, the credit is then the plain return. A trained critic subtracts the
// value of the other messages.
import { Draws, streams } from '../../base/random.ts';
import type { MixingState, NamedArray } from '../../records/stored/checkpoint.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import type { Paid } from '../collect/collect.ts';
import type { Gate } from '../team/gate.ts';
import { witnessOf } from './critic.ts';
import { singleRewards } from '../learners/tokenRewards.ts';
import { turnKey } from '../learners/units.ts';
import { returnsToGo } from '../maths/advantage.ts';
import { explainedOfAll } from '../maths/loss.ts';
import { totalOf, totalsWithout, type MessageWorth } from '../maths/mixing.ts';
import { downloadTarget, freshMixingState, freshTarget, mixingKind, uploadTarget } from './mixingCritic.ts';
import { mixingReplay, transcriptOf, type MixingReplay, type Transcript } from './mixingRows.ts';
import { lookMixed, mixingStep, type MixingNetworks, type MixingLook } from './mixingStep.ts';
import { stage } from '../stages/stage.ts';
import { downloadNetwork, uploadNetwork } from '../team/network.ts';
import { expectFinite, meanLoss } from '../update/optimiserStep.ts';
import type { Team } from '../team/team.ts';

declare module '../stages/stage.ts' {
  interface Parts {
    /** The mixing critic, with the replay memory from which the critic learns. */
    mixing: Mixing;
    /** The results of the mixing critic in this iteration. */
    mixed: MixingReport;
  }
}

export interface Mixing extends MixingNetworks {
  replay: MixingReplay;
}

export interface MixingReport {
  /**
   * The credit of each message, for each trajectory. The credit is absent as long as the agents are trained with the
   * plain team reward.
   */
  worth?: MessageWorth[];
  values: { 'losses/mixing_loss': number; 'losses/mixing_explained_variance'?: number };
}

/** The size of a team's replay memory, and the number of agents in its dialogues. */
export const replayLimits = ({ config, protocol }: Pick<Team, 'config' | 'protocol'>) => ({
  size: config.learning.replaySize,
  agents: protocol.roles.length,
});

const kindOf = ({ config, protocol }: Team) => mixingKind(config, protocol.roles.length);

/**
 * The mixing critic's state at the start of a run. The arrays `weights` themselves become the critic's weights; they
 * are not copied.
 */
export function freshMixing(team: Team, weights: NamedArray[]): MixingState {
  const critic = freshMixingState(weights, team.shape, { kind: kindOf(team), seed: team.config.run.seed });
  return { critic, target: freshTarget(critic), replay: mixingReplay(replayLimits(team)).state() };
}

/**
 * Restores the critic, its slow copy and the replay memory. The caller disposes of the two networks. Throws
 * StorageError if the replay memory is damaged.
 */
export function restoreMixing({ critic, target, replay }: MixingState, team: Team): Mixing {
  const { config, shape } = team;
  const stored = mixingReplay(replayLimits(team), replay);
  return {
    critic: uploadNetwork(critic, shape, config.run.capture),
    target: uploadTarget(target, shape),
    replay: stored,
  };
}

/** Copies the state of the critic, its slow copy and the replay memory to plain data. */
export async function captureMixing({ critic, target, replay }: Mixing): Promise<MixingState> {
  return { critic: await downloadNetwork(critic), target: await downloadTarget(target), replay: replay.state() };
}

/** Evaluates and trains the critic in an iteration. Throws NumericsError if a loss is not finite. */
export async function learnMixing(
  { mixing, team, gate }: { mixing: Mixing; team: Team; gate: Gate },
  { trajectories, rewards }: Pick<Paid, 'trajectories' | 'rewards'>,
  iteration: number,
): Promise<MixingReport> {
  const { replay } = mixing;
  const { config } = team;
  const { mixingSteps, mixingBatch, mixingGamma, mixingResidual, teamRewardIterations } = config.learning;
  const context = { config, kind: kindOf(team), gate };

  const heard = { witness: witnessOf(team), tokens: team.tokens };
  const transcripts = trajectories.map((trajectory, i) =>
    transcriptOf(trajectory, singleRewards(rewards[i] ?? [], trajectory.turns, config.reward), heard),
  );
  // The team's return from each round to the end.
  const returns = transcripts.map(({ rounds }) =>
    returnsToGo(
      rounds.map(({ reward }) => reward),
      mixingGamma,
    ),
  );
  const seen = await lookMixed(mixing, 'critic', transcripts, context);
  const explained = explainedOfAll(seen.totals, returns);
  replay.add(transcripts);
  const batches = Array.from({ length: mixingSteps }, (_, step) =>
    replay.sample(mixingBatch, new Draws(config.run.seed, streams.replay, iteration * 256 + step)),
  );
  const loss = await meanLoss(batches, (batch) => mixingStep(mixing, batch, context));
  expectFinite('losses/mixing_loss', loss, { iteration, rate: 'learning.mixingRate' });
  const values = {
    'losses/mixing_loss': loss,
    ...(Number.isFinite(explained) && { 'losses/mixing_explained_variance': explained }),
  };
  if (iteration < teamRewardIterations) return { values };
  const baselines = baselinesOf(trajectories, transcripts, seen);
  const worth = transcripts.map(({ rounds }, i) => {
    const turns = trajectories[i]?.turns.length ?? 0;
    const column = () => new Float64Array(turns);
    const own: MessageWorth = { total: column(), without: column(), missed: column() };
    rounds.forEach(({ messages }, r) => {
      const [q, weights] = [[...(seen.q[i]?.[r] as Float64Array)], seen.weights[i]?.[r] ?? null];
      const total = totalOf(q, weights);
      const without = totalsWithout(q, baselines[i]?.[r] as number[], weights);
      for (const { agent, turn } of messages) {
        own.total[turn] = total;
        own.without[turn] = without[agent] as number;
        own.missed[turn] = mixingResidual * ((returns[i]?.[r] as number) - total);
      }
    });
    return own;
  });
  return { values, worth };
}

/**
 * [trajectory][round][agent] the mean Q of all messages of the agent after the same previous messages; 0 for a silent
 * agent.
 */
function baselinesOf(
  trajectories: readonly Trajectory[],
  transcripts: readonly Transcript[],
  { q }: Pick<MixingLook, 'q'>,
): number[][][] {
  const sums = new Map<string, { sum: number; count: number }>();
  const baselines = transcripts.map(({ rounds }, i) => rounds.map((_, r) => [...(q[i]?.[r] as Float64Array)]));
  const places = transcripts.flatMap(({ rounds }, i) =>
    rounds.flatMap(({ messages }, r) =>
      messages.map(({ agent, turn }) => {
        const ofRound = baselines[i]?.[r] as number[];
        return { ofRound, agent, key: turnKey(trajectories[i] as Trajectory, { agent, turn }) };
      }),
    ),
  );
  for (const { ofRound, agent, key } of places) {
    const { sum, count } = sums.get(key) ?? { sum: 0, count: 0 };
    sums.set(key, { sum: sum + (ofRound[agent] as number), count: count + 1 });
  }
  for (const { ofRound, agent, key } of places) {
    const { sum, count } = sums.get(key) as { sum: number; count: number };
    ofRound[agent] = sum / count;
  }
  return baselines;
}

/**
 * The stage in which a mixing critic evaluates messages and is trained, for learners that combine the values of
 * messages into the value of a round.
 */
export const mixingStage = stage({
  name: 'mixing critic',
  phase: 'appraise',
  reads: ['mixing', 'paid'],
  run: async (context) => ({ mixed: await learnMixing(context, context.paid, context.iteration) }),
});
