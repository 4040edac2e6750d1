// The facts about a lesson that the page needs before the lesson is opened. Each lesson exports them as `facts` in
// src/extensions/lessons/NAME/facts.ts.

/** Measures of health that a lesson may demonstrate. Each is a card in src/ui/health/measures.ts. */
export type HealthMeasure =
  | 'deadGroups'
  | 'smallUpdates'
  | 'bestKept'
  | 'messagesRead'
  | 'nobodyLazy'
  | 'recall'
  | 'steadyGradient'
  | 'paidIsTrue';

export interface LessonFacts {
  /** The position of the lesson in the list, counted from 1. */
  number: number;
  title: string;
  aim: string;
  /** The health cards that link to the lesson if their measure deserves attention. */
  shows?: readonly HealthMeasure[];
}
