// Every learner by its name, as used by settings, files and the page.
import type { Demand } from '../field.ts';
import type { CriticKind } from '../names.ts';
import { agentCount, isOneForAll } from '../protocols/registry.ts';
import type { LearnerFacts, LearnerTable } from './facts.ts';

const found = Object.values(
  import.meta.glob<LearnerFacts>('../../extensions/learners/*/facts.ts', { eager: true, import: 'facts' }),
).sort((one, other) => one.order - other.order);

export type LearnerName = keyof LearnerTable;
/** The facts of all learners, sorted by `order`. */
export const learnerNames = found.map(({ name }) => name) as LearnerName[];

export const learnerFacts = Object.fromEntries(found.map((facts) => [facts.name, facts])) as Record<
  LearnerName,
  LearnerFacts
>;

/** The learner of a run whose settings do not specify one. */
export const defaultLearner = 'grpo' satisfies LearnerName;

const textsOf = (text: 'label' | 'meaning') =>
  Object.fromEntries(found.map((facts) => [facts.name, facts[text]])) as Record<LearnerName, string>;

/** The labels and the meanings of all learners, by name. */
export const learnerLabels = textsOf('label');
export const learnerMeanings = textsOf('meaning');

type Claim = (facts: LearnerFacts) => boolean | undefined;

/** The learners whose facts meet a condition. */
export const learnersWhere = (is: Claim): LearnerName[] => learnerNames.filter((name) => is(learnerFacts[name]));

/** The first learner that meets a condition. This learner is offered when the chosen learner cannot be used. */
export const learnerWhere = (is: Claim): LearnerName => learnersWhere(is)[0] ?? defaultLearner;

/**
 * Turns a condition on learners into a test of the setting `learning.learner`. The test lists the learners that meet
 * the condition. If fewer learners fail the condition, the test excludes those instead.
 */
export function learnerIs(claim: Claim): Demand {
  const [are, others] = [learnersWhere(claim), learnersWhere((facts) => !claim(facts))];
  return others.length < are.length ? { not: others } : are;
}

/** The facts of the learner of a run. */
export const factsOf = ({ learning }: { learning: { learner: LearnerName } }): LearnerFacts =>
  learnerFacts[learning.learner];

/** The settings of a run that determine its critics. */
interface Criticised {
  learning: { learner: LearnerName; critic: CriticKind };
}

/**
 * The kind of critic that predicts returns in a run. If the critic reads what one agent reads, a setting chooses
 * between a head and a separate network.
 */
export function criticOf({ learning }: Criticised): 'none' | CriticKind | 'joint' | 'mixing' {
  const { critic } = learnerFacts[learning.learner];
  return critic === 'own' ? learning.critic : critic;
}

/**
 * The number of separate critic networks of a run that predict returns: one for the whole team, or one for each agent.
 */
export function criticCount(
  config: Criticised & { agents: Parameters<typeof agentCount>[0] & Parameters<typeof isOneForAll>[0] },
): number {
  const kind = criticOf(config);
  if (kind === 'network' && !isOneForAll(config.agents)) return agentCount(config.agents);
  return kind === 'network' || kind === 'joint' ? 1 : 0;
}

/** Whether the learner can compare the candidates of a turn with one another, each with its own score. */
export const comparesCandidates = ({ groups, pay }: LearnerFacts): boolean => groups === 'units' && pay === 'any';
