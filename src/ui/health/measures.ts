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
  isFine(value: number): boolean;
  fine(value: number): [title: string, detail: string];
  look(value: number): [title: string, detail: string];
}

/** Iterations the measures look back over. */
export const healthSpan = 5;

const measures: Measure[] = [
  {
    name: 'Dead groups',
    metric: 'charts/dead_groups',
    about: 'Share of groups whose rewards are all equal: they carry no gradient. Worth a look above one half.',
    isFine: (value) => value <= 0.5,
    fine: (value) => [`${percent(value)} dead groups`, 'the others teach'],
    look: (value) => [`${percent(value)} dead groups`, 'all earned alike: change the level?'],
  },
  {
    name: 'Finishes properly',
    metric: 'charts/finished',
    about:
      'Share of dialogues that end as they should: with the planner’s finish token, or when all have had their say. Worth a look below 0.8.',
    isFine: (value) => value >= 0.8,
    fine: (value) => ['Finishes properly', decimal(value)],
    look: (value) => ['Rarely finishes', `${decimal(value)}: unfinished dialogues earn nothing`],
  },
  {
    name: 'Turns cut',
    metric: 'charts/truncated',
    about: 'Share of dialogues that end because a turn filled its window. Worth a look above 0.1.',
    isFine: (value) => value <= 0.1,
    fine: (value) => ['Turns fit', `${decimal(value)} cut`],
    look: (value) => ['Turns are cut', `${decimal(value)}: widen the window?`],
  },
  {
    name: 'Still trying',
    metric: 'losses/entropy',
    about: 'Mean entropy of the next token, in nats. Worth a look below 0.02: nothing new is tried.',
    isFine: (value) => value >= 0.02,
    fine: (value) => ['Still trying', `entropy ${decimal(value)}`],
    look: (value) => ['Hardly trying', `entropy ${decimal(value, 3)}: raise its bonus?`],
  },
];

/** The cards for the newest iterations. `recent` gives a metric's mean over `healthSpan` iterations, if it was measured. */
export function healthCards(recent: (metric: MetricName) => number | undefined): HealthCard[] {
  // A learner that compares no groups has no dead ones: once anything is measured, what is not does not apply.
  const isMeasured = measures.some(({ metric }) => recent(metric) !== undefined);
  const applying = measures.filter(({ metric }) => !isMeasured || recent(metric) !== undefined);
  return applying.map(({ name, metric, about, isFine, fine, look }) => {
    const value = recent(metric);
    if (value === undefined) return { name, title: name, detail: 'not measured yet', tone: 'unknown', about };
    const isWell = isFine(value);
    const [title, detail] = (isWell ? fine : look)(value);
    return { name, title, detail, tone: isWell ? 'fine' : 'look', about };
  });
}
