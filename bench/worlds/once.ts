// Measures one seed of a world: the team before and after training, the team with masked messages, a single agent that
// samples the same number of tokens, and several agents with the weights of that agent that vote.
import type { Config, ConfigInput } from '../../src/config/schema.ts';
import { decodingPolicy } from '../../src/model/decoding/decoder.ts';
import type { Checkpoint, NamedArray } from '../../src/records/stored/checkpoint.ts';
import type { Evaluation } from '../../src/records/metrics.ts';
import type { Session } from '../../src/training/run/session.ts';
import { evaluateTeam } from '../../src/training/evaluation/evaluate.ts';
import { disposeNetwork, freshState, uploadNetwork } from '../../src/training/team/network.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import { share, trainUntil } from '../shared/trainUntil.ts';
import { benchStart } from '../shared/warmStarts.ts';
import { controlConfig, worldConfig } from './plan.ts';

export type WorldResult = Awaited<ReturnType<typeof worldOnce>>;

/** Makes only the warm starts of a row. */
export async function warmWorld(settings: ConfigInput, level: number, seed: number): Promise<void> {
  const config = worldConfig(settings, level, seed);
  await benchStart(config);
  const single = controlConfig(config, 'single');
  if (single) await benchStart(single);
}

/** Trains the team and then the single agent with one seed. */
export async function worldOnce(settings: ConfigInput, level: number, seed: number) {
  const config = worldConfig(settings, level, seed);
  const { checkpoint, seconds: warmStartSeconds } = await benchStart(config);
  const team = await trained(checkpoint, () => false);
  const { sampledTokens, iterations, seconds, worldShare, first, last, lowBefore, lowAfter } = team;
  return {
    learner: config.learning.learner,
    protocol: config.agents.protocol,
    /** Maximum share right if no agent hears another. */
    ceiling: last.ceiling,
    before: share(first),
    after: share(last),
    /** At low temperature, where an agent nearly always gives its likeliest output. */
    ...{ lowBefore, lowAfter },
    /** Accuracy of the trained team with hidden messages; null if no agent sends another a message. */
    masked: last.maskedMessage ?? null,
    ...(await controls(config, sampledTokens)),
    ...{ iterations, sampledTokens, seconds, worldShare, warmStartSeconds },
  };
}

/**
 * Returns the accuracy of one agent that sees everything, trained with the same number of tokens, and of the most
 * common answer of several such agents, or null if the world does not support such a team.
 */
async function controls(config: Config, tokens: number): Promise<Record<'single' | 'vote', number | null>> {
  const single = controlConfig(config, 'single');
  if (single === null || config.agents.protocol === 'single') return { single: null, vote: null };
  // The run has as many iterations as the tokens allow, because an answer uses fewer tokens than a dialogue.
  const endless = { ...single, run: { ...single.run, iterations: 100_000 } };
  const { checkpoint } = await benchStart(endless);
  const alone = await trained(checkpoint, ({ sampledTokens }) => sampledTokens >= tokens);
  const vote = controlConfig(config, 'vote');
  return { single: alone.last.accuracy, vote: vote && (await voteOf(vote, alone.weights)) };
}

/** Returns the accuracy of a team whose members all answer with the same weights. */
async function voteOf(config: Config, weights: NamedArray[]): Promise<number> {
  const team = assembleTeam(config);
  const network = uploadNetwork(freshState(weights, team.shape, false), team.shape);
  const policies = team.networkOf.map(() => decodingPolicy(network.tree, team.shape));
  const { accuracy } = await evaluateTeam(team, { policies, iteration: 0, withMasked: false });
  disposeNetwork(network);
  return accuracy;
}

async function trained(checkpoint: Checkpoint, isEnough: (session: Session) => boolean) {
  const run = await trainUntil(checkpoint, isEnough, { atLowTemperature: true });
  if (run.failure !== '') throw new Error(run.failure);
  return { ...run, first: run.evaluations[0] as Evaluation, last: run.evaluations.at(-1) as Evaluation };
}
