// The type of the facts about a lesson that the page needs before the lesson is opened. Each lesson exports its facts
// as `facts` in src/extensions/lessons/NAME/facts.ts.

/**
 * The measures of a run's health that a lesson may explain. Each measure is shown as a card, which is defined in
 * src/ui/health/measures.ts.
 */
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
  /** The health measures whose cards link to this lesson if the value of the measure shows a possible problem. */
  shows?: readonly HealthMeasure[];
  /** True if the agents of the lesson are a language model, which the visitor opens from a file. */
  needsModel?: true;
}
