// Measures how much each turn changed the messages after it (Dr. MAMR 2511.02303). The rows of each listener go through
// its network twice: with the turn visible, and with the turn hidden from attention at unchanged positions. The two
// probabilities of the listener's next turn are compared. If several agents heard a turn, the mean over these agents is
// used. Deviations: in the paper two agents alternate, but here the protocol determines which agents hear a turn. The
// world's reply to a turn is hidden together with the turn. If a new context is built for each turn, it contains a turn
// until the speaker of this turn speaks again. Only the listener's first answer to the turn is compared.
import { mean } from '../../base/stats.ts';
import { ownTurns, trunksOf } from '../../records/branch.ts';
import { setOf, setsOf, type Trajectory, type Turn } from '../../records/trajectory.ts';
import {
  freshContext,
  isHeard,
  openingContext,
  setContext,
  viewRow,
  viewRows,
  vocabularyAt,
  type ViewRow,
  type ViewTokens,
} from '../../rollout/view.ts';
import { causalInfluence } from '../maths/credit.ts';
import type { Appraiser } from './collect.ts';
import { rowOutputs, type DeviceRows } from '../rows/forward.ts';
import { scoreRows } from '../rows/oldFacts.ts';
import { layRows } from '../rows/rows.ts';
import { stage } from '../stages/stage.ts';
import type { Gate } from '../team/gate.ts';
import type { Network } from '../team/network.ts';
import type { Team } from '../team/team.ts';

declare module '../stages/stage.ts' {
  interface Parts {
    /** Mean causal influence of turns; null if no agent answers another agent. */
    influence: number | null;
  }
}

/**
 * The number of dialogues per iteration whose influence is measured if influence is not rewarded. At most this many
 * dialogues of the shown group are measured, too.
 */
export const watchedTrajectories = 8;

interface Speakers {
  team: Team;
  networks: readonly Network[];
  gate: Gate;
}

/** [trajectory][turn] influence in nats per token; null if no agent that heard the turn spoke after it. */
type InfluenceTable = (number | null)[][];

/** A turn that an agent heard: its position in this agent's row, and the agent's next turn. */
interface Heard {
  turn: number;
  /** The columns of the row that contain the turn: from `from` up to, but not including, `to`. */
  from: number;
  to: number;
  /** The listener's next turn. */
  next: number;
}

/** Whether a listener heard a turn. Turns that were masked or replaced for the listener do not count as heard. */
const reached = (turn: Turn, listener: number, tokens: ViewTokens) =>
  isHeard(turn.agent, listener, tokens) && !turn.heardAs && turn.maskedFor?.includes(listener) !== true;

/** The messages that a listener heard and answered, in order, if its context grows from turn to turn. */
export function heardTurns(trajectory: Trajectory, listener: number, tokens: ViewTokens): Heard[] {
  const found: Heard[] = [];
  let unanswered: Omit<Heard, 'next'>[] = [];
  let at = openingContext(trajectory, listener, tokens).length;
  for (const set of setsOf(trajectory.turns)) {
    const own = set.find((turn) => (turn.agent as number) === listener);
    if (own) {
      found.push(...unanswered.map((heard) => ({ ...heard, next: own.index })));
      unanswered = [];
      at += vocabularyAt(tokens, listener).headers[own.role].length + own.tokens.length;
    }
    for (const { turn, ids } of setContext(set, listener, tokens)) {
      const from = at;
      at += ids.length;
      if (turn && reached(turn, listener, tokens)) unanswered.push({ turn: turn.index, from, to: at });
    }
  }
  return found;
}

/**
 * The rows of a listener. Each row is listed with the messages that the listener answered for the first time in that
 * row.
 */
export function heardRows(
  trajectory: Trajectory,
  listener: number,
  tokens: ViewTokens,
): { view: ViewRow; heard: Heard[] }[] {
  if (!tokens.context)
    return [{ view: viewRow(trajectory, listener, tokens), heard: heardTurns(trajectory, listener, tokens) }];
  const views = viewRows(trajectory, listener, tokens);
  const answered = new Set<number>();
  return ownTurns(trajectory)
    .filter(({ agent }) => (agent as number) === listener)
    .map((own, i) => {
      let at = 0;
      const before = { ...trajectory, turns: trajectory.turns.slice(0, setOf(own)) };
      const heard = freshContext(before, listener, tokens).flatMap(({ turn, ids }): Heard[] => {
        const from = at;
        at += ids.length;
        if (!turn || !reached(turn, listener, tokens) || answered.has(turn.index)) return [];
        answered.add(turn.index);
        return [{ turn: turn.index, from, to: at, next: own.index }];
      });
      return { view: views[i] as ViewRow, heard };
    });
}

/** The beginning of the row, up to the last token of the turn. */
function upTo(view: ViewRow, turn: number): ViewRow {
  const end = view.turnIds.lastIndexOf(turn) + 1;
  const { ids, isAction, turnIds, logprobs } = view;
  return {
    ids: ids.slice(0, end),
    isAction: isAction.slice(0, end),
    turnIds: turnIds.slice(0, end),
    logprobs: logprobs.slice(0, end),
  };
}

