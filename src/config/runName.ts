// Memorable names of runs. The name is derived from the settings, so two people who open the same link see the same
// animal, and runs with different settings usually have different animals. Differences of a run from the default are
// shown next to its name, for example “calm-otter · turn ratio”.
import { bits } from '../base/random.ts';
import { inTongue, spoken } from '../base/spoken.ts';
import type { Settings } from '../base/errors.ts';
import { difference, isSameValue } from './parse.ts';
import { changeWords, describeFields, labelOf, settingWords, valueText, type Field } from './describe.ts';
import type { Changed, ForkMode, ForkChoice } from './fork.ts';
import { isPreset, presetConfig, presets } from './presets.ts';
import { learnerTitle, publishedForm, publishedOf } from './recipe.ts';
import { type Config, valueAt } from './schema.ts';

const manners = (
  'calm patient curious gentle bright quiet steady brave nimble kind clever merry candid tidy eager humble witty ' +
  'sunny silver amber mossy lucid swift warm early level plain ready keen mild round sound'
).split(' ');
const animals = (
  'otter heron badger wren hare marten finch seal lynx newt robin stoat swift tern vole ibis crane dormouse egret ' +
  'falcon gecko hedgehog jackdaw kestrel lapwing mole nuthatch osprey plover raven siskin toad'
).split(' ');

/**
 * Settings that affect only which device computes a run, how long the run is trained and how often it is measured or
 * stored. They do not change the name of the run.
 */
const unnamed = new Set(['run.backend', 'run.iterations', 'run.checkpointEvery', 'evaluation.every']);
/**
 * Settings that are not described in words. One of them is the seed, because the animal in the name already depends on
 * the seed.
 */
const unsaid = new Set([...unnamed, 'run.seed']);

/**
 * A number that is added to the hash of names. With this number, all presets have different names among the 1,024
 * possible names.
 */
const salt = 2;

/**
 * A name such as `calm-otter`, derived from the settings, so that equal settings have equal names. The name of the
 * default preset is `calm-otter`.
 */
export function runName(config: Config): string {
  const changed = difference(config, presetConfig('default')).filter(({ field }) => !unnamed.has(field.path));
  let word = 0;
  for (const { field, value } of changed)
    for (const letter of `${field.path}=${valueText(value)};`) word = bits(word, letter.codePointAt(0) ?? 0, salt, 0);
  return `${manners[word & 31]}-${animals[(word >>> 5) & 31]}`;
}

/** The name as part of a file name: characters that file names must not contain are replaced. */
export const fileNameOf = (name: string): string =>
  name.replaceAll(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\\/:*?"<>|]+|^\.+/gu, '-');

/**
 * A name that describes the settings of a run: its preset, and up to three settings in which it differs from the
 * preset.
 */
export function presetWords(preset: string, config: Config): string {
  const [label, base] = isPreset(preset) ? [inTongue(presets[preset].label), preset] : [preset, 'default' as const];
  return [label, runDifference(config, presetConfig(base), 3)].filter(Boolean).join(' · ');
}

/**
 * The name of a fork, such as `calm-otter · separate weights`, or of an arm of an experiment, such as `calm-otter ·
 * token ratio`.
 */
export const forkName = (parent: string, { mode, settings = [] }: ForkChoice): string =>
  `${parent} · ${mode === 'settings' ? changedWords(settings) : forkWords[mode]()}`;
/** The changes of an arm of an experiment, in words. */
export const changedWords = (settings: readonly Changed[]): string =>
  settings.flatMap(({ path, value }) => (unnamed.has(path) ? [] : changeWords(path, value))).join(', ') ||
  spoken`unchanged`;
const forkWords: Record<ForkMode, () => string> = {
  separate: () => spoken`separate weights`,
  lora: () => spoken`adapters`,
  loraByTurn: () => spoken`adapters by turn`,
};

/** `name`, or the first of `name 2`, `name 3`, … that is not taken. */
export function uniqueName(name: string, taken: ReadonlySet<string>): string {
  let unique = name;
  for (let number = 2; taken.has(unique); number++) unique = `${name} ${number}`;
  return unique;
}

/**
 * The differences of `config` from `base` (by default, the default preset) in words, with at most `most` settings;
 * empty if there are none. If the learner differs, its title is shown instead of all settings of its published form.
 */
export function runDifference(config: Config, base: Config = presetConfig('default'), most = 2): string {
  const { learner } = config.learning;
  const isOther = learner !== base.learning.learner;
  const form: Settings = isOther ? publishedForm(learner, base) : {};
  const isTold = (path: string, value: unknown) =>
    unsaid.has(path) || (isOther && path in publishedOf(config).published) || isSameValue(value, form[path]);
  const changed = difference(config, base).filter(({ field, value }) => !isTold(field.path, value));
  const words = changed.map(({ field, value }) => settingWords(field, value));
  return atMost(most, isOther ? [learnerTitle(config), ...words] : words);
}

const atMost = (most: number, words: readonly string[]): string =>
  [...words.slice(0, most), ...(words.length > most ? [spoken`${words.length - most} more`] : [])].join(', ');

/**
 * The fields whose values are not the same in all of these configurations, in the order of the form, except that the
 * learner is first. The seed and the length of the run are never included.
 */
export function fieldsThatDiffer(configs: readonly Config[]): Field[] {
  const [first] = configs;
  const fields = describeFields().filter(
    ({ path }) =>
      !unsaid.has(path) &&
      configs.some((config) => !isSameValue(valueAt(config, path), valueAt(first as Config, path))),
  );
  return fields.toSorted((a, b) => Number(b.path === 'learning.learner') - Number(a.path === 'learning.learner'));
}

/**
 * For each of these configurations, a description of its differences from the others with at most two settings; empty
 * if there is no difference.
 */
export function namesByDifference(configs: readonly Config[]): string[] {
  const fields = fieldsThatDiffer(configs);
  return configs.map((config) => {
    const words = fields.map((field) =>
      field.kind === 'choice' && field.path === 'learning.learner'
        ? (labelOf(field, config.learning.learner).split(' · ')[0] as string)
        : settingWords(field, valueAt(config, field.path)),
    );
    return atMost(2, words);
  });
}
