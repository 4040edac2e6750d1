// The measured gains of presets, which are shipped with the page in gallery.json.
import * as v from 'valibot';
import { FormatError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';

const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const gainsSchema = v.record(
  v.string(),
  v.object({
    /** Mean accuracy on held-out problems. */
    before: share,
    after: share,
    /** Mean processor time of a run in seconds. */
    seconds: v.pipe(v.number(), v.minValue(0)),
    seeds: v.pipe(v.number(), v.integer(), v.minValue(1)),
  }),
);
/** By the name of the preset. */
export type Gains = v.InferOutput<typeof gainsSchema>;

/** Reads the gains that ship with the page. Throws FormatError if their file is missing or invalid. */
export async function loadGains(): Promise<Gains> {
  const response = await fetch(new URL('gallery.json', document.baseURI)).catch(() => null);
  if (!response?.ok) throw new FormatError(spoken`the gains of the presets could not be loaded; reload the page.`);
  return readGains(await response.json());
}

export function readGains(json: unknown): Gains {
  const read = v.safeParse(gainsSchema, json);
  if (!read.success)
    throw new FormatError(spoken`gallery: ${v.getDotPath(read.issues[0]) ?? ''}: ${read.issues[0].message}`);
  return read.output;
}