/** Measures the influence of all turns of these dialogues with the current networks. */
export async function measureInfluence(
  { team, networks, gate }: Speakers,
  trajectories: readonly Trajectory[],
): Promise<InfluenceTable> {
  const gains = trajectories.map(({ turns }) => turns.map((): number[] => []));
  for (const [n, network] of networks.entries()) {
    const asked = trajectories.flatMap((trajectory, index) =>
      (team.agentsOf[n] ?? []).flatMap((agent) => {
        const isAnswered = ({ next }: Heard) => team.networkOf[agent]?.[trajectory.turns[next]?.round as number] === n;
        const rows = heardRows(trajectory, agent, team.tokens);
        return rows.map(({ view, heard }) => ({ index, view, heard: heard.filter(isAnswered) }));
      }),
    );
    // Each row is evaluated once, up to its last answer. Then the row is evaluated once more for each turn that was
    // heard in it. In these further evaluations, the turn is hidden, and the row ends with the listener's answer to
    // this turn.
    const tries = asked.flatMap(({ view, heard }) => [
      ...heard.slice(-1).map(({ next }) => ({ view: upTo(view, next), hidden: null })),
      ...heard.map((hidden) => ({ view: upTo(view, hidden.next), hidden })),
    ]);
    const batch = layRows(tries.map(({ view }) => ({ index: 0, agent: 0, view })));
    const visible = new Float32Array(batch.ids.length).fill(1);
    tries.forEach(({ hidden }, b) => {
      if (hidden) visible.fill(0, b * batch.length + hidden.from, b * batch.length + hidden.to);
    });
    const logprobs = (rows: DeviceRows) =>
      rowOutputs({ tree: network.tree, shape: network.shape }, rows, team.config.agents.temperature).logprobs;
    const [scores = visible] = await scoreRows(batch, [logprobs], { network, gate, visible });
    let row = 0;
    for (const { index, view, heard } of asked) {
      if (heard.length === 0) continue;
      const full = row++;
      for (const { turn, next } of heard) {
        const masked = row++;
        const columns = [...view.turnIds.keys()].filter((t) => view.turnIds[t] === next).map((t) => t - 1);
        const pick = (b: number) => columns.map((t) => scores[b * batch.length + t] as number);
        gains[index]?.[turn]?.push(causalInfluence([{ full: pick(full), hidden: pick(masked) }])[0] as number);
      }
    }
  }
  return gains.map((ofTurns) => ofTurns.map((ofListeners) => (ofListeners.length > 0 ? mean(ofListeners) : null)));
}

/**
 * The appraisers that store the influence of all turns before rewards are assigned. The list is empty if influence is
 * not rewarded.
 */
export function influenceAppraisers(speakers: Speakers): Appraiser[] {
  if (speakers.team.config.reward.causal === 0) return [];
  return [async (trajectories) => noteInfluence(trajectories, await measureInfluence(speakers, trajectories))];
}

/**
 * Mean influence of an iteration's turns, measured before the update. This is the mean over all turns if influence is
 * rewarded, otherwise over the turns of a few evenly spaced dialogues. The influence is also stored in the turns of the
 * shown group. Returns null if no agent answers another agent.
 */
export async function watchInfluence(
  speakers: Speakers,
  trajectories: readonly Trajectory[],
  shownGroup: number,
): Promise<number | null> {
  if (speakers.team.config.reward.causal > 0) {
    return meanInfluence(trajectories.map(({ turns }) => turns.map(({ influence = null }) => influence)));
  }
  const trunks = trunksOf(trajectories);
  const step = Math.max(1, Math.ceil(trunks.length / watchedTrajectories));
  const watched = trunks.filter((_, i) => i % step === 0);
  const shown = trunks.filter(({ group }) => group === shownGroup).slice(0, watchedTrajectories);
  const table = await measureInfluence(speakers, [...watched, ...shown]);
  noteInfluence(shown, table.slice(watched.length));
  return meanInfluence(table.slice(0, watched.length));
}

function noteInfluence(trajectories: readonly Trajectory[], table: InfluenceTable): void {
  trajectories.forEach(({ turns }, i) => {
    turns.forEach((turn, t) => {
      const influence = table[i]?.[t];
      if (influence != null) turn.influence = influence;
    });
  });
}

/** The mean influence of all turns that were answered; null if there are no such turns. */
export function meanInfluence(table: InfluenceTable): number | null {
  const known = table.flat().filter((x) => x !== null);
  return known.length > 0 ? mean(known) : null;
}

export const influenceStage = stage({
  name: 'influence of turns',
  phase: 'score',
  reads: ['paid', 'shownGroup'],
  run: async (context) => {
    const { paid, shownGroup } = context;
    return { influence: await watchInfluence(context, trunksOf(paid.trajectories), shownGroup) };
  },
});
