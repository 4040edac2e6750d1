// The facts of an analysis that the page and lessons read before its code is loaded. An analysis computes numbers about
// stored dialogues or checkpoints when a visitor requests them, and does not change any run. Its facts are in
// `extensions/analyses/NAME/facts.ts`; the code for its computation, its state and its panel is in the same folder.

/** A value in the result of an analysis that lessons can check. */
export interface LessonMeasure {
  /** Its name on the page. */
  label: string;
  /** The definition of the value, used in docs/lessons.md. */
  meaning: string;
  /** Whether the value stays the same until the analysis is run again. */
  isFinal?: true;
}

export interface AnalysisFacts {
  /** The name of its folder. */
  name: string;
  /** The position of the analysis in lists, lowest first. */
  order: number;
  /** The text of the heading or tab for the analysis on the page. */
  label: string;
  /**
   * The place of the analysis on the page: below the displayed dialogue, below an opened token, or in a tab of the
   * experiments.
   */
  place: 'dialogue' | 'token' | 'experiments';
  /** Present if lessons can point at the analysis, run it and check its result. */
  lesson?: {
    /** The name of the analysis in the list of places on the page. */
    label: string;
    /** The text of the button that runs the analysis. */
    button: string;
    /** The effect of the button, described for docs/lessons.md. */
    action: string;
    /** The values in the result, by name. */
    measures: Readonly<Record<string, LessonMeasure>>;
  };
}

/** The facts of all analyses, by name. Each is declared in its own folder. */
export interface AnalysisTable {}

export type AnalysisName = keyof AnalysisTable;
