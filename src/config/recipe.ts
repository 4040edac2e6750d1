// When a visitor chooses a learner, its published form is applied. The published form is a complete set of settings, so
// the definition of a learner does not depend on the preset from which it is chosen. Deviations of a run from this form
// are shown next to the name of the learner: “PPO · turn ratio”.
import type { Settings } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { fieldAt, settingWords, type Field, type NumberField } from './describe.ts';
import { usualForm, type LearnerFacts, type PublishedForm } from './learners/facts.ts';
import { learnerFacts, learnerNames, type LearnerName } from './learners/registry.ts';
import { canMatter } from './matters.ts';
import { isSameValue, withSettings } from './parse.ts';
import { ownPay } from './refusals/reward.ts';
import { type Config, valueAt } from './schema.ts';
import { formOf as worldForm, partSettings, partWeights } from './worlds/registry.ts';

type Form = Pick<LearnerFacts, 'label' | 'paper' | 'published' | 'ours'>;

/**
 * The published form of a learner for comparing the candidates of one turn, if there is such a form and the run has
 * candidates.
 */
const treeForm = (learner: LearnerName, { agents }: Config): Form | undefined =>
  agents.candidates > 1 ? learnerFacts[learner].ofTrees : undefined;

const formOf = (learner: LearnerName, config: Config): Form => treeForm(learner, config) ?? learnerFacts[learner];

/** The further published forms of a learner, if the run has no candidates. */
export const formsOf = (learner: LearnerName, config: Config): readonly PublishedForm[] =>
  treeForm(learner, config) ? [] : ((learnerFacts[learner] as LearnerFacts).forms ?? []);

/** The form that the run has exactly; the learner's own form if it has none of the others. */
function nearestForm(config: Config): Form {
  const { learner } = config.learning;
  const own = formOf(learner, config);
  const isIts = (form: PublishedForm) =>
    Object.entries(wholeForm(learner, config, form)).every((setting) => !differs(config, setting));
  return formsOf(learner, config).find(isIts) ?? own;
}

/**
 * All settings of a learner's published form: first the settings in the learner's facts, then the settings that all
 * published forms share. The number of candidates does not belong to the form and keeps its current value.
 */
const wholeForm = (learner: LearnerName, config: Config, { published } = formOf(learner, config)): Settings => ({
  ...published,
  ...usualForm,
  ...(treeForm(learner, config) && { 'agents.candidates': config.agents.candidates }),
  ...published,
});

/**
 * The label of the run's learner, its paper, and all settings of its published form, starting with the most
 * characteristic one.
 */
export function publishedOf(config: Config): { label: string; paper: string; published: Settings } {
  const form = nearestForm(config);
  return { label: form.label, paper: form.paper, published: wholeForm(config.learning.learner, config, form) };
}

const isPaidApart = (form: Settings): boolean => form['reward.across'] === 'own';

/** Number of dialogues that an iteration collects; each candidate of a turn counts as one dialogue. */
const collected = ({ learning, agents }: Config): number =>
  learning.problemsPerIteration * learning.groupSize * agents.candidates;

/**
 * The number of problems per iteration with which the published form collects as many dialogues as `config`, although
 * the group size may be different.
 */
function problemsFor(form: Settings, config: Config): number {
  const { max } = fieldAt('learning.problemsPerIteration') as NumberField;
  const ofEach = Number(form['learning.groupSize']) * Number(form['agents.candidates']);
  return Math.min(max, Math.max(1, Math.round(collected(config) / ofEach)));
}

/**
 * The settings in the learner's facts that differ from the schema's defaults, in the notation of presets and result
 * tables.
 */
export function ownForm(learner: LearnerName, config: Config, form: Form = formOf(learner, config)): Settings {
  const { published, ours } = form;
  const problems = problemsFor(wholeForm(learner, config, form), config);
  return {
    'learning.learner': learner,
    ...published,
    ...ours,
    ...(problems !== config.learning.problemsPerIteration && { 'learning.problemsPerIteration': problems }),
    ...(isPaidApart(published) && ownPay(config)),
  };
}

