// Converts stored groups to preference pairs in text. A pair compares two dialogues, a better and a worse one. For each
// of them, the pair contains the text of one agent's context after the prompt. The role tokens in the text show which
// messages are the agent's own. If a new context is built in each round, the pair consists of the agent's first two
// messages that differ, provided that the context before both messages is the same.
import { mean } from '../../base/stats.ts';
import type { Role } from '../../config/names.ts';
import { trunksOf } from '../../records/branch.ts';
import type { ComparedBy, MinedPreference, TokenSpan } from '../../records/stored/preference.ts';
import { setsOf, type Trajectory } from '../../records/trajectory.ts';
import { headerOf, viewRow, viewRows, type ViewRow, type ViewTokens } from '../../rollout/view.ts';
import { minePairs } from '../maths/dpoLoss.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { Team } from '../team/team.ts';

/**
 * Compares the dialogues of one iteration in pairs. Returns one preference pair for each agent that spoke in both
 * dialogues, if the agent's contexts differ. `minGap`, which must be above 0, is the smallest difference of the rewards
 * or scores of the two dialogues.
 */
export function minePreferences(
  { tokens, tokenizers, protocol }: Pick<Team, 'tokens' | 'tokenizers' | 'protocol'>,
  all: readonly Trajectory[],
  { by = 'reward', ...options }: { minGap: number; by?: ComparedBy },
): MinedPreference[] {
  const trajectories = trunksOf(all);
  const { worth, groups } = comparedBy(trajectories, by);
  const after = ({ ids, turnIds }: ViewRow, start: number, agent: number) => {
    const text = (tokenizers[agent] as Tokenizer).decode(ids.slice(start));
    // Spans are positions of tokens, so they are included only if tokenizing the text again gives the same tokens.
    const isExact = String((tokenizers[0] as Tokenizer).encode(text)) === String(ids.slice(start));
    return { text, spans: isExact ? spansOf(turnIds.slice(start)) : null };
  };
  return minePairs(worth, groups, options).flatMap(({ winner, loser, gap }) => {
    const [better, worse] = [trajectories[winner] as Trajectory, trajectories[loser] as Trajectory];
    const speaks = ({ turns }: Trajectory, agent: number) => turns.some((turn) => (turn.agent as number) === agent);
    return [...protocol.roles.keys()]
      .filter((agent) => speaks(better, agent) && speaks(worse, agent))
      .flatMap((agent) => {
        const sides = comparedRows(better, worse, { agent, tokens, role: protocol.roles[agent] as Role });
        if (!sides) return [];
        const [chosen, rejected] = sides.rows.map((row) => after(row, sides.start, agent)) as [Side, Side];
        if (chosen.text === rejected.text) return [];
        const pair: MinedPreference = {
          group: better.group,
          agent,
          gap,
          prompt: (tokenizers[agent] as Tokenizer).decode(sides.rows[0].ids.slice(0, sides.start)),
          chosen: chosen.text,
          rejected: rejected.text,
          ...(chosen.spans && { chosenSpans: chosen.spans }),
          ...(rejected.spans && { rejectedSpans: rejected.spans }),
        };
        return [pair];
      });
  });
}

interface Side {
  text: string;
  spans: TokenSpan[] | null;
}

/**
 * An agent's rows in two dialogues, and the position in both rows at which the comparison starts; null if the rows
 * cannot be compared.
 */
function comparedRows(
  better: Trajectory,
  worse: Trajectory,
  { agent, tokens, role }: { agent: number; tokens: ViewTokens; role: Role },
): { rows: [ViewRow, ViewRow]; start: number } | null {
  if (!tokens.context)
    return {
      rows: [viewRow(better, agent, tokens), viewRow(worse, agent, tokens)],
      start: better.prompts[agent]?.length ?? 0,
    };
  const [own, other] = [viewRows(better, agent, tokens), viewRows(worse, agent, tokens)];
  const at = own.findIndex(({ ids }, i) => String(ids) !== String(other[i]?.ids));
  const rows = [own[at], other[at]] as [ViewRow | undefined, ViewRow | undefined];
  if (!rows[0] || !rows[1]) return null;
  const [start, otherStart] = rows.map((row) => (row as ViewRow).turnIds.findIndex((turn) => turn >= 0));
  const context = (row: ViewRow) => String(row.ids.slice(0, start));
  if (start !== otherStart || context(rows[0]) !== context(rows[1])) return null;
  return { rows: [rows[0], rows[1]], start: (start as number) - headerOf(tokens, agent, role).length };
}

/** The span of tokens of each turn. In `turnIds`, −1 means that a token belongs to no turn. */
function spansOf(turnIds: readonly number[]): TokenSpan[] {
  const starts = turnIds.flatMap((turn, t) => (turn >= 0 && turn !== turnIds[t - 1] ? [t] : []));
  return starts.map((from) => [from, turnIds.lastIndexOf(turnIds[from] as number) + 1]);
}

export interface Compared {
  /** The reward or score of each dialogue; 0 if the dialogue has none. */
  worth: number[];
  /**
   * For each dialogue, the group of dialogues with which it may be compared: those about the same problem. A dialogue
   * without a score is the only one in its group, so it is in no pair.
   */
  groups: string[];
}

/**
 * The numbers by which dialogues are compared to make pairs: either their rewards or the verifier's scores of the final
 * answers. The scores can be computed without knowing the right answers. If the last answers of a dialogue are
 * simultaneous, the score of the dialogue is the mean of their scores. Truncated dialogues may have no score.
 */
export function comparedBy(trajectories: readonly Trajectory[], by: ComparedBy): Compared {
  const worth = trajectories.map((trajectory) => (by === 'verifier' ? believed(trajectory) : trajectory.reward));
  return {
    worth: worth.map((x) => (Number.isNaN(x) ? 0 : x)),
    groups: trajectories.map(({ group }, i) => (Number.isNaN(worth[i]) ? `no answer ${i}` : String(group))),
  };
}

function believed({ turns }: Trajectory): number {
  const last = setsOf(turns).findLast((set) => set.some(({ belief }) => belief !== undefined));
  return last ? mean(last.flatMap(({ belief }) => belief ?? [])) : Number.NaN;
}
