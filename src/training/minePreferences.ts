// Stored groups as preference pairs in text: what an agent's context was after its prompt, in the better and in the
// worse of two dialogues. Written with the role tokens, the text says which parts are the agent's own.
import { trunksOf } from '../records/branch.ts';
import type { MinedPreference } from '../records/preference.ts';
import type { Trajectory } from '../records/trajectory.ts';
import { viewRow } from '../rollout/view.ts';
import { comparedBy } from './pairWorth.ts';
import { minePairs } from './preferencePairs.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import type { Team } from './team.ts';

/**
 * One pair for each agent that spoke in both dialogues of a mined pair and saw or said something different in them.
 * The trajectories are those of one iteration; `minGap` > 0 in units of the reward or the score, `perGroup` pairs of dialogues at most.
 */
export function minePreferences(
  { config, tokens, tokenizers, protocol }: Pick<Team, 'config' | 'tokens' | 'tokenizers' | 'protocol'>,
  all: readonly Trajectory[],
  options: { minGap: number; perGroup?: number },
): MinedPreference[] {
  const trajectories = trunksOf(all);
  const { worth, groups } = comparedBy(trajectories, config);
  const after = (trajectory: Trajectory, agent: number) => {
    const { ids } = viewRow(trajectory, agent, tokens);
    return (tokenizers[agent] as Tokenizer).decode(ids.slice(trajectory.prompts[agent]?.length ?? 0));
  };
  return minePairs(worth, groups, options).flatMap(({ winner, loser, gap }) => {
    const [better, worse] = [trajectories[winner] as Trajectory, trajectories[loser] as Trajectory];
    const speaks = ({ turns }: Trajectory, agent: number) => turns.some((turn) => (turn.agent as number) === agent);
    return [...protocol.roles.keys()]
      .filter((agent) => speaks(better, agent) && speaks(worse, agent))
      .map((agent) => ({
        group: better.group,
        agent,
        gap,
        prompt: (tokenizers[agent] as Tokenizer).decode(better.prompts[agent] ?? []),
        chosen: after(better, agent),
        rejected: after(worse, agent),
      }))
      .filter(({ chosen, rejected }) => chosen !== rejected);
  });
}
