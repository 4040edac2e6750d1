// How much each turn moved what was said after it, measured (Dr. MAMR 2511.02303): the rows of those who heard it go
// through their network twice, with the turn in view and with it hidden from attention, positions kept; what counts is
// the next turn of the listener. Of several listeners the mean is taken.
// Deviations: in the paper two agents alternate, here a turn is heard by whoever the protocol lets hear it; what the
// world answered to a turn is hidden with it. A fresh context shows a turn until its speaker's next one: what counts is
// the first answer to it.
import * as tf from '@tensorflow/tfjs-core';
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
import { causalInfluence } from '../maths/causalInfluence.ts';
import type { Appraiser } from './collect.ts';
import { disposeRows, readOnce, rowOutputs, type DeviceRows } from '../rows/forward.ts';
import type { Gate } from '../team/gate.ts';
import { scoringTokens } from '../rows/microbatchTokens.ts';
import type { Network } from '../team/network.ts';
import type { Team } from '../team/team.ts';

/** Dialogues an iteration on which influence is watched where nobody is paid for it; of the group shown as many at most. */
const watchedDialogues = 8;

interface Speakers {
  team: Team;
  networks: readonly Network[];
  gate: Gate;
}

/** Nats a token, [trajectory][turn]; null where nobody who heard the turn spoke after it. */
type InfluenceTable = (number | null)[][];

/** A turn as it stands in a listener's row, and the turn with which the listener answered it. */
interface Heard {
  turn: number;
  /** Tokens of the row [from, to) that came of it. */
  from: number;
  to: number;
  /** The listener's next turn. */
  next: number;
}

/** Whether a turn came to a listener's ears: what was withheld from it did not. */
const reached = (turn: Turn, listener: number, tokens: ViewTokens) =>
  isHeard(turn.agent, listener, tokens) && turn.maskedFor?.includes(listener) !== true;

/** What a listener whose context grows heard and answered, in order. */
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

/** The rows of a listener, each with what it heard and answered there for the first time. */
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

/** One row to score: the view of a listener up to its answer, with what is hidden of it. */
interface Scored {
  view: ViewRow;
  length: number;
  hidden: [number, number] | null;
}

/** Measures the influence of all turns of these dialogues by the networks as they are. */
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
    const rows = asked.flatMap(({ view, heard }): Scored[] => {
      if (heard.length === 0) return [];
      const masked = heard.map(({ from, to, next }): Scored => {
        return { view, length: view.turnIds.lastIndexOf(next), hidden: [from, to] };
      });
      return [{ view, length: Math.max(...masked.map(({ length }) => length)), hidden: null }, ...masked];
    });
    const scored = await scoreRows(rows, { network, gate, temperature: team.config.agents.temperature });
    let row = 0;
    for (const { index, view, heard } of asked) {
      if (heard.length === 0) continue;
      const full = scored[row++] as Float32Array;
      for (const { turn, next } of heard) {
        const masked = scored[row++] as Float32Array;
        const columns = [...view.turnIds.keys()].filter((t) => view.turnIds[t] === next).map((t) => t - 1);
        const pick = (from: Float32Array) => columns.map((t) => from[t] as number);
        gains[index]?.[turn]?.push(causalInfluence([{ full: pick(full), hidden: pick(masked) }])[0] as number);
      }
    }
  }
  return gains.map((ofTurns) => ofTurns.map((ofListeners) => (ofListeners.length > 0 ? mean(ofListeners) : null)));
}

/** What notes influence on all turns before dialogues are paid; nothing where nobody is paid for it. */
export function influenceAppraisers(speakers: Speakers): Appraiser[] {
  if (speakers.team.config.reward.causal === 0) return [];
  return [async (trajectories) => noteInfluence(trajectories, await measureInfluence(speakers, trajectories))];
}

/**
 * Mean influence of an iteration's turns, before its update: of all of them where they were paid for it, else of a few
 * dialogues spread over all. Notes it on the turns of the group that is shown. Null where nobody answers anybody.
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
  const step = Math.max(1, Math.ceil(trunks.length / watchedDialogues));
  const watched = trunks.filter((_, i) => i % step === 0);
  const shown = trunks.filter(({ group }) => group === shownGroup).slice(0, watchedDialogues);
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

/** Mean over all turns that somebody answered; null where there are none. */
export function meanInfluence(table: InfluenceTable): number | null {
  const known = table.flat().filter((x) => x !== null);
  return known.length > 0 ? mean(known) : null;
}

/** Of each row, column by column, the log-probability of the token after it. */
async function scoreRows(
  rows: readonly Scored[],
  { network, gate, temperature }: { network: Network; gate: Gate; temperature: number },
): Promise<Float32Array[]> {
  const out: Float32Array[] = [];
  const width = Math.max(1, ...rows.map(({ length }) => length));
  const size = Math.max(1, Math.floor(scoringTokens(network, width) / width));
  for (let start = 0; start < rows.length; start += size) {
    await gate.pass();
    const cut = rows.slice(start, start + size);
    const device = uploadScored(cut);
    try {
      const model = { tree: network.tree, shape: network.shape };
      const read = await readOnce(tf.tidy(() => rowOutputs(model, device, temperature).logprobs));
      cut.forEach((_, i) => out.push(read.slice(i * device.shape[1], (i + 1) * device.shape[1])));
    } finally {
      disposeRows(device);
    }
  }
  return out;
}

/** Ids, targets and what is hidden, as wide as the longest. */
function uploadScored(rows: readonly Scored[]): DeviceRows {
  const width = Math.max(1, ...rows.map(({ length }) => length));
  const shape: [number, number] = [rows.length, width];
  const [ids, targets] = [new Int32Array(rows.length * width), new Int32Array(rows.length * width)];
  const visible = new Float32Array(rows.length * width).fill(1);
  rows.forEach(({ view, length, hidden }, b) => {
    ids.set(view.ids.slice(0, length), b * width);
    targets.set(view.ids.slice(1, length + 1), b * width);
    if (hidden) visible.fill(0, b * width + hidden[0], b * width + hidden[1]);
  });
  return {
    shape,
    ids: tf.tensor2d(ids, shape, 'int32'),
    targets: tf.tensor1d(targets, 'int32'),
    keyMask: tf.tensor2d(visible, shape),
  };
}
