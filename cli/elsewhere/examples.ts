// Examples for single-agent trainers: contexts before the agent's last turn, and preference pairs of one turn each. A
// single-agent trainer samples a continuation of the prompt up to the end of one turn. Contexts and pairs therefore end
// with the header of the speaking role.
import { trunksOf } from '../../src/records/branch.ts';
import type { Problem } from '../../src/records/problem.ts';
import type { MinedPreference, PreferenceText } from '../../src/records/stored/preference.ts';
import type { Config } from '../../src/config/schema.ts';
import type { Trajectory } from '../../src/records/trajectory.ts';
import { viewRows } from '../../src/rollout/view.ts';
import type { Tokenizer } from '../../src/text/tokenizer.ts';
import { minePreferences } from '../../src/training/imitation/minePreferences.ts';
import type { Team } from '../../src/training/team/team.ts';

/** An agent's context before its last turn, with the problem that the agent answers in this turn. */
export interface Prompt {
  text: string;
  tokens: number;
  problem: Problem;
}

/**
 * One prompt for each trajectory that ends with an answer of the agent. A trajectory is skipped if decoding the tokens
 * of the context and tokenizing the text again gives other tokens.
 */
export function promptsOf(
  { tokens, tokenizers, protocol }: Pick<Team, 'tokens' | 'tokenizers' | 'protocol'>,
  trajectories: readonly Trajectory[],
  agent: number,
): Prompt[] {
  const tokenizer = tokenizers[agent] as Tokenizer;
  return trunksOf(trajectories).flatMap((trajectory) => {
    const row = viewRows(trajectory, agent, tokens).at(-1);
    // In a protocol with steps, the last turn is an answer only if the dialogue was completed.
    if (!row || (protocol.hasSteps && trajectory.finishCode !== 0)) return [];
    const ids = row.ids.slice(0, row.turnIds.indexOf(row.turnIds.at(-1) ?? -1));
    const text = tokenizer.decode(ids);
    return String(tokenizer.encode(text)) === String(ids)
      ? [{ text, tokens: ids.length, problem: trajectory.problem }]
      : [];
  });
}

/**
 * An agent's preference pairs, in which the dialogue with the higher reward is preferred. Each pair is truncated to the
 * first turn in which its two sides differ.
 */
export function pairsOf(team: Team, trajectories: readonly Trajectory[], agent: number): PreferenceText[] {
  return minePreferences(team, trajectories, { minGap: 1e-6 })
    .filter((pair) => pair.agent === agent)
    .flatMap((pair) => ofOneTurn(pair, team.tokenizers[agent] as Tokenizer) ?? []);
}

/** Explains why a run gave no pairs, and how to get pairs. */
export const withoutPairs = ({ learning }: Pick<Config, 'learning'>): string =>
  learning.groupSize > 1
    ? 'no two stored dialogues about the same problem have different rewards; train for more iterations'
    : 'a pair compares two dialogues about the same problem, but this run has only one dialogue for each problem; train with --set learning.groupSize=8';

/**
 * Truncates a pair to one turn. Returns null if the agent had read different messages in the two dialogues before that
 * turn, or if tokenizing the text does not give the original tokens again.
 */
function ofOneTurn(pair: MinedPreference, tokenizer: Tokenizer): PreferenceText | null {
  const { prompt, chosenSpans = [], rejectedSpans = [] } = pair;
  const [chosen, rejected] = [tokenizer.encode(pair.chosen), tokenizer.encode(pair.rejected)];
  const at = chosenSpans.findIndex(
    ([, to], turn) => String(chosen.slice(0, to)) !== String(rejected.slice(0, rejectedSpans[turn]?.[1])),
  );
  const [own, other] = [chosenSpans[at], rejectedSpans[at]];
  if (!own || !other || String(chosen.slice(0, own[0])) !== String(rejected.slice(0, other[0]))) return null;
  return {
    prompt: prompt + tokenizer.decode(chosen.slice(0, own[0])),
    chosen: tokenizer.decode(chosen.slice(...own)),
    rejected: tokenizer.decode(rejected.slice(...other)),
  };
}
