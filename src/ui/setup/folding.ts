// The settings that the form shows: settings that can have an effect, settings that were changed although they have no
// effect, and settings that caused an error. All other settings of a group are folded: they are replaced by one line,
// which shows on which settings the hidden settings depend.
import { describeFields, fieldAt, type Field } from '../../config/describe.ts';
import { canMatter, isIdle, obstacles } from '../../config/matters.ts';
import type { Config, SectionName } from '../../config/schema.ts';
import { worldForms } from '../../config/worlds/registry.ts';
import { say } from '../../state/visitor/language.svelte.ts';

export interface FieldGroup {
  /** The heading of the group; empty for settings without a heading. */
  label: string;
  fields: Field[];
}

/**
 * Whether the form shows a section. A section of a world is shown if the run uses this world, or if a setting of the
 * section was changed.
 */
export function isOfRun(section: SectionName, values: Config, touched = ''): boolean {
  const fields = describeFields().filter((field) => field.section === section);
  return !Object.hasOwn(worldForms, section) || foldedOf(fields, values, [touched]).length < fields.length;
}

/** Groups fields by heading, in the order in which the headings first occur. */
export function groupsOf(fields: readonly Field[]): FieldGroup[] {
  const groups = new Map<string, Field[]>();
  for (const field of fields) groups.set(field.group ?? '', [...(groups.get(field.group ?? '') ?? []), field]);
  return [...groups].map(([label, own]) => ({ label, fields: own }));
}

/**
 * The fields that are folded for these settings. `held` contains the paths of fields that are always shown: a field
 * that caused an error, and the field that was edited last, because its row must not disappear during editing.
 */
export function foldedOf(
  fields: readonly Field[],
  values: Config,
  held: readonly (string | undefined)[] = [],
): Field[] {
  return fields.filter((field) => !canMatter(field, values) && !isIdle(field, values) && !held.includes(field.path));
}

const belongings: Record<string, string> = {
  get 'learning.learner'() {
    return say('only to other learners');
  },
  get 'agents.protocol'() {
    return say('only to other protocols');
  },
  get 'agents.parameters'() {
    return say('only to other parameters');
  },
};

/**
 * A text with the settings on which the folded settings depend. The page shows the text after the number of folded
 * settings.
 */
export function belongingWords(folded: readonly Field[], values: Config): string {
  const causes = new Set(folded.flatMap((field) => causesOf(field, values)));
  const [only = ''] = causes;
  const belonging = causes.size === 1 ? belongings[only] : undefined;
  if (belonging === undefined) return say('without effect now');
  return say('{count, plural, one {applies} other {apply}} {belonging}', { count: folded.length, belonging });
}

/**
 * The settings because of which a field has no effect now. If such a setting has no effect itself, the list contains
 * the settings that cause this instead.
 */
function causesOf(field: Field, values: Config): string[] {
  return obstacles(field, values).flatMap((path) => {
    const obstacle = fieldAt(path);
    return obstacle && !canMatter(obstacle, values) ? causesOf(obstacle, values) : [path];
  });
}
