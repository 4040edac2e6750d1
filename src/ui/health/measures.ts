// What can already go wrong unseen, read off the newest iterations: a measure, its threshold, and one calm sentence.
import type { MetricName } from '../../records/metrics.ts';
import { decimal, percent } from '../words.ts';

export interface HealthCard {
  name: string;
  title: string;
  detail: string;
  /** `look`: past its threshold, worth a look. `unknown`: nothing was measured yet. */
  tone: 'fine' | 'look' | 'unknown';
  /** What is measured and where the threshold lies. */
  about: string;
}

interface Measure {
  name: string;
  metric: MetricName;
  about: string;
  /** What the value is judged beside. */
  beside?: MetricName;
  judge(value: number, beside: number | undefined): [tone: 'fine' | 'look', title: string, detail: string];
}

/** Iterations the measures look back over. */
export const healthSpan = 5;

const measures: Measure[] = [
  {
    name: 'Dead groups',
    metric: 'charts/dead_groups',
    about:
      'Share of groups whose rewards are all equal: they carry no gradient. A team that has learned has many, all right. Worth a look above one half when so few dialogues are right that most of these groups must be all wrong.',
    beside: 'charts/training_accuracy',
    // Dead groups that are not all right are at least `value − right` of all groups, those that are not all wrong at
    // least `value − (1 − right)`: either is the most of them when it is more than half of `value`.
    judge(value, right = 0) {
      const title = `${percent(value)} dead groups`;
      if (value <= 0.5) return ['fine', title, 'the others teach'];
      if (right < value / 2) return ['look', title, 'mostly all wrong: an easier level?'];
      return ['fine', title, 1 - right < value / 2 ? 'mostly all right' : 'all right or all wrong'];
    },
  },
  {
    name: 'Finishes properly',
    metric: 'charts/finished',
    about:
      'Share of dialogues that end as they should: with the planner’s finish token, or when all have had their say. Worth a look below 0.8.',
    judge: (value) =>
      value >= 0.8
        ? ['fine', 'Finishes properly', `${percent(value)} of dialogues`]
        : ['look', 'Rarely finishes', `${percent(value)}: unfinished dialogues earn nothing`],
  },
  {
    name: 'Turns cut',
    metric: 'charts/truncated',
    about: 'Share of dialogues that end because a turn filled its window. Worth a look above 0.1.',
    judge: (value) =>
      value <= 0.1
        ? ['fine', 'Turns fit', value < 0.005 ? 'none cut' : `${percent(value)} cut`]
        : ['look', 'Turns are cut', `${percent(value)}: widen the window?`],
  },
  {
    name: 'Exploring',
    metric: 'losses/entropy',
    about:
      'Mean entropy of the next token, in nats. Near 0 nothing new is tried: normal for a team that answers rightly, worth a look below 0.02 while fewer than four of five dialogues are right. Above 2 an agent is less certain than among seven equal choices.',
    beside: 'charts/training_accuracy',
    judge(value, right = 0) {
      if (value > 2)
        return [
          'look',
          'Random talk',
          `entropy ${decimal(value)}: as among ${decimal(Math.exp(value), 0)} equal choices`,
        ];
      if (value >= 0.02) return ['fine', 'Exploring', `entropy ${decimal(value)}`];
      const little = `entropy ${decimal(value, 3)}:`;
      if (right >= 0.8) return ['fine', 'Little exploration', `${little} normal once converged`];
      return ['look', 'Little exploration', `${little} raise the entropy bonus?`];
    },
  },
  {
    name: 'Small updates',
    metric: 'losses/approx_kl',
    about:
      'How far the updates of one iteration move the policy: KL between what sampled and what was learned, in nats. Worth a look above 0.01, where PPO is often told to stop: above that a run learns less, and less reliably.',
    judge: (value) =>
      value <= 0.01
        ? ['fine', 'Small updates', `KL ${decimal(value, 3)} an iteration`]
        : ['look', 'Large updates', `KL ${decimal(value, 3)}: lower the learning rate?`],
  },
];

/** The cards for the newest iterations. `recent` gives a metric's mean over `healthSpan` iterations, if it was measured. */
export function healthCards(recent: (metric: MetricName) => number | undefined): HealthCard[] {
  // A learner that compares no groups has no dead ones: once anything is measured, what is not does not apply.
  const isMeasured = measures.some(({ metric }) => recent(metric) !== undefined);
  const applying = measures.filter(({ metric }) => !isMeasured || recent(metric) !== undefined);
  return applying.map(({ name, metric, about, beside, judge }) => {
    const value = recent(metric);
    if (value === undefined) return { name, title: name, detail: 'not measured yet', tone: 'unknown', about };
    const [tone, title, detail] = judge(value, beside && recent(beside));
    return { name, title, detail, tone, about };
  });
}
