// Measures the true value of a message m after the context c: V(c + m) − V(c) under the current policies. This value is
// the team's mean reward if the dialogue continues after the message, minus the mean reward if the dialogue continues
// from before the message. The n-th continuation uses the same draws in both cases, so that most of the chance effects
// cancel out in the difference. Messages that are simultaneous with m are sampled again. The nearest published method
// is C3 (2603.06859).
import { placesByKey } from '../../base/groups.ts';
import { streams } from '../../base/random.ts';
import { mean, spearman, std } from '../../base/stats.ts';
import type { Config } from '../../config/schema.ts';
import type { MessageTruth } from '../../records/besides.ts';
import { setOf, type Trajectory, type Turn } from '../../records/trajectory.ts';
import { eachAction, type RowBatch } from '../rows/rows.ts';
import { rollOut, type TeamRequest } from '../collect/collect.ts';
import { stage } from '../stages/stage.ts';
import type { Team } from '../team/team.ts';

declare module '../stages/stage.ts' {
  interface Parts {
    /**
     * The correlation between advantages and true values of messages; undefined if there is no group in which both
     * vary.
     */
    fidelity: number | undefined;
  }
}

type Continuing = Pick<TeamRequest, 'policies' | 'judge' | 'appraisers' | 'onTurn'> & {
  /** The number of continuations of each context, at least 2. */
  draws: number;
  iteration: number;
};

/**
 * The fixed part of a dialogue (a context). It contains all turns of the dialogue, or only the first turns. In the
 * latter case, it may also contain one turn of the set of simultaneous turns that follows.
 */
interface Context {
  group: number;
  problem: Trajectory['problem'];
  /** The turns by index. Turns that are missing in this list are sampled again. */
  given: Turn[];
  /** The reward of the dialogue, if the dialogue has ended. */
  reward?: number;
}

/**
 * [trajectory][turn] measures the true value of every message. If several dialogues about a problem have the same
 * context, this context is evaluated only once.
 */
export async function creditTruth(
  team: Team,
  trajectories: readonly Trajectory[],
  { draws, iteration, ...how }: Continuing,
): Promise<MessageTruth[][]> {
  const contexts = new Map<string, Context>();
  const keysOf = trajectories.map((trajectory) =>
    trajectory.turns.map((turn): [before: string, after: string] => {
      const before = contextOf(trajectory, setOf(turn));
      const after = contextOf(trajectory, setOf(turn), turn);
      return [noted(contexts, before), noted(contexts, after)];
    }),
  );
  const open = [...contexts].filter(([, { reward }]) => reward === undefined);
  // The continuations of one problem share their draws, so that chance effects cancel out. Different problems use
  // different draws.
  const places = [...new Set(trajectories.map(({ group }) => group))];
  const rows = open.flatMap(([, context]) => Array.from({ length: draws }, () => context));
  const { trajectories: continued } = await rollOut(team, {
    ...how,
    problems: rows.map(({ problem }) => problem),
    groups: open.flatMap((_, group) => Array.from({ length: draws }, () => group)),
    given: rows.map(({ given }) => given),
    draws: {
      stream: streams.credit,
      iteration,
      offset: 0,
      lines: rows.map(({ group }, row) => places.indexOf(group) * draws + (row % draws)),
    },
  });
  const rewards = new Map(
    open.map(([key], i) => [key, continued.slice(i * draws, (i + 1) * draws).map(({ reward }) => reward)]),
  );
  const rewardsOf = (key: string) => rewards.get(key) ?? Array<number>(draws).fill(contexts.get(key)?.reward ?? NaN);
  return keysOf.map((ofTurns) =>
    ofTurns.map(([before, after]) => {
      const without = rewardsOf(before);
      const differences = rewardsOf(after).map((reward, j) => reward - (without[j] as number));
      return { worth: mean(differences), error: std(differences) / Math.sqrt(draws) };
    }),
  );
}

/**
 * The context that consists of the first `length` turns and one of the simultaneous turns after them. If the other
 * agents heard another message instead of that turn, this replacement is drawn again.
 */
function contextOf({ group, problem, turns, reward }: Trajectory, length: number, said?: Turn): Context {
  const given = turns.slice(0, length);
  if (said) {
    const { heardAs: _, ...plain } = said;
    given[said.index] = plain;
  }
  const isWhole = given.length === turns.length && Object.keys(given).length === turns.length;
  return { group, problem, given, ...(isWhole && { reward }) };
}

/**
 * Stores a context and returns its key. Two contexts of the same problem have the same key if the agents sent and heard
 * the same messages in both.
 */
