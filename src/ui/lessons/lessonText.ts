// Provides the texts of a lesson, and descriptions of the lesson's checks, in the language of the page.
import { analysisMeasures, lessonPartOf } from '../../config/analyses/registry.ts';
import type { Bounds, Lesson } from '../../lessons/lesson.ts';
import type { Deed, LessonPlace } from '../../lessons/lessonForm.ts';
import { metricTable } from '../../records/metrics.ts';
import { said, say, type Language } from '../../state/visitor/language.svelte.ts';

/** A text of a lesson by its name, such as `title` or `STEP.look`. The text is empty if the lesson has no such text. */
export function lessonText({ number, texts }: Lesson, part: string): string {
  const text = texts?.get(part) ?? '';
  // A lesson that a visitor wrote has no number. Such a lesson is shown in the language in which it was written.
  return number === undefined ? text : said(text);
}

/** The default text of a button, by its action. */
export const deedWords = (deed: Deed): string => {
  const asked = lessonPartOf(deed);
  return asked ? said(asked.button) : say(`lesson.does.${deed}`);
};

/** A part of the page, by its name in the lesson's file. */
export const placeWords = (place: LessonPlace): string => {
  const asked = lessonPartOf(place);
  return asked ? said(asked.label) : say(`teach.place.${place}`);
};

/**
 * The name of the measure that a check uses. For a metric of one role, this is the label of the metric with the name of
 * the role.
 */
export function measureWords(name: string, language: Language): string {
  const ofAnalysis = analysisMeasures[name];
  if (ofAnalysis) return said(ofAnalysis.label);
  const message = `measure.${name}`;
  if (language.has(message)) return language.say(message);
  const metric = metricTable.find((one) => name === one.name || name.startsWith(`${one.name}/`));
  return metric ? said(metric.label) + name.slice(metric.name.length).replace('/', ', ') : name;
}

/**
 * How the value of a measure is shown: as a number out of a hundred (`share`), as a count, as yes or no (`flag`), or
 * otherwise as a plain number.
 */
const kinds: Readonly<Record<string, 'share' | 'count' | 'flag'>> = {
  ...{ accuracy: 'share', gain: 'share', beyond: 'share', influence: 'share', forkGain: 'share' },
  ...{ iteration: 'count', wentBack: 'count', changes: 'count', forks: 'count' },
  ...{ clipped: 'flag', forkIsSure: 'flag', beginsAtEnd: 'flag', model: 'flag' },
};
export const kindOf = (measure: string): 'share' | 'count' | 'flag' | 'number' => kinds[measure] ?? 'number';

/** Rounds a value. A share becomes a number out of a hundred, and any other value is rounded to two decimal places. */
export const inHundreds = (measure: string, value: number): number =>
  kindOf(measure) === 'share' ? Math.round(value * 100) : Math.round(value * 100) / 100;

/** The requirement of a check in words, for example `Right answers: more than 80 of 100.` */
export function soughtWords(measure: string, { above, below }: Bounds, language: Language): string {
  const what = measureWords(measure, language);
  const bound = above ?? below ?? 0;
  const isAbove = above !== undefined;
  switch (kindOf(measure)) {
    case 'share':
      return language.say(isAbove ? 'check.shareAbove' : 'check.shareBelow', {
        what,
        bound: inHundreds(measure, bound),
      });
    case 'count':
      return language.say(isAbove ? 'check.countAbove' : 'check.countBelow', {
        what,
        bound: isAbove ? Math.floor(bound) + 1 : Math.ceil(bound) - 1,
      });
    case 'flag':
      return language.say(isAbove ? 'check.isSo' : 'check.isNotSo', { what });
    case 'number':
      return language.say(isAbove ? 'check.above' : 'check.below', { what, bound });
  }
}
