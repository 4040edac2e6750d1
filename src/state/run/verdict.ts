// Describes the state of a run in one sentence, which depends only on the run's evaluations and metrics. Whether a team
// has learned is decided by the Wilson intervals of the evaluations: if the intervals overlap, the sentence reports no
// difference.
import { fallOf } from '../../records/collapse.ts';
import { convergedFor, recentChange } from '../../records/convergence.ts';
import type { Evaluation } from '../../records/metrics.ts';
import { defaultProtocol } from '../../config/protocols/registry.ts';
import { plannedPair } from '../../config/ownProtocol.ts';
import { say } from '../visitor/language.svelte.ts';
import { messageWords, type MessageWords } from './messageWords.ts';
import type { MetricLog } from '../trainer/metricLog.ts';

export type VerdictKind =
  'waiting' | 'unclear' | 'learning' | 'converged' | 'falling' | 'collapsed' | 'notLearning' | 'failed';

export interface Verdict {
  kind: VerdictKind;
  /** The verdict in two or three words. */
  title: string;
  /** The reason for the verdict, with the numbers on which it is based. */
  detail: string;
  /** For a team that collapsed, the accuracy before and after the drop, as part of a sentence. */
  fall?: string;
}

const titles: Record<VerdictKind, string> = {
  get waiting() {
    return say('Ready');
  },
  get unclear() {
    return say('No clear change yet');
  },
  get learning() {
    return say('Still learning');
  },
  get converged() {
    return say('Converged');
  },
  get falling() {
    return say('Falling back');
  },
  get collapsed() {
    return say('Collapsed');
  },
  get notLearning() {
    return say('Not learning');
  },
  get failed() {
    return say('Stopped');
  },
};

/** Formats a share as a percentage without decimal places. */
const share = (value: number) => Math.round(100 * value);
const span = ({ low, high }: Evaluation) => say('{low} to {high}', { low: share(low), high: share(high) });

/**
 * Returns the verdict on a run. `evaluations` must be in the order of iterations. `failure` is the error message if the
 * run has failed, and is empty otherwise. `words` are the words for the messages between agents.
 */
export function judge(
  evaluations: readonly Evaluation[],
  metrics: MetricLog,
  failure = '',
  words: MessageWords = messageWords({ protocol: defaultProtocol, own: plannedPair }),
): Verdict {
  const verdict = (kind: VerdictKind, detail: string): Verdict => ({ kind, title: titles[kind], detail });
  if (failure) return verdict('failed', failure);
  const first = evaluations[0];
  const last = evaluations.at(-1);
  if (!first || !last) return verdict('waiting', say('Accuracy is first measured before training starts.'));
  if (last.iteration === 0) {
    return verdict(
      'waiting',
      say('At the start {accuracy} of 100 answers are right. {last}', {
        accuracy: share(last.accuracy),
        last: ceilingWords(last, words),
      }).trim(),
    );
  }

  const best = evaluations.reduce((a, b) => (b.accuracy > a.accuracy ? b : a));
  const fall = fallOf(evaluations);
  if (fall) {
    const words = say('right answers fell from {accuracy} to {accuracy2} out of 100', {
      accuracy: share(fall.from),
      accuracy2: share(fall.to),
    });
    const detail = `${words.charAt(0).toUpperCase()}${words.slice(1)}. ${collapseCause(metrics)}`;
    return { ...verdict('collapsed', detail), fall: words };
  }

  const change = say('{accuracy2} of 100 answers are right, compared with {accuracy} at the start.', {
    accuracy: share(first.accuracy),
    accuracy2: share(last.accuracy),
  });
  const isUp = last.low > first.high;
  const length = convergedFor(evaluations);
  if (length !== null)
    return verdict(
      'converged',
      say('For {length} iterations, {accuracy} of 100 answers have been right.', {
        accuracy: share(last.accuracy),
        length,
      }),
    );
  if (recentChange(evaluations)?.isRising === false && !isUp && last.accuracy < 0.9)
    return verdict(
      'notLearning',
      say('{change} This is the result after {iteration} iterations. {metrics}', {
        change,
        iteration: last.iteration,
        metrics: stallCause(metrics),
      }).trim(),
    );
  if (last.high < best.low)
    return verdict(
      'falling',
      say('{accuracy2} of 100 answers are right, compared with {accuracy} at iteration {iteration}.', {
        accuracy: share(best.accuracy),
        accuracy2: share(last.accuracy),
        iteration: best.iteration,
      }),
    );
  if (!isUp)
    return verdict(
      'unclear',
      say('{change} The 95 % intervals overlap: {first} at the start, {last} now.', {
        change,
        first: span(first),
        last: span(last),
      }),
    );
  return verdict('learning', `${change} ${heardWords(last, words)}`.trim());
}

/**
 * Whether a team that has learned uses its messages. The team certainly uses its messages if the interval of the
 * accuracy lies above the ceiling. The team does not use its messages if the accuracy is equally high when messages are
 * hidden. A lower accuracy with hidden messages proves nothing, because the team was not trained with hidden messages.
 */
function heardWords({ accuracy, low, maskedMessage, ceiling }: Evaluation, { name, reading }: MessageWords): string {
  if (maskedMessage === undefined) return '';
  if (maskedMessage >= low)
    return say('Hiding {name} makes no clear difference: {masked} of 100 answers are still right.', {
      name,
      masked: share(maskedMessage),
    });
  if (low > ceiling)
    return say(
      'On average, at most {ceiling} of 100 answers can be right without {reading}; the whole 95 % interval lies above that.',
      {
        ceiling: share(ceiling),
        reading,
      },
    );
  return accuracy > ceiling
    ? ''
    : say('It is not yet shown that {name} is needed: the best guess is right {ceiling} times in 100 on average.', {
        name,
        ceiling: share(ceiling),
      });
}

function ceilingWords({ ceiling }: Evaluation, { without }: MessageWords): string {
  if (ceiling <= 0 || ceiling >= 1) return '';
  return without
    ? say('On average, the best guess {without} is right {ceiling} times in 100.', { ceiling: share(ceiling), without })
    : say('At most {ceiling} of 100 answers can be right.', { ceiling: share(ceiling) });
}

function collapseCause(metrics: MetricLog): string {
  const kl = metrics.recent('losses/approx_kl', 5);
  const finished = metrics.recent('charts/finished', 5);
  if (kl !== undefined && kl > 0.1)
    return say('One update moves the policy by a KL of {kl, number}: lower the learning rate.', {
      kl: Math.round(100 * kl) / 100,
    });
  if (finished !== undefined && finished < 0.5)
    return say('Only {finished} of 100 dialogues finish properly.', { finished: share(finished) });
  return say('The last good checkpoint is kept.');
}

function stallCause(metrics: MetricLog): string {
  const dead = metrics.recent('charts/dead_groups', 10);
  const finished = metrics.recent('charts/finished', 10);
  const entropy = metrics.recent('losses/entropy', 10);
  if (finished !== undefined && finished < 0.5)
    return say('Only {finished} of 100 dialogues finish properly.', { finished: share(finished) });
  if (dead !== undefined && dead > 0.7)
    return say('{round} % of groups have no gradient, because all rollouts of such a group earned the same reward.', {
      round: Math.round(dead * 100),
    });
  if (entropy !== undefined && entropy < 0.02)
    return say('The agents hardly try anything new: raise the entropy bonus.');
  return '';
}
