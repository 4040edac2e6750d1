// Saves a figure of the page as a file for print. The file contains the drawing and its data, with the run files of the
// displayed runs. The file always has the colours of the light theme, so that the same numbers give the same file. A
// PNG has two pixels for each pixel of the drawing in both directions.
import { FormatError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import type { RunRecord } from '../../../records/stored/checkpoint.ts';
import type { Sharing } from '../../../state/run/sharing.ts';
import { download } from '../../shell/download.ts';
import { figureJson, figureKeyword, figureSvg, type ShownFigure } from './figure.ts';
import { pngWithText } from './pngText.ts';

const pngScale = 2;

/**
 * Saves the figure. Throws FormatError if the browser cannot draw the figure, and StorageError if a run file cannot be
 * written.
 */
export async function saveFigure(
  as: 'svg' | 'png',
  shown: ShownFigure,
  { runs, sharing }: { runs: readonly RunRecord[]; sharing: Sharing },
): Promise<void> {
  const files = runs.map(async (run) => ({ name: run.name, runFile: await sharing.runFile(run) }));
  const [only, ...others] = runs;
  const under = others.length === 0 && only ? only.name : undefined;
  const figure = { ...shown, ...(under !== undefined && { under }), runs: await Promise.all(files) };
  const svg = figureSvg(figure, paperColour);
  const file =
    as === 'svg'
      ? new Blob([svg], { type: 'image/svg+xml' })
      : new Blob([pngWithText(await asPng(svg), figureKeyword, figureJson(figure))], { type: 'image/png' });
  const name = [under ?? 'cothink', figure.title].join('-');
  download(`${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.${as}`, file);
}

/**
 * The value of a colour in the light theme. A file contains colour values, because it cannot refer to the theme of the
 * page.
 */
export function paperColour(name: string): string {
  const probe = document.body.appendChild(document.createElement('span'));
  probe.className = 'paper';
  probe.style.color = `var(--${name})`;
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

async function asPng(svg: string): Promise<Uint8Array> {
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [pngScale * image.width, pngScale * image.height];
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (!blob) throw new FormatError(spoken`the figure could not be drawn as PNG; save the figure as SVG.`);
    return new Uint8Array(await blob.arrayBuffer());
  } finally {
    URL.revokeObjectURL(address);
  }
}
