// Computes the codebook of an agent: which messages it sends about the part of a problem that only this agent sees. The
// messages are its first ones, sampled from the current networks, for variants of one problem that differ only in the
// hidden part.
import { ConfigError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import { Draws, streams } from '../../../base/random.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Checkpoint } from '../../../records/stored/checkpoint.ts';
import { rollOut } from '../../../training/collect/collect.ts';
import type { Inspectable } from '../../../training/inspect/inspect.ts';
import { mutualBits, shuffledBits, type MessageSample } from '../../../training/maths/messageBits.ts';
import { agentPolicies } from '../../../training/collect/agentPolicies.ts';
import type { LookAnswers } from '../../../training/review/analysis.ts';
import { disposeTrainState, restoreTrainState } from '../../../training/run/trainState.ts';
import { Gate, yieldToMessages } from '../../../training/team/gate.ts';
import { teamAt, type Team } from '../../../training/team/team.ts';
import type { Codebook } from './records.ts';

/** The number of random problems among which variants with another hidden part are searched. */
const drawn = 30_000;
/** The number of different messages in the list of the result. */
const listed = 12;

type Speaking = Pick<Inspectable, 'team' | 'networks'>;

/**
 * The codebook for a group's problem. Throws ConfigError if no agent sees anything that others do not see, or if no
 * agent can send a message about it.
 */
export async function groupCodebook(
  inspectable: Inspectable,
  { group, draws }: { group: number; draws: number },
): Promise<Codebook> {
  const problem = inspectable.trajectories.find((one) => one.group === group)?.problem;
  if (!problem)
    throw new ConfigError(spoken`codebook: iteration ${inspectable.iteration} has no problem ${group + 1}.`);
  return codebook(inspectable, { problem, draws });
}

/**
 * The codebook for a problem, with the weights of a checkpoint. Throws ConfigError for the same reasons as
 * `groupCodebook`.
 */
export async function checkpointCodebook(
  checkpoint: Checkpoint,
  asked: { problem: Problem; draws: number },
): Promise<Codebook> {
  const state = restoreTrainState(checkpoint, new Gate());
  try {
    const team = teamAt(state.team, checkpoint.iteration);
    return await codebook({ networks: state.networks, team }, asked);
  } finally {
    disposeTrainState(state);
  }
}

async function codebook(
  { team, networks }: Speaking,
  { problem, draws }: { problem: Problem; draws: number },
): Promise<Codebook> {
  const sender = senderOf(team);
  if (sender < 0)
    throw new ConfigError(
      spoken`codebook: no agent can send a message about a part that only this agent sees; choose a protocol with messages.`,
    );
  const variants = variantsOf(team, problem);
  if (variants.length < 2)
    throw new ConfigError(
      spoken`codebook: this problem has only one possible hidden part; choose a world with several hidden parts for each problem, such as house-rule arithmetic.`,
    );
  const problems = variants.flatMap(({ problem: one }) => Array.from({ length: draws }, () => one));
  const { trajectories: trajectories } = await rollOut(team, {
    problems,
    groups: problems.map((_, row) => Math.floor(row / draws)),
    policies: agentPolicies({ team, networks: [...networks] }),
    // The same random numbers are used for every checkpoint, so that all differences come from the training between the
    // checkpoints.
    draws: { stream: streams.credit, iteration: 0, offset: 0 },
    onTurn: yieldToMessages,
  });
  const said = trajectories.map(({ turns }) => turns.find(({ agent }) => (agent as number) === sender)?.text ?? '');
  const pairs = said.map((text, row): MessageSample => [text, String(Math.floor(row / draws))]);
  const rows = [...new Set(said)].map((text) => ({
    text,
    counts: variants.map((_, v) => pairs.filter(([one, part]) => one === text && part === String(v)).length),
  }));
  const { plain, corrected } = mutualBits(pairs);
  const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
  return {
    draws,
    sender,
    hidden: variants.map(({ hidden }) => hidden),
    messages: rows.sort((a, b) => total(b.counts) - total(a.counts)).slice(0, listed),
    others: Math.max(0, rows.length - listed),
    bits: corrected,
    plain,
    most: Math.log2(variants.length),
    chance: shuffledBits(pairs, new Draws(team.config.run.seed, streams.control, 0)).high,
  };
}

/**
 * The first agent that others hear and that sees something that at least one of them does not see; −1 if there is none.
 */
const senderOf = ({ protocol: { messengers, sees } }: Team): number =>
  messengers.find((agent) => sees[agent]?.some((name) => sees.some((others) => !others.includes(name)))) ?? -1;

/** The variants of a problem, one for each hidden part that was found, with the hidden part in words. */
function variantsOf({ world, config }: Team, problem: Problem): { hidden: string; problem: Problem }[] {
  const draws = new Draws(0, streams.control, 0);
  const found = new Map([[problem.slice, problem]]);
  for (let i = 0; i < drawn; i++) {
    const one = world.draw(config.world.level, draws, 'training');
    if (one.shown === problem.shown && !found.has(one.slice)) found.set(one.slice, one);
  }
  return [...found].map(([hidden, one]) => ({ hidden, problem: one })).sort((a, b) => (a.hidden < b.hidden ? -1 : 1));
}

export const answers: Pick<LookAnswers, 'codebook' | 'codebook.checkpoint'> = {
  codebook: { of: 'iteration', answer: groupCodebook },
  'codebook.checkpoint': { of: 'checkpoint', answer: checkpointCodebook },
};
