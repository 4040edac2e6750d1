// A figure of the page as a file: the drawing and its data, with the run files of the displayed runs. This code is
// loaded when the visitor saves a figure.
import { figureJson, figureKeyword, figureSvg, type Figure } from '../../formats/numbers/figure.ts';
import { pngWithText } from '../../formats/numbers/pngText.ts';
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import type { Sharing } from './sharing.ts';

export type { FigureLine } from '../../formats/numbers/drawing.ts';

/** A figure whose run files have not been written yet. */
export interface FigureDraft extends Omit<Figure, 'runs'> {
  runs: readonly RunRecord[];
}

interface Drawn {
  sharing: Pick<Sharing, 'runFile'>;
  /** A colour of the theme, in SVG notation. */
  paint: (colour: string) => string;
  /** Converts an SVG to a PNG. */
  asPng: (svg: string) => Promise<Uint8Array>;
}

/** The figure as a file. Throws StorageError if a world that a run file contains cannot be read. */
export async function figureFile(
  as: 'svg' | 'png',
  { runs, ...charted }: FigureDraft,
  { sharing, paint, asPng }: Drawn,
): Promise<Blob> {
  const files = runs.map(async (run) => ({ name: run.name, runFile: await sharing.runFile(run) }));
  const figure = { ...charted, runs: await Promise.all(files) };
  const svg = figureSvg(figure, paint);
  if (as === 'svg') return new Blob([svg], { type: 'image/svg+xml' });
  return new Blob([pngWithText(await asPng(svg), figureKeyword, figureJson(figure))], { type: 'image/png' });
}
