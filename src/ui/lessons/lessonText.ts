// The texts of a lesson and the words for its checks, as the page displays them.
import { analysisMeasures, lessonPartOf } from '../../config/analyses/registry.ts';
import type { Bounds, Lesson } from '../../lessons/lesson.ts';
import type { Deed, LessonPlace } from '../../lessons/lessonForm.ts';
import { metricTable } from '../../records/metrics.ts';
import { said, say, type Language } from '../../state/visitor/language.svelte.ts';

/** A text of a lesson by its name, such as `title` or `STEP.look`. The text is empty if the lesson has no such text. */
export function lessonText({ number, texts }: Lesson, part: string): string {
  const text = texts?.get(part) ?? '';
  // The lesson of a visitor is shown in the language in which it was written.
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
 * The subject of a check, in words. For a metric of one role, the subject consists of the metric and the name of the
 * role.
 */
export function measureWords(name: string, language: Language): string {
  const ofAnalysis = analysisMeasures[name];
  if (ofAnalysis) return said(ofAnalysis.label);
  const message = `measure.${name}`;
  if (language.has(message)) return language.say(message);
  const metric = metricTable.find((one) => name === one.name || name.startsWith(`${one.name}/`));
  return metric ? said(metric.label) + name.slice(metric.name.length).replace('/', ', ') : name;
}

/** The format of a measure. The format is a number out of a hundred, a count, a yes or no, or a plain number. */
const kinds: Readonly<Record<string, 'share' | 'count' | 'flag'>> = {
  ...{ accuracy: 'share', gain: 'share', beyond: 'share', influence: 'share', forkGain: 'share' },
  ...{ iteration: 'count', wentBack: 'count', changes: 'count', forks: 'count' },
  ...{ clipped: 'flag', forkIsSure: 'flag', beginsAtEnd: 'flag' },
};
export const kindOf = (measure: string): 'share' | 'count' | 'flag' | 'number' => kinds[measure] ?? 'number';

/** The rounded value. A share becomes a number out of a hundred, any other value a number with two decimal places. */
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
