// A learner's name stands for its published form. That form is complete, so the definition of a learner does not depend
// on the preset it is chosen from. It is applied when the learner is chosen, and deviations of a run are shown next to
// the name: “PPO · turn ratio”.
import type { Settings } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { fieldAt, settingWords, type Field, type NumberField } from './describe.ts';
import { usualForm, type LearnerFacts } from './learners/facts.ts';
import { learnerFacts, learnerNames, type LearnerName } from './learners/registry.ts';
import { canMatter } from './matters.ts';
import { isSameValue, withSettings } from './parse.ts';
import { ownPay } from './refusals/reward.ts';
import { type Config, valueAt } from './schema.ts';
import { formOf as worldForm, partSettings, partWeights } from './worlds/registry.ts';

type Form = Pick<LearnerFacts, 'label' | 'paper' | 'published' | 'ours'>;

/** The form of a learner that compares candidates of one turn, if a separate form is published for that. */
const treeForm = (learner: LearnerName, { agents }: Config): Form | undefined =>
  agents.candidates > 1 ? learnerFacts[learner].ofTrees : undefined;

const formOf = (learner: LearnerName, config: Config): Form => treeForm(learner, config) ?? learnerFacts[learner];

/**
 * The published form: first the settings of the learner's own record, then those that all published forms share. The
 * number of candidates is not part of the form and keeps its current value.
 */
const wholeForm = (learner: LearnerName, config: Config): Settings => {
  const { published } = formOf(learner, config);
  const { candidates } = config.agents;
  return {
    ...published,
    ...usualForm,
    ...(treeForm(learner, config) && { 'agents.candidates': candidates }),
    ...published,
  };
};

/**
 * The label of the run's learner, its paper, and all settings of its published form, the most characteristic setting
 * first.
 */
export function publishedOf(config: Config): { label: string; paper: string; published: Settings } {
  const { learner } = config.learning;
  const { label, paper } = formOf(learner, config);
  return { label, paper, published: wholeForm(learner, config) };
}

const isPaidApart = (form: Settings): boolean => form['reward.across'] === 'own';

/** Number of dialogues that an iteration collects; each candidate of a turn counts as one dialogue. */
const collected = ({ learning, agents }: Config): number =>
  learning.problemsPerIteration * learning.groupSize * agents.candidates;

/**
 * The number of problems of an iteration for which the number of dialogues is the same as with `config`, if groups have
 * the size that the form requires.
 */
function problemsFor(form: Settings, config: Config): number {
  const { max } = fieldAt('learning.problemsPerIteration') as NumberField;
  const ofEach = Number(form['learning.groupSize']) * Number(form['agents.candidates']);
  return Math.min(max, Math.max(1, Math.round(collected(config) / ofEach)));
}

/**
 * The settings of the learner's record that differ from the schema's defaults, in the notation of presets and measured
 * rows.
 */
export function ownForm(learner: LearnerName, config: Config): Settings {
  const { published, ours } = formOf(learner, config);
  const problems = problemsFor(wholeForm(learner, config), config);
  return {
    'learning.learner': learner,
    ...published,
    ...ours,
    ...(problems !== config.learning.problemsPerIteration && { 'learning.problemsPerIteration': problems }),
    ...(isPaidApart(published) && ownPay(config)),
  };
}

/**
 * The settings that turn the learner of any run into the learner of its paper. The number of trajectories in an
 * iteration stays the same.
 */
export const publishedForm = (learner: LearnerName, config: Config): Settings => ({
  ...ownForm(learner, config),
  ...wholeForm(learner, config),
});

const valuesAt = (config: Config, paths: readonly string[]): Settings =>
  Object.fromEntries(paths.map((path) => [path, valueAt(config, path)])) as Settings;
const fallbacks = (paths: readonly string[]): Settings =>
  Object.fromEntries(paths.map((path) => [path, fieldAt(path)?.fallback])) as Settings;

/**
 * Settings that may change when agents are paid separately: how agents are paid, and the weights of the world's own
 * reward parts.
 */
function payPaths(config: Config): string[] {
  const world = worldForm(config.world.name);
  return ['reward.across', 'reward.over', ...Object.keys(partSettings(world, partWeights(config, world, world.parts)))];
}

const goesByOwnPay = (config: Config): boolean => isPaidApart(formOf(config.learning.learner, config).published);

/**
 * A preset without the settings that belong to the published form of its own learner, because another learner does not
 * inherit them. The preset's world, team and rates remain.
 */
function withoutForm(preset: Config): Config {
  const { published } = formOf(preset.learning.learner, preset);
  const pay = goesByOwnPay(preset) ? ownPay(withSettings(preset, fallbacks(payPaths(preset)))) : {};
  const taken = Object.entries({ ...published, ...pay }).flatMap(([path, value]) =>
    isSameValue(valueAt(preset, path), value) ? [path] : [],
  );
  return withSettings(preset, fallbacks(taken));
}

/** All settings that belong to the published form of some learner. */
const formPaths = [
  ...new Set([usualForm, ...learnerNames.map((name) => learnerFacts[name].published)].flatMap(Object.keys)),
];

/**
 * Settings that change the learner of `config` to another one, in its published form with this project's deviations.
 * Other settings that belong to published forms return to their value in `base`, the preset. If the learner of the
 * preset is chosen again, all its settings in the preset are restored.
 */
export function learnerChange(learner: LearnerName, config: Config, base: Config): Settings {
  const isBack = learner === base.learning.learner;
  const paths = [...formPaths, ...(goesByOwnPay(config) || (isBack && goesByOwnPay(base)) ? payPaths(base) : [])];
  const back = valuesAt(isBack ? base : withoutForm(base), paths);
  const start = withSettings(config, back);
  const form = isBack ? back : { ...back, ...publishedForm(learner, start), ...formOf(learner, start).ours };
  return { ...form, 'learning.learner': learner, 'learning.problemsPerIteration': problemsFor(form, config) };
}

/** The settings in which a run differs from the published form of its learner, the most characteristic first. */
export function variations(config: Config): { field: Field; value: unknown }[] {
  return Object.entries(publishedOf(config).published).flatMap(([path, published]) => {
    const [field, value] = [fieldAt(path), valueAt(config, path)];
    return field && canMatter(field, config) && !isSameValue(value, published) ? [{ field, value }] : [];
  });
}

/** The title of a run's learner: `PPO`, or `PPO · turn ratio`, or `PPO · turn ratio and 2 more`. */
export function learnerTitle(config: Config): string {
  const { label } = publishedOf(config);
  const [first, ...others] = variations(config);
  if (!first) return label;
  return `${label} · ${settingWords(first.field, first.value)}${others.length > 0 ? spoken` and ${others.length} more` : ''}`;
}