/**
 * The settings that turn the learner of a run into the learner described in its paper, or in the paper of another form.
 * The number of trajectories per iteration stays the same.
 */
export const publishedForm = (
  learner: LearnerName,
  config: Config,
  form: PublishedForm = formOf(learner, config),
): Settings => ({
  ...ownForm(learner, config, form),
  ...wholeForm(learner, config, form),
});

const valuesAt = (config: Config, paths: readonly string[]): Settings =>
  Object.fromEntries(paths.map((path) => [path, valueAt(config, path)])) as Settings;
const fallbacks = (paths: readonly string[]): Settings =>
  Object.fromEntries(paths.map((path) => [path, fieldAt(path)?.fallback])) as Settings;

/**
 * Settings that may change if agents are rewarded individually: the settings for the sharing of rewards, and the
 * weights of the world's own reward parts.
 */
function payPaths(config: Config): string[] {
  const world = worldForm(config.world.name);
  return ['reward.across', 'reward.over', ...Object.keys(partSettings(world, partWeights(config, world, world.parts)))];
}

const goesByOwnPay = (config: Config): boolean => isPaidApart(formOf(config.learning.learner, config).published);

/**
 * A preset without the settings that belong to the published form of its learner, because they must not apply to
 * another learner. The preset's world, team and learning rates remain.
 */
function withoutForm(preset: Config): Config {
  const { published } = formOf(preset.learning.learner, preset);
  const pay = goesByOwnPay(preset) ? ownPay(withSettings(preset, fallbacks(payPaths(preset)))) : {};
  const taken = Object.entries({ ...published, ...pay }).flatMap(([path, value]) =>
    isSameValue(valueAt(preset, path), value) ? [path] : [],
  );
  return withSettings(preset, fallbacks(taken));
}

/** All settings that belong to the published form of at least one learner. */
const formPaths = [
  ...new Set(
    [
      usualForm,
      ...learnerNames.flatMap((name) => {
        const { published, forms = [] }: LearnerFacts = learnerFacts[name];
        return [published, ...forms.map((form) => form.published)];
      }),
    ].flatMap(Object.keys),
  ),
];

/**
 * The changes by which `config` gets another learner, in its published form with this project's deviations. Other
 * settings that belong to published forms return to their value in `base`, the preset. If the learner of the preset is
 * chosen again, all its settings in the preset are restored.
 */
export function learnerChange(learner: LearnerName, config: Config, base: Config): Settings {
  const isBack = learner === base.learning.learner;
  const paths = [...formPaths, ...(goesByOwnPay(config) || (isBack && goesByOwnPay(base)) ? payPaths(base) : [])];
  const back = valuesAt(isBack ? base : withoutForm(base), paths);
  const start = withSettings(config, back);
  const form = isBack ? back : { ...back, ...publishedForm(learner, start), ...formOf(learner, start).ours };
  return { ...form, 'learning.learner': learner, 'learning.problemsPerIteration': problemsFor(form, config) };
}

/**
 * The settings in which a run differs from the published form of its learner, starting with the most characteristic
 * one.
 */
export const variations = (config: Config): { field: Field; value: unknown }[] =>
  Object.entries(publishedOf(config).published).flatMap((setting) => differs(config, setting) ?? []);

/** The field and its value in the run, if the setting acts and is not as published; otherwise null. */
function differs(config: Config, [path, published]: [string, unknown]): { field: Field; value: unknown } | null {
  const [field, value] = [fieldAt(path), valueAt(config, path)];
  return field && !isSameValue(value, published) && canMatter(field, config) ? { field, value } : null;
}

/** The title of a run's learner: `PPO`, or `PPO · turn ratio`, or `PPO · turn ratio and 2 more`. */
export function learnerTitle(config: Config): string {
  const { label } = publishedOf(config);
  const [first, ...others] = variations(config);
  if (!first) return label;
  return `${label} · ${settingWords(first.field, first.value)}${others.length > 0 ? spoken` and ${others.length} more` : ''}`;
}
