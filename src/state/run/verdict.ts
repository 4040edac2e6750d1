// One sentence on how a run stands, from its evaluations and metrics alone. Statements about learning rest on the
// evaluations' Wilson intervals: a difference that the intervals cover is not called one.
import { mean } from '../../base/stats.ts';
import type { Evaluation } from '../../records/metrics.ts';
import { plannedPair } from '../../config/ownProtocol.ts';
import { messageWords, type MessageWords } from './messageWords.ts';
import type { MetricLog } from './metricLog.ts';

export type VerdictKind =
  'waiting' | 'unclear' | 'learning' | 'converged' | 'falling' | 'collapsed' | 'notLearning' | 'failed';

export interface Verdict {
  kind: VerdictKind;
  /** Two or three words. */
  title: string;
  /** Why, with the numbers it rests on. */
  detail: string;
}

const titles: Record<VerdictKind, string> = {
  waiting: 'Ready',
  unclear: 'No clear change yet',
  learning: 'Still learning',
  converged: 'Converged',
  falling: 'Falling back',
  collapsed: 'Collapsed',
  notLearning: 'Not learning',
  failed: 'Stopped',
};

/** Iterations over which nothing may have changed before a run is called converged or not learning. */
const patience = 30;
/** A share below which a change of right answers is not worth the name. */
const small = 0.02;

const share = (value: number) => value.toFixed(2);
const span = ({ low, high }: Evaluation) => `${share(low)} to ${share(high)}`;

/**
 * Judges a run. `evaluations` in order of iteration; `failure` is the message of a failed run, or empty; `words` are those
 * of its protocol.
 */
export function judge(
  evaluations: readonly Evaluation[],
  metrics: MetricLog,
  failure = '',
  words: MessageWords = messageWords({ protocol: 'reMA', own: plannedPair }),
): Verdict {
  const say = (kind: VerdictKind, detail: string): Verdict => ({ kind, title: titles[kind], detail });
  if (failure) return say('failed', failure);
  const first = evaluations[0];
  const last = evaluations.at(-1);
  if (!first || !last) return say('waiting', 'right answers are measured before the first iteration');
  if (last.iteration === 0) {
    return say('waiting', `the warm start gives ${share(last.accuracy)} right answers${ceilingWords(last, words)}`);
  }

  const best = evaluations.reduce((a, b) => (b.accuracy > a.accuracy ? b : a));
  if (last.high < best.low && best.accuracy - last.accuracy > 0.1) {
    const fall = `right answers fell from ${share(best.accuracy)} to ${share(last.accuracy)}`;
    return say('collapsed', `${fall}${because(collapseCause(metrics))}`);
  }

  const change = `right answers ${share(first.accuracy)} → ${share(last.accuracy)}`;
  const before = evaluations.findLast((evaluation) => evaluation.iteration <= last.iteration - patience);
  const isUp = last.low > first.high;
  const isFlat = before !== undefined && overlap(evaluations, before.iteration) && gain(evaluations, before) < small;
  if (isFlat && (isUp || last.accuracy >= 0.9)) {
    const length = last.iteration - before.iteration;
    return say('converged', `right answers have stayed at ${share(last.accuracy)} for ${length} iterations`);
  }
  if (before !== undefined && !isUp && last.accuracy < 0.9 && gain(evaluations, before) < small) {
    return say('notLearning', `${change} in ${last.iteration} iterations${because(stallCause(metrics))}`);
  }
  if (last.high < best.low)
    return say(
      'falling',
      `right answers ${share(best.accuracy)} → ${share(last.accuracy)} since iteration ${best.iteration}`,
    );
  if (!isUp) return say('unclear', `${change} · the intervals overlap: ${span(first)}, then ${span(last)}`);
  return say('learning', `${change}${heardWords(last, words)}`);
}

/** Gain of the newest evaluation over the mean of those up to and with `before`'s neighbours. */
function gain(evaluations: readonly Evaluation[], before: Evaluation): number {
  const newest = evaluations.slice(-2);
  const at = evaluations.indexOf(before);
  const older = evaluations.slice(Math.max(0, at - 1), at + 1);
  return average(newest) - average(older);
}

/** Whether all evaluations since an iteration overlap pairwise in their intervals. */
function overlap(evaluations: readonly Evaluation[], since: number): boolean {
  const recent = evaluations.filter((evaluation) => evaluation.iteration >= since);
  return Math.max(...recent.map((e) => e.low)) <= Math.min(...recent.map((e) => e.high));
}

const average = (evaluations: readonly Evaluation[]) => mean(evaluations.map(({ accuracy }) => accuracy));

/**
 * Whether messages are read, of a team that has learned. More than the ceiling proves it; before that the masked control
 * only says that they make a difference.
 */
function heardWords(last: Evaluation, { name, reading }: MessageWords): string {
  if (last.maskedMessage === undefined) return '';
  const drop = last.maskedMessage - last.accuracy;
  if (drop > -0.05) return ` · ${name} hardly matters (${signed(drop)} when hidden)`;
  if (last.low > last.ceiling) return ` · above ${share(last.ceiling)}, impossible without ${reading}`;
  return ` · ${name} matters (${signed(drop)} when hidden)`;
}

function ceilingWords(last: Evaluation, { best }: MessageWords): string {
  return last.ceiling > 0 && last.ceiling < 1 ? ` · ${best}: ${share(last.ceiling)}` : '';
}

const signed = (value: number) => `${value < 0 ? '−' : value > 0 ? '+' : ''}${Math.abs(value).toFixed(2)}`;
const because = (cause: string) => (cause ? ` · ${cause}` : '');

function collapseCause(metrics: MetricLog): string {
  const kl = metrics.recent('losses/approx_kl', 5);
  const finished = metrics.recent('charts/finished', 5);
  if (kl !== undefined && kl > 0.1)
    return `one update moves the policy by a KL of ${kl.toFixed(2)}: lower the learning rate`;
  if (finished !== undefined && finished < 0.5) return `only ${share(finished)} of the dialogues finish properly`;
  return 'the last good checkpoint is kept';
}

function stallCause(metrics: MetricLog): string {
  const dead = metrics.recent('charts/dead_groups', 10);
  const finished = metrics.recent('charts/finished', 10);
  const entropy = metrics.recent('losses/entropy', 10);
  if (finished !== undefined && finished < 0.5) return `only ${share(finished)} of the dialogues finish properly`;
  if (dead !== undefined && dead > 0.7) return `${Math.round(dead * 100)} % of the groups carry no gradient`;
  if (entropy !== undefined && entropy < 0.02) return 'the agents hardly try anything new: raise the entropy bonus';
  return '';
}
