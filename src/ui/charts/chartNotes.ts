// What each charted number means, in one sentence; formula and source come from the metric table.
import { hiddenLabel, type MessageWords } from '../../state/run/messageWords.ts';
import type { Parting } from '../../state/run/paidAndTrue.ts';
import { say, type MessageKey } from '../../state/visitor/language.svelte.ts';
import { decimal } from '../words.ts';
import { metricTable, type MetricName, type MetricNotes } from '../../records/metrics.ts';

export interface ChartNote {
  what: string;
  formula: string;
  source: string;
}

const meanings: Partial<Record<MetricName, MessageKey>> = {
  'charts/training_accuracy': 'charts.chartNotes.shareRightOfThis',
  rewards: 'charts.chartNotes.whatTheWorldFound',
  'charts/tokens_per_turn': 'charts.chartNotes.howMuchEachAgent',
  'charts/distinct_messages': 'charts.chartNotes.howMuchOfWhat',
  'charts/agreement': 'charts.chartNotes.howOftenThoseWho',
  'charts/policy_agreement': 'charts.chartNotes.howOftenAnotherAgent',
  'charts/dead_groups': 'charts.chartNotes.groupsWhoseRewardsAre',
  'charts/credit_fidelity': 'charts.chartNotes.howWellAdvantagesRank',
  'charts/causal_influence': 'charts.chartNotes.howMuchMoreProbable',
  'losses/policy_loss': 'charts.chartNotes.whatTheOptimiserLowers',
  'losses/entropy': 'charts.chartNotes.howUncertainEachAgent',
  'losses/ref_kl': 'charts.chartNotes.howFarTheTeam',
  'losses/explained_variance': 'charts.chartNotes.howMuchOfThe',
  'losses/mixing_explained_variance': 'charts.chartNotes.howMuchOfThe2',
  'losses/clipfrac': 'charts.chartNotes.howOftenTheRatio',
  'charts/verifier_auc': 'charts.chartNotes.howOftenTheVerifier',
  'losses/verifier': 'charts.chartNotes.crossEntropyOfThe',
  'losses/grad_norm': 'charts.chartNotes.normOfTheGradient',
};

/** Of the share of right answers; `messages` are what passes between the agents, `drawn` what stands beside it. */
export function accuracyNote({ name }: MessageWords, drawn: { hasCeiling: boolean; hasHidden: boolean }): ChartNote {
  const capital = hiddenLabel().charAt(0).toUpperCase() + hiddenLabel().slice(1);
  const parts = [
    say('charts.chartNotes.shareOfFixedHeld'),
    drawn.hasCeiling && say('charts.chartNotes.theDottedLineIs', { name }),
    drawn.hasHidden && say('charts.chartNotes.theSameTeamOn', { capital, name }),
  ];
  return {
    what: parts.filter(Boolean).join(' '),
    formula: drawn.hasCeiling
      ? say('charts.chartNotes.rightProblemsWilsonScore')
      : say('charts.chartNotes.rightProblemsWilsonScore2'),
    source: say('charts.chartNotes.wilson1927Cothink'),
  };
}

/** Of what is paid, beside what is true. */
export const paidNote: ChartNote = {
  get what() {
    return say('charts.chartNotes.meanRewardOfThis');
  },
  get formula() {
    return say('charts.chartNotes.meanOverTrajectoriesOf');
  },
  source: 'CleanRL; Gao et al. 2210.10760',
};

/** How it came apart, in a sentence. */
export const partingWords = ({ iteration, paid, right }: Parting) =>
  say('charts.chartNotes.paidAndTruePart', {
    iteration,
    before: decimal(paid.before),
    now: decimal(paid.now),
    before2: decimal(right.before),
    now2: decimal(right.now),
  });

/** Of the card of a verifier. */
export const verifierNote: ChartNote = {
  get what() {
    return say('charts.chartNotes.howFarTheVerifier');
  },
  get formula() {
    return say('charts.chartNotes.aucPScoreOf');
  },
  source: 'MAPoRL 2502.18439; Naeini et al. 2015',
};

/** Of the table of all levels. */
export const placesNote: ChartNote = {
  get what() {
    return say('charts.chartNotes.shareRightOnEvery');
  },
  get formula() {
    return say('charts.chartNotes.rightProblemsAtTemperature');
  },
  source: 'Cothink',
};

/** Of what several answers are worth. */
export const answersNote: ChartNote = {
  get what() {
    return say('charts.chartNotes.eachHeldOutProblem');
  },
  get formula() {
    return say('charts.chartNotes.passK1C');
  },
  source: 'Chen et al. 2107.03374; Wang et al. 2203.11171',
};

/** The notes of a metric by its name. */
export function metricNotes(name: string): MetricNotes & ChartNote {
  const notes: MetricNotes = metricTable.find((entry) => entry.name === name) ?? metricTable[0];
  const meaning = meanings[notes.name as MetricName];
  return { ...notes, what: meaning ? say(meaning) : '' };
}
