// Saves a figure for print. It always uses the colours of the light theme, so that the same numbers give the same file.
// A PNG has twice the resolution.
import { FormatError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import { figureFile, type FigureDraft } from '../../../state/run/figures.ts';
import type { Sharing } from '../../../state/run/sharing.ts';
import { download } from '../../shell/download.ts';
import { createPalette, type ColourName } from '../palette.ts';

const pngScale = 2;

/** Throws FormatError if the browser cannot draw the figure, and StorageError if a run file cannot be written. */
export async function saveFigure(as: 'svg' | 'png', charted: FigureDraft, sharing: Sharing): Promise<void> {
  const probe = document.body.appendChild(document.createElement('span'));
  probe.className = 'paper';
  const palette = createPalette(probe);
  const paint = (colour: string) => palette.colour(colour as ColourName);
  const file = await figureFile(as, charted, { sharing, paint, asPng }).finally(() => probe.remove());
  const [only, ...others] = charted.runs;
  const name = [others.length === 0 && only ? only.name : 'cothink', charted.title].join('-');
  download(`${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.${as}`, file);
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
    if (!blob) throw new FormatError(spoken`figure: the browser did not draw it; save it as SVG.`);
    return new Uint8Array(await blob.arrayBuffer());
  } finally {
    URL.revokeObjectURL(address);
  }
}
