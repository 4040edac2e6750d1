// Writes the file of a visitor's own lesson. `readLesson` reads the same lesson from it.
import { stringify } from 'yaml';
import { difference } from '../config/parse.ts';
import { presetConfig } from '../config/presets.ts';
import type { Check, Lesson, LessonStep } from './lesson.ts';

/** The file of a lesson, as YAML. */
export function writeLesson({ minutes, language, preset, config, hides, steps, texts }: Lesson): string {
  const lesson = {
    minutes,
    ...(language !== undefined && { language }),
    run: { preset, ...sectionsOf(preset, config) },
    ...(hides.length > 0 && { hides }),
    steps: steps.map(plainStep),
    ...(texts && { texts: Object.fromEntries([...texts].filter(([, text]) => text !== '')) }),
  };
  return `# A lesson of Cothink. Open it on the page, under Lessons.\n${stringify(lesson, { lineWidth: 0, aliasDuplicateObjects: false })}`;
}

/** Settings that differ from the preset, by section. */
function sectionsOf(preset: string, config: Lesson['config']) {
  const sections: Record<string, Record<string, unknown>> = {};
  for (const { field, value } of difference(config, presetConfig(preset)))
    (sections[field.section] ??= {})[field.name] = value;
  return sections;
}

const plainStep = ({ sets, checks, ...step }: LessonStep) => ({
  ...step,
  ...(Object.keys(sets).length > 0 && { sets }),
  ...(checks.length > 0 && { checks: checks.map(plainCheck) }),
});

/** `kind` is left out, because the first field of a check determines its kind. */
function plainCheck({ kind: _, ...check }: Check) {
  return check;
}
