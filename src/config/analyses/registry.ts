// All analyses, found by their folders.
import type { AnalysisFacts, AnalysisName, LessonMeasure } from './facts.ts';

/** The facts of all analyses, sorted by `order`. */
export const analyses = Object.values(
  import.meta.glob<AnalysisFacts>('../../extensions/analyses/*/facts.ts', { eager: true, import: 'facts' }),
).sort((one, other) => one.order - other.order) as readonly (AnalysisFacts & { name: AnalysisName })[];

/** The analyses at one place of the page. */
export const analysesAt = (place: AnalysisFacts['place']) => analyses.filter((one) => one.place === place);

/** The part of an analysis's facts that lessons use; undefined if no analysis with this name can be used in lessons. */
export const lessonPartOf = (name: string) => analyses.find((one) => one.name === name)?.lesson;

/** The analyses that lessons can run, by name. */
export const askedInLessons = analyses.flatMap(({ name, lesson }) => (lesson ? [name] : []));

/** The values that lessons can check, by name, each with the name of its analysis. */
export const analysisMeasures: Readonly<Record<string, LessonMeasure & { analysis: AnalysisName }>> =
  Object.fromEntries(
    analyses.flatMap(({ name, lesson }) =>
      Object.entries(lesson?.measures ?? {}).map(([measure, facts]) => [measure, { ...facts, analysis: name }]),
    ),
  );