function noted(contexts: Map<string, Context>, context: Context): string {
  const words = Object.entries(context.given).map(([at, { tokens, heardAs }]) => {
    const heard = heardAs ? ` > ${heardAs.tokens.join(' ')}` : '';
    return `${at}: ${tokens.join(' ')}${heard}`;
  });
  const key = `${context.group} / ${words.join(' / ')}`;
  if (!contexts.has(key) || context.reward !== undefined) contexts.set(key, context);
  return key;
}

/** [trajectory][turn] the advantage of each message: the mean of its tokens' advantages [B·T]. */
export function paidMessages(
  trajectories: readonly Trajectory[],
  batch: RowBatch,
  advantages: ArrayLike<number>,
): number[][] {
  const sums = trajectories.map(({ turns }) => turns.map(() => 0));
  eachAction(batch, ({ at, trajectory, turn }) => {
    const [ofTurns, { tokens }] = [sums[trajectory] as number[], trajectories[trajectory]?.turns[turn] as Turn];
    ofTurns[turn] = (ofTurns[turn] as number) + (advantages[at] as number) / tokens.length;
  });
  return sums;
}

/**
 * Spearman’s ρ between the advantages and the true values of messages, [trajectory][turn]; null if the advantages or
 * the true values are all equal.
 */
export function fidelityIn(
  paid: readonly (readonly number[])[],
  truth: readonly (readonly MessageTruth[])[],
): number | null {
  const worth = truth.flatMap((ofTurns) => ofTurns.map((one) => one.worth));
  const rho = spearman(paid.flat(), worth);
  return Number.isFinite(rho) ? rho : null;
}

/**
 * Mean over groups of Spearman’s ρ between the advantages and the true values of their messages; undefined if there is
 * no group in which both vary.
 */
export function creditFidelity(
  trajectories: readonly Pick<Trajectory, 'group'>[],
  paid: readonly (readonly number[])[],
  truth: readonly (readonly MessageTruth[])[],
): number | undefined {
  const groups = placesByKey(trajectories.map(({ group }) => String(group)));
  const correlations = [...groups.values()].flatMap(
    (own) =>
      fidelityIn(
        own.map((i) => paid[i] ?? []),
        own.map((i) => truth[i] ?? []),
      ) ?? [],
  );
  return correlations.length === 0 ? undefined : mean(correlations);
}

/** The number of groups that are measured during training. */
const watchedGroups = 4;

interface Watched {
  trajectories: readonly Trajectory[];
  batch: RowBatch;
  /** [B·T] */
  advantages: ArrayLike<number>;
}

/**
 * Whether the true values are measured in iteration number `iteration` (from 0). If `evaluation.creditDraws` is above
 * 0, the true values are measured together with each evaluation.
 */
const isCreditDue = ({ evaluation: { creditDraws, every } }: Pick<Config, 'evaluation'>, iteration: number) =>
  creditDraws > 0 && (iteration + 1) % every === 0;

/** The correlation over the first few groups whose advantages vary; undefined if there are no such groups. */
async function watchCredit(
  team: Team,
  { trajectories, batch, advantages }: Watched,
  how: Omit<Continuing, 'draws'>,
): Promise<number | undefined> {
  const { creditDraws: draws } = team.config.evaluation;
  const paid = paidMessages(trajectories, batch, advantages);
  const whole = trajectories.flatMap((one, i) => (one.branch ? [] : { one, paid: paid[i] as number[] }));
  const groups = [...new Set(whole.map(({ one }) => one.group))].filter(
    (group) => new Set(whole.filter(({ one }) => one.group === group).map(({ one }) => one.reward)).size > 1,
  );
  const own = whole.filter(({ one }) => groups.slice(0, watchedGroups).includes(one.group));
  const watched = own.map(({ one }) => one);
  // At least two continuations are needed, because an error cannot be estimated from a single one.
  const truth = await creditTruth(team, watched, { ...how, draws: Math.max(2, draws) });
  return creditFidelity(
    watched,
    own.map(({ paid }) => paid),
    truth,
  );
}

export const creditStage = stage({
  name: 'credit fidelity',
  phase: 'measure',
  when: isCreditDue,
  reads: ['paid', 'speakers', 'batch', 'advantages'],
  run: async ({ team, iteration, paid: { trajectories }, speakers, batch, advantages }) => ({
    fidelity: await watchCredit(team, { trajectories, batch, advantages }, { ...speakers, iteration }),
  }),
});
