// What an iteration of VDN or QMIX does beside the update of the agents: it stores what was said, lets the mixing critic
// take its steps on stored dialogues, and asks it what each new message is worth. The critic learns before it is asked,
// so that what has just been said counts; how much it explains is measured before, on dialogues it has not seen.
// Deviation: beside its Q_i a message is paid what the round went on to earn beyond Q_tot (`mixingResidual`). A critic that
// knows nothing yet then leaves the plain return instead of whatever it believes, and one that knows takes from each
// message what the others are worth.
import { Draws, streams } from '../../base/random.ts';
import type { MixingState, NamedArray } from '../../records/checkpoint.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import type { Paid } from '../collect/collect.ts';
import type { Gate } from '../team/gate.ts';
import { witnessOf } from './jointCritic.ts';
import { singleRewards } from '../learners/tokenRewards.ts';
import { returnsToGo } from '../maths/advantage.ts';
import { explainedOfAll } from '../maths/loss.ts';
import { downloadTarget, freshMixingState, freshTarget, mixingKind, uploadTarget } from './mixingCritic.ts';
import { mixingReplay, transcriptOf, type MixingReplay, type Transcript } from './mixingRows.ts';
import { lookMixed, mixingStep, type Learned } from './mixingStep.ts';
import { downloadNetwork, uploadNetwork } from '../team/network.ts';
import { expectFinite, meanLoss } from '../update/optimiserStep.ts';
import type { Team } from '../team/team.ts';

export interface Mixing extends Learned {
  replay: MixingReplay;
}

export interface MixingReport {
  /** [trajectory][turn] what each message is worth: Q_i and its part of what was not foreseen; absent while agents learn from the plain team reward. */
  q?: Float64Array[];
  values: { 'losses/mixing_loss': number; 'losses/mixing_explained_variance'?: number };
}

/** What the replay of a team is made for. */
export const replayLimits = ({ config, protocol }: Pick<Team, 'config' | 'protocol'>) => ({
  size: config.learning.replaySize,
  agents: protocol.roles.length,
});

const kindOf = ({ config, protocol }: Team) => mixingKind(config, protocol.roles.length);

/** At the start of a run. `weights` become the critic's. */
export function freshMixing(team: Team, weights: NamedArray[]): MixingState {
  const critic = freshMixingState(weights, team.shape, { kind: kindOf(team), seed: team.config.run.seed });
  return { critic, target: freshTarget(critic), replay: mixingReplay(replayLimits(team)).state() };
}

/** The caller disposes its two networks. Throws StorageError for a damaged replay. */
export function restoreMixing({ critic, target, replay }: MixingState, team: Team): Mixing {
  const { config, shape } = team;
  const stored = mixingReplay(replayLimits(team), replay);
  return {
    critic: uploadNetwork(critic, shape, config.run.capture),
    target: uploadTarget(target, shape),
    replay: stored,
  };
}

/** Copies. */
export async function captureMixing({ critic, target, replay }: Mixing): Promise<MixingState> {
  return { critic: await downloadNetwork(critic), target: await downloadTarget(target), replay: replay.state() };
}

/** The critic's part of an iteration; null without one. Throws NumericsError at a loss that is not finite. */
export async function learnMixing(
  { mixing, team, gate }: { mixing?: Mixing; team: Team; gate: Gate },
  { trajectories, rewards }: Pick<Paid, 'trajectories' | 'rewards'>,
  iteration: number,
): Promise<MixingReport | null> {
  if (!mixing) return null;
  const { replay } = mixing;
  const { config } = team;
  const { mixingSteps, mixingBatch, mixingGamma, mixingResidual, teamRewardIterations } = config.learning;
  const context = { config, kind: kindOf(team), gate };
  const look = (of: readonly Transcript[]) => lookMixed(mixing, 'critic', of, context);

  const heard = { witness: witnessOf(team), tokens: team.tokens };
  const transcripts = trajectories.map((trajectory, i) =>
    transcriptOf(trajectory, singleRewards(rewards[i] ?? [], trajectory.turns, config.reward), heard),
  );
  // What the team went on to earn from each round on.
  const returns = transcripts.map(({ rounds }) =>
    returnsToGo(
      rounds.map(({ reward }) => reward),
      mixingGamma,
    ),
  );
  const explained = explainedOfAll((await look(transcripts)).totals, returns);
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
  const { q, totals } = await look(transcripts);
  const worth = transcripts.map((transcript, i) => {
    const unforeseen = (r: number) => (returns[i]?.[r] as number) - (totals[i]?.[r] as number);
    const of = (r: number, agent: number) => (q[i]?.[r]?.[agent] as number) + mixingResidual * unforeseen(r);
    return ofTurns(transcript, of, trajectories[i] as Trajectory);
  });
  return { values, q: worth };
}

/** [turn] what each message is worth; 0 for a turn without a token. */
function ofTurns(
  { rounds }: Transcript,
  of: (round: number, agent: number) => number,
  { turns }: Trajectory,
): Float64Array {
  const values = new Float64Array(turns.length);
  rounds.forEach(({ messages }, r) => {
    for (const { agent, turn } of messages) values[turn] = of(r, agent);
  });
  return values;
}
