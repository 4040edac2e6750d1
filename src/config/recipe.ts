// A learner's name means its published form. What that form sets is applied as a whole when the learner is chosen, and what
// a run does otherwise stands beside the name: “PPO · turn ratio”.
import type { Settings } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { fieldAt, settingWords, type Field } from './describe.ts';
import { learnerFacts, treeFacts } from './learnerFacts.ts';
import { canMatter } from './matters.ts';
import { learnerNames, type LearnerName } from './names.ts';
import { isSameValue, withSettings } from './parse.ts';
import { ownPay } from './refusals/reward.ts';
import { type Config, valueAt } from './schema.ts';

/** The published form that a learner goes by in a run: GRPO that compares candidates of one turn has a name of its own. */
const formOf = (learner: LearnerName, { agents }: Config) =>
  learner === 'grpo' && agents.candidates > 1 ? treeFacts : learnerFacts[learner];

/** The same of the run's own learner: what it is called, its paper and its settings. */
export const publishedOf = (config: Config) => formOf(config.learning.learner, config);

const isPaidApart = (published: Settings): boolean => published['reward.across'] === 'own';

/** What makes the learner of a run the one of its paper; an iteration keeps its number of dialogues. */
export function publishedForm(learner: LearnerName, config: Config): Settings {
  const { published } = formOf(learner, config);
  const { groupSize, problemsPerIteration } = config.learning;
  const { 'learning.groupSize': size = groupSize } = published;
  const problems = Math.max(1, Math.round((problemsPerIteration * groupSize) / Number(size)));
  return {
    'learning.learner': learner,
    ...published,
    ...(problems !== problemsPerIteration && { 'learning.problemsPerIteration': problems }),
    ...(isPaidApart(published) && ownPay(config)),
  };
}

/**
 * Settings that make the learner of `config` another, in its published form. What belongs to the forms of others goes
 * back to what it is in `base`, the preset; the learner of the preset gets back all that it has there.
 */
export function learnerChange(learner: LearnerName, config: Config, base: Config): Settings {
  const left = isPaidApart(publishedOf(config).published) ? ownPay(base) : {};
  const forms = learnerNames.flatMap((name) => Object.keys(learnerFacts[name].published));
  const paths = ['learning.learner', 'learning.problemsPerIteration', ...forms, ...Object.keys(left)];
  const back = Object.fromEntries(paths.map((path) => [path, valueAt(base, path)])) as Settings;
  if (learner === base.learning.learner) return back;
  return { ...back, ...publishedForm(learner, withSettings(config, back)) };
}

/** What a run does otherwise than the published form of its learner, the most telling first. */
export function variations(config: Config): { field: Field; value: unknown }[] {
  return Object.entries(publishedOf(config).published).flatMap(([path, published]) => {
    const [field, value] = [fieldAt(path), valueAt(config, path)];
    return field && canMatter(field, config) && !isSameValue(value, published) ? [{ field, value }] : [];
  });
}

/** `PPO`, or `PPO · turn ratio`, or `PPO · turn ratio and 2 more`. */
export function learnerTitle(config: Config): string {
  const { label } = publishedOf(config);
  const [first, ...others] = variations(config);
  if (!first) return label;
  return `${label} · ${settingWords(first.field, first.value)}${others.length > 0 ? spoken` and ${others.length} more` : ''}`;
}
