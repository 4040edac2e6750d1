// What each charted number means, in one sentence; formula and source come from the metric table.
import { metricTable, type MetricName, type MetricNotes } from '../../records/metrics.ts';

export interface ChartNote {
  what: string;
  formula: string;
  source: string;
}

const meanings: Partial<Record<MetricName, string>> = {
  'charts/episodic_return': 'What a dialogue earned, on average, over this iteration’s rollouts.',
  'charts/tokens_per_turn': 'How much each agent says at a time. A planner that falls silent is a lazy agent.',
  'charts/dead_groups': 'Groups that are all right or all wrong teach nothing: their advantages are 0.',
  'losses/policy_loss': 'What the optimiser lowers. Its level says little; only its gradient matters.',
  'losses/entropy': 'How undecided each agent still is, in nats. At 0 it has stopped trying anything new.',
  'losses/ref_kl': 'How far the team has moved from where it started, in nats for each token.',
  'losses/clipfrac': 'How often the policy had moved so far that the clipped side of min() won.',
  'losses/grad_norm': 'Size of the gradient before it is cut to its largest allowed norm.',
};

export const accuracyNote: ChartNote = {
  what:
    'Share of fixed held-out problems that the team answers rightly when both agents sample at temperature 1. ' +
    'The band is a 95 % interval. The dotted line is the best that anyone could do without hearing the plan. ' +
    'Plan hidden: the same team when the reasoner does not hear the planner; never trained so, it may fall far below.',
  formula: 'right / problems, Wilson score interval; ceiling by enumeration',
  source: 'Wilson 1927; Cothink',
};

/** The notes of a metric by its name. */
export function metricNotes(name: MetricName): MetricNotes & ChartNote {
  const notes: MetricNotes = metricTable.find((entry) => entry.name === name) ?? metricTable[0];
  return { ...notes, what: meanings[name] ?? '' };
}
