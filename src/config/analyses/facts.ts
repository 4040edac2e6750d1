// The facts of an analysis that the page and lessons read before its code is loaded. An analysis computes numbers about
// stored dialogues or checkpoints when a visitor requests them, and does not change any run. It declares its facts in
// `extensions/analyses/NAME/facts.ts`; its computation, its state and its panel are next to them.

/** A value of the displayed result that lessons can check. */
export interface LessonMeasure {
  /** Its name on the page. */
  label: string;
  /** The definition of the value, for docs/lessons.md. */
  meaning: string;
  /** Whether the value stays the same until the analysis is run again. */
  isFinal?: true;
}

export interface AnalysisFacts {
  /** The name of its folder. */
  name: string;
  /** Its position in lists, lowest first. */
  order: number;
  /** The heading or the tab on the page. */
  label: string;
  /** Its place on the page: below the displayed dialogue, below an opened token, or a tab of the experiments. */
  place: 'dialogue' | 'token' | 'experiments';
  /** Set if lessons can point at the analysis, run it and check its result. */
  lesson?: {
    /** The name of the analysis in the list of places on the page. */
    label: string;
    /** The text of the button that runs the analysis. */
    button: string;
    /** Describes what the button does, for docs/lessons.md. */
    action: string;
    /** By name. */
    measures: Readonly<Record<string, LessonMeasure>>;
  };
}

/** The facts of all analyses, by name. Each is declared in its own folder. */
export interface AnalysisTable {}

export type AnalysisName = keyof AnalysisTable;
