// Explains each charted number in one sentence. The formula and the source come from the metric table.
import { hiddenLabel, type MessageWords } from '../../state/run/messageWords.ts';
import type { Parting } from '../../state/run/paidAndTrue.ts';
import { msg } from '../../base/spoken.ts';
import { said, say } from '../../state/visitor/language.svelte.ts';
import { decimal } from '../words.ts';
import { metricTable, type MetricName, type MetricNotes } from '../../records/metrics.ts';

export interface ChartNote {
  what: string;
  formula: string;
  source: string;
}

const meanings: Partial<Record<MetricName, string>> = {
  'charts/training_accuracy': msg(
    'Accuracy of this iteration’s rollouts, in total and for each world and level that problems come from.',
  ),
  rewards: msg('The world’s judgements of the turns of each role, whether the run pays for them or not.'),
  'charts/tokens_per_turn': msg('How much each agent says at a time. An agent that falls silent is a lazy agent.'),
  'charts/distinct_messages': msg(
    'Share of messages that occur only once. If it falls to almost 0, an agent says the same for every problem.',
  ),
  'charts/agreement': msg('How often agents that speak at the same time say the same, word for word.'),
  'charts/policy_agreement': msg(
    'How often another agent would choose the same token as the speaker. 1: they have the same policy.',
  ),
  'charts/dead_groups': msg(
    'Nothing is learned from groups whose members do not differ in what is compared, because all their advantages are 0.',
  ),
  'charts/credit_fidelity': msg(
    'How well advantages rank messages by their true worth, from −1 to 1; above 0, better messages tend to get higher advantages.',
  ),
  'charts/causal_influence': msg(
    'How much more probable a turn made what its readers said next; near 0 nobody reads it.',
  ),
  'losses/policy_loss': msg(
    'The quantity that the optimiser lowers. Its level says little; only its gradient matters.',
  ),
  'losses/entropy': msg('How uncertain each agent still is, in nats. At 0 it no longer explores.'),
  'losses/ref_kl': msg(
    'How far the team has moved from its frozen reference, in nats per token. The reference is the policy at the start, unless it is renewed.',
  ),
  'losses/explained_variance': msg(
    'How much of the variance of the returns the critic predicts at the turns of each role, in dialogues that it has not learned from: 1 is all of it, 0 is no better than predicting their mean.',
  ),
  'losses/mixing_explained_variance': msg(
    'How much of the variance of the returns the mixing critic predicts, in rounds that it has not seen before.',
  ),
  'losses/clipfrac': msg(
    'How often the ratio was outside the clipping range, so that the clipped side of min() counted.',
  ),
  'charts/verifier_auc': msg(
    'How often the verifier scores a right answer above a wrong one: 0.5 is guessing, 1 is perfect.',
  ),
  'losses/verifier': msg('Cross-entropy of the verifier’s scores on new answers, in nats; guessing gives 0.69.'),
  'losses/grad_norm': msg('Norm of the gradient before it is clipped.'),
};

/**
 * The note on accuracy. `messages` are the words for the agents' messages, and `drawn` determines which other lines the
 * chart has.
 */
export function accuracyNote({ name }: MessageWords, drawn: { hasCeiling: boolean; hasHidden: boolean }): ChartNote {
  const capital = hiddenLabel().charAt(0).toUpperCase() + hiddenLabel().slice(1);
  const parts = [
    say(
      'Share of fixed held-out problems that are answered correctly when all agents sample at temperature 1. The band is a 95 % interval.',
    ),
    drawn.hasCeiling &&
      say(
        'The dotted line is the best average accuracy that is possible without hearing {name}; the band around it shows the variation by chance on these problems.',
        { name },
      ),
    drawn.hasHidden &&
      say(
        '{capital}: the same team on the same problems, but suddenly nobody hears {name}. It never trained for this, so the drop does not show what a message is worth.',
        { capital, name },
      ),
  ];
  return {
    what: parts.filter(Boolean).join(' '),
    formula: drawn.hasCeiling
      ? say('right answers / problems, with the Wilson score interval; the ceiling is computed by enumeration')
      : say('right answers / problems, with the Wilson score interval'),
    source: say('Wilson 1927; Cothink'),
  };
}

/** The note on reward and correctness. */
export const paidNote: ChartNote = {
  get what() {
    return say(
      'Mean reward of this iteration’s rollouts, and the share of right dialogues, whatever the reward is paid for. If reward rises while accuracy falls, the team has found a way to be paid for something else. This is reported if both have moved by more than two standard errors of means over ten iterations since the best accuracy.',
    );
  },
  get formula() {
    return say('mean reward R per trajectory; right trajectories / all trajectories');
  },
  source: 'CleanRL; Gao et al. 2210.10760',
};

/** One sentence about how reward and correctness diverged. */
export const partingWords = ({ iteration, paid, right }: Parting) =>
  say(
    'Reward and accuracy diverge after iteration {iteration}: mean reward {before} → {now}, accuracy {before2} → {now2} since then.',
    {
      iteration,
      before: decimal(paid.before),
      now: decimal(paid.now),
      before2: decimal(right.before),
      now2: decimal(right.now),
    },
  );

/** The note on the card of a verifier. */
export const verifierNote: ChartNote = {
  get what() {
    return say(
      'How reliable the verifier is on this iteration’s answers, before it learned from them. Each dot stands for a tenth of the scale and is larger with more answers; it shows the mean score of these answers, and the share of right ones with a 95 % interval. On the dashed line both are equal. The numbers below count the answers. AUC 0.5 is guessing; at 1 every right answer scores above every wrong one.',
    );
  },
  get formula() {
    return say('AUC = P(score of a right answer > score of a wrong one); the dots show ten bins of equal width');
  },
  source: 'MAPoRL 2502.18439; Naeini et al. 2015',
};

/** The note on the table of all levels. */
export const placesNote: ChartNote = {
  get what() {
    return say(
      'Accuracy on every level, and in every world with the same words: at first, and now. Harder problems are longer than the problems of the level, or of a kind that does not occur in training. The last column is the best possible without a message; “trained” marks where training problems come from now.',
    );
  },
  get formula() {
    return say('right answers / problems, at temperature 1');
  },
  source: 'Cothink',
};

/** The note on the value of several answers. */
export const answersNote: ChartNote = {
  get what() {
    return say(
      'Each held-out problem is answered sixteen times. The chart shows for k of these answers how often at least one is right (a perfect judge could pick it), and how often the most common one is right (a vote would pick it). Both are means over all ways to choose k answers. In a tie each answer counts by its share; no answer means no vote. Bars are 95 % intervals over problems.',
    );
  },
  get formula() {
    return say(
      'pass@k = 1 − C(n − c, k) / C(n, k), where c of n = 16 answers are right; majority@k is also computed exactly',
    );
  },
  source: 'Chen et al. 2107.03374; Wang et al. 2203.11171',
};

/** The notes of a metric by its name. */
export function metricNotes(name: string): MetricNotes & ChartNote {
  const notes: MetricNotes = metricTable.find((entry) => entry.name === name) ?? metricTable[0];
  const meaning = meanings[notes.name as MetricName];
  return { ...notes, label: said(notes.label), formula: said(notes.formula), what: meaning ? say(meaning) : '' };
}
