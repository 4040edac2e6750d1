// Which settings the form shows: what can matter, what was changed though it cannot, and what an error speaks of. The
// others of a group are folded behind one line that says what they belong to.
import { describeFields, fieldAt, type Field } from '../../config/describe.ts';
import { canMatter, isIdle, obstacles } from '../../config/matters.ts';
import type { Config, SectionName } from '../../config/schema.ts';
import { worldForms } from '../../config/worlds/registry.ts';
import { say } from '../../state/visitor/language.svelte.ts';

export interface FieldGroup {
  /** Heading; empty for settings without one. */
  label: string;
  fields: Field[];
}

/** Whether a section stands on the form: that of a world does where the run has it, or where something of it was changed. */
export function isOfRun(section: SectionName, values: Config, touched = ''): boolean {
  const fields = describeFields().filter((field) => field.section === section);
  return !Object.hasOwn(worldForms, section) || foldedOf(fields, values, [touched]).length < fields.length;
}

/** The groups of some fields, in the order in which their first fields stand. */
export function groupsOf(fields: readonly Field[]): FieldGroup[] {
  const groups = new Map<string, Field[]>();
  for (const field of fields) groups.set(field.group ?? '', [...(groups.get(field.group ?? '') ?? []), field]);
  return [...groups].map(([label, own]) => ({ label, fields: own }));
}

/**
 * The fields that are folded away among these settings. `held`: paths that stay whatever they are worth: what an error
 * speaks of, and what was edited last, as a row does not vanish under somebody's hand.
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

/** The owners of folded settings, as words after their number. */
export function belongingWords(folded: readonly Field[], values: Config): string {
  const causes = new Set(folded.flatMap((field) => causesOf(field, values)));
  const [only = ''] = causes;
  const belonging = causes.size === 1 ? belongings[only] : undefined;
  if (belonging === undefined) return say('without effect now');
  return say('{count, plural, one {applies} other {apply}} {belonging}', { count: folded.length, belonging });
}

/**
 * The settings that keep a field from mattering; where one of them cannot matter either, those that keep it from that.
 */
function causesOf(field: Field, values: Config): string[] {
  return obstacles(field, values).flatMap((path) => {
    const obstacle = fieldAt(path);
    return obstacle && !canMatter(obstacle, values) ? causesOf(obstacle, values) : [path];
  });
}
