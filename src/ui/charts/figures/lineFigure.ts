// A chart's curves as a figure. The data have a row for each position on the x axis, and columns for each curve and the
// ends of its interval.
import type { RunRecord } from '../../../records/stored/checkpoint.ts';
import type { FigureDraft, FigureLine } from '../../../state/run/figures.ts';
import type { RunMark } from '../../../state/trainer/runView.ts';
import { say } from '../../../state/visitor/language.svelte.ts';
import { grouped } from '../../words.ts';
import type { ChartLine } from '../chartLine.ts';
import { xRange, yRange, type PlotState } from '../plot.ts';

export interface FigureAbout {
  title: string;
  /** The label of the y axis, if it differs from the title. */
  y?: string;
  unit?: string;
  formula?: string;
  source?: string;
  /** The x axis, with the name of its data column and its label; iterations if absent. */
  x?: { column: string; label: string };
  /** The displayed runs; if absent, the open run. */
  runs?: readonly RunRecord[];
}

interface Beside {
  summary: string;
  marks: readonly RunMark[];
  /** The open run. */
  run: RunRecord | null;
}

/** Makes the figure from the rows that the chart draws; for a long run there is one row per stretch. */
export function lineFigure(state: PlotState, about: FigureAbout, { summary, marks, run }: Beside): FigureDraft {
  const { title, y = title, x = { column: 'iteration', label: say('iteration') }, ...notes } = about;
  const runs = about.runs ?? (run ? [run] : []);
  const columns = [x.column];
  const values: (readonly (number | null)[])[] = [state.iterations];
  const take = (wanted: string, of: readonly (number | null)[]) => {
    let name = wanted;
    for (let number = 2; columns.includes(name); number++) name = `${wanted} ${number}`;
    columns.push(name);
    values.push(of);
    return name;
  };
  const lines = state.lines.map((line: ChartLine): FigureLine => {
    const { label, colour, width, dash, hasPoints, low, high } = line;
    const column = take(line.column ?? (label || title), line.values);
    const interval = low && high && { low: take(`${column} low`, low), high: take(`${column} high`, high) };
    const look = { ...(width !== undefined && { width }), ...(dash && { dash }), ...(hasPoints && { hasPoints }) };
    return { kind: 'line', label, colour, x: x.column, y: column, ...interval, ...look };
  });
  return {
    ...{ title, summary, runs, marks: lines, levels: state.levels, height: 250 },
    ...(runs.length === 1 && { under: runs[0]?.name ?? '' }),
    ...(notes.formula !== undefined && { formula: notes.formula }),
    ...(notes.source !== undefined && { source: notes.source }),
    x: { label: x.label, range: xRange(state), write: grouped, isWhole: true },
    y: { label: y, range: yRange(state), write: state.write, ...(notes.unit !== undefined && { unit: notes.unit }) },
    events: marks.map(({ iteration, words, isParting = false }) => ({ at: iteration, words, isParting })),
    table: { columns, rows: state.iterations.map((_, i) => values.map((of) => of[i] ?? null)) },
  };
}
