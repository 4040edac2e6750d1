// Explains in a few words what each chart shows. The formula and the source come from the metric table.
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
  rewards: msg('Mean of each reward component per turn, for each role; components with the weight 0 are included.'),
  'charts/tokens_per_turn': msg(
    'Mean number of tokens in a turn of each agent. An agent that says almost nothing is called a lazy agent.',
  ),
  'charts/distinct_messages': msg(
    'Share of messages that occur only once. Near 0, an agent generates the same messages for every problem.',
  ),
  'charts/agreement': msg('How often agents that speak at the same time generate identical messages.'),
  'charts/policy_agreement': msg(
    'How often another agent would choose the same token as the speaker. At 1 the agents have the same policy.',
  ),
  'charts/dead_groups': msg(
    'Nothing is learned from groups in which all compared values are equal, because all advantages in such a group are 0.',
  ),
  'charts/credit_fidelity': msg(
    'How well advantages rank messages by their true worth, from −1 to 1; above 0, better messages tend to get higher advantages.',
  ),
  'charts/causal_influence': msg(
    'How much more probable a turn made the next messages of the agents that read it. Near 0 the turn has hardly any effect.',
  ),
  'losses/policy_loss': msg(
    'The quantity that the optimiser minimises. Its value alone says little, because learning uses only its gradient.',
  ),
  'losses/entropy': msg(
    'How uncertain each agent still is about its next token, in nats. At 0 the agent no longer explores.',
  ),
  'losses/ref_kl': msg(
    'How far the team has moved from its frozen reference, in nats per token. Unless the reference is renewed, it is the policy at the start of the run.',
  ),
  'losses/explained_variance': msg(
    'The share of the variance of the returns that the critic explains at the turns of each role, in dialogues that the critic has not learned from. 1 means all of the variance, and 0 means that the critic is no better than always predicting the mean.',
  ),
  'losses/mixing_explained_variance': msg(
    'The share of the variance of the returns that the mixing critic explains, in rounds that the critic has not learned from.',
  ),
  'losses/clipfrac': msg(
    'How often the ratio was outside the clipping range, so that the clipped term of min() was used or, with CISPO, the weight of log p was limited.',
  ),
  'charts/verifier_auc': msg(
    'How often the verifier scores a right answer above a wrong one: 0.5 is guessing, 1 is perfect.',
  ),
  'losses/verifier': msg('Cross-entropy of the verifier’s scores on new answers, in nats; guessing gives 0.69.'),
  'losses/grad_norm': msg('Norm of the gradient before clipping.'),
};

/**
 * The note on accuracy. `messages` contains the words for the agents' messages, and `drawn` determines which other
 * lines the note mentions.
 */
export function accuracyNote({ name }: MessageWords, drawn: { hasCeiling: boolean; hasHidden: boolean }): ChartNote {
  const capital = hiddenLabel().charAt(0).toUpperCase() + hiddenLabel().slice(1);
  const parts = [
    say(
      'Share of fixed held-out problems that are answered correctly when all agents sample at temperature 1. The band is a 95 % interval.',
    ),
    drawn.hasCeiling &&
      say(
        'The dotted line is the best average accuracy that is possible without hearing {name}; the band around the line shows the variation by chance on these problems.',
        { name },
      ),
    drawn.hasHidden &&
      say(
        '{capital}: the same team on the same problems, but no agent hears {name}. The team was never trained for this, so the drop in accuracy does not show how much a message is worth.',
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
      'The mean reward of this iteration’s rollouts, and the share of dialogues with the right answer. If the reward rises while accuracy falls, the team has found a way to earn rewards without right answers. This is reported if, since the best accuracy, the ten-iteration means of both have changed by more than two standard errors.',
    );
  },
  get formula() {
    return say('mean reward R per trajectory; right trajectories / all trajectories');
  },
  source: 'CleanRL; Gao et al. 2210.10760',
};

/** One sentence with the iteration after which reward and accuracy diverged, and with both numbers before and now. */
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
      'How reliable the verifier’s scores of this iteration’s answers were before the verifier learned from these answers. Each dot stands for the answers whose scores lie in one tenth of the scale; the more answers, the larger the dot. The dot shows their mean score and the share of right answers among them, with a 95 % interval; on the dashed line both are equal. The numbers below are the numbers of answers. An AUC of 0.5 is guessing; at 1 every right answer scores above every wrong one.',
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
      'Accuracy on every level and in every world with the same vocabulary, in the first evaluation and now. The problems in the column “harder” are longer than those of the level, or of a kind that does not occur in training. The last column is the highest accuracy that is possible without a message. “trained” marks the levels from which training problems come now.',
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
      'Each held-out problem is answered sixteen times. The chart shows for k of these answers how often at least one is right (the accuracy of a perfect judge) and how often the most common one is right (the accuracy of a vote). Both are means over all ways to choose k answers. If several answers are equally common, each of them counts by an equal share. Missing answers have no vote. The bars are 95 % intervals over problems.',
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
