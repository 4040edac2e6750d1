// Reads and writes world files: a world of the visitor's own as JSON, with its label and its content. The settings of a
// run can refer to the world once it is open.
import * as v from 'valibot';
import { FormatError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { worldContentSchema, type OwnWorld, type WorldContent } from '../config/worlds/own.ts';

const schema = v.object({ format: v.literal(1), label: v.string(), content: worldContentSchema });

export const writeWorldFile = ({ form: { label }, content }: OwnWorld): string =>
  JSON.stringify({ format: 1, label, content });

/** Throws FormatError if the text is not that of a world file. The content is checked when the world is opened. */
export function readWorldFile(text: string): { label: string; content: WorldContent } {
  try {
    const read = v.safeParse(schema, JSON.parse(text));
    if (read.success) return read.output;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new FormatError(spoken`this is not a world file; make one with cothink import or cothink export --as world.`);
}
