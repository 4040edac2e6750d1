// The facts that the page knows of a lesson before it is opened: each lies as `facts` in src/extensions/lessons/NAME/facts.ts.

/** Measures of health that a lesson may show at work; each is a card of src/ui/health/measures.ts. */
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
  /** Its place in the list, from 1. */
  number: number;
  title: string;
  aim: string;
  /** Cards of health that lead to it when they ask for a look. */
  shows?: readonly HealthMeasure[];
}
