// What an agent says of what only it sees: one problem with its hidden part exchanged, the same words for all else, and the
// messages that the agent then begins with, under the networks as they are.
import { ConfigError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import type { Codebook } from '../../records/besides.ts';
import type { Problem } from '../../records/problem.ts';
import { talk } from '../collect/collect.ts';
import type { Inspectable } from '../inspect/inspect.ts';
import { mutualBits, shuffledBits, type Said } from '../maths/messageBits.ts';
import { agentPolicies } from '../run/iteration.ts';
import { yieldToMessages } from '../team/gate.ts';
import type { Team } from '../team/team.ts';

/** Problems that are drawn to find the same one with another hidden part. */
const drawn = 30_000;
/** Messages that are listed. */
const listed = 12;

/** Throws ConfigError where nobody tells anybody what it alone sees, and where the problem has one hidden part only. */
export async function codebook(
  { team, networks, trajectories, iteration }: Inspectable,
  { group, draws }: { group: number; draws: number },
): Promise<Codebook> {
  const problem = trajectories.find((one) => one.group === group)?.problem;
  const sender = senderOf(team);
  if (!problem || sender < 0)
    throw new ConfigError('codebook: no agent here tells another what it alone sees; choose a protocol with messages.');
  const variants = variantsOf(team, problem);
  if (variants.length < 2)
    throw new ConfigError(
      'codebook: this problem is not found with another hidden part; choose a world in which problems differ in it alone, as house-rule arithmetic.',
    );
  const problems = variants.flatMap(({ problem: one }) => Array.from({ length: draws }, () => one));
  const { trajectories: talks } = await talk(team, {
    problems,
    groups: problems.map((_, row) => Math.floor(row / draws)),
    policies: agentPolicies({ team, networks: [...networks] }),
    draws: { stream: streams.credit, iteration, offset: 0 },
    onTurn: yieldToMessages,
  });
  const said = talks.map(({ turns }) => turns.find(({ agent }) => (agent as number) === sender)?.text ?? '');
  const pairs = said.map((text, row): Said => [text, String(Math.floor(row / draws))]);
  const rows = [...new Set(said)].map((text) => ({
    text,
    counts: variants.map((_, v) => pairs.filter(([one, part]) => one === text && part === String(v)).length),
  }));
  const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
  return {
    draws,
    sender,
    hidden: variants.map(({ hidden }) => hidden),
    messages: rows.sort((a, b) => total(b.counts) - total(a.counts)).slice(0, listed),
    others: Math.max(0, rows.length - listed),
    bits: mutualBits(pairs).corrected,
    most: Math.log2(variants.length),
    chance: shuffledBits(pairs, new Draws(team.config.run.seed, streams.control, iteration)).high,
  };
}

/** The first agent that is heard and sees something that another does not; −1 without. */
const senderOf = ({ protocol: { messengers, sees } }: Team): number =>
  messengers.find((agent) => sees[agent]?.some((name) => sees.some((others) => !others.includes(name)))) ?? -1;

/** The same problem with each hidden part that it is asked with; the words by which they differ. */
function variantsOf({ world, config }: Team, problem: Problem): { hidden: string; problem: Problem }[] {
  const draws = new Draws(0, streams.control, 0);
  const found = new Map([[problem.slice, problem]]);
  for (let i = 0; i < drawn; i++) {
    const one = world.draw(config.world.level, draws, 'training');
    if (one.shown === problem.shown && !found.has(one.slice)) found.set(one.slice, one);
  }
  return [...found].map(([hidden, one]) => ({ hidden, problem: one })).sort((a, b) => (a.hidden < b.hidden ? -1 : 1));
}
