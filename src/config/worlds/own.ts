// Worlds that a visitor has written or imported. The name of such a world is a hash of its content, so a name in the
// settings of a run always means the same world. Its form is plain data that was determined when the world was checked.
// Code that reads a world from the store registers the form here. From then on, the world is found by its name like a
// built-in one.
import * as v from 'valibot';
import { sha256 } from '../../base/sha256.ts';
import type { ProtocolName } from '../protocols/facts.ts';
import { protocolNames } from '../protocols/registry.ts';
import { toldSchema } from '../told.ts';
import { mostLevels, type WorldForm } from './form.ts';

export type OwnName = `own-${string}`;

/** Whether a name is that of a visitor's own world. */
export const isOwn = (name: unknown): name is OwnName => typeof name === 'string' && /^own-[0-9a-f]{16}$/.test(name);

export const ownNameSchema = v.custom<OwnName>(isOwn, 'the name of a world of your own');

/** The content of a world; `kind` determines its form. */
export const worldContentSchema = v.variant('kind', [
  /** The text of a JavaScript module, which runs in the sandbox. */
  v.object({ kind: v.literal('module'), source: v.string() }),
  /** A table of imported data in compressed form (tasks/custom/imported/table.ts). */
  v.object({ kind: v.literal('table'), packed: v.string() }),
]);
export type WorldContent = v.InferOutput<typeof worldContentSchema>;

export const ownNameOf = (content: WorldContent): OwnName => `own-${sha256(JSON.stringify(content)).slice(0, 16)}`;

/** The agents that see a hidden text by default. */
export const sight = v.picklist(['first', 'half', 'otherHalf', 'last', 'allButLast', 'all', 'nobody']);
const texts = v.record(v.string(), v.string());
const weight = v.pipe(v.number(), v.finite());

/** All facts about such a world except its content. */
export const ownFormSchema = v.object({
  name: ownNameSchema,
  label: v.string(),
  sentence: v.string(),
  levels: v.pipe(
    v.array(
      v.object({
        ...{ level: v.number(), label: v.string() },
        note: v.exactOptional(v.object({ label: v.string(), sentence: v.string() })),
      }),
    ),
    v.minLength(1),
    v.maxLength(mostLevels),
  ),
  hidden: v.array(
    v.object({
      ...{ name: v.string(), label: v.string(), sentence: v.string(), words: v.exactOptional(texts) },
      usual: v.exactOptional(v.record(v.picklist(protocolNames), sight)),
    }),
  ),
  slices: v.exactOptional(v.object({ label: v.string(), words: texts })),
  parts: v.array(
    v.object({
      ...{ name: v.string(), label: v.string(), sentence: v.string(), paidOn: v.string(), source: v.string() },
      ...{ weight, min: weight, max: weight, suggested: v.exactOptional(weight) },
      ...{ isBasic: v.exactOptional(v.boolean()), isOutcome: v.exactOptional(v.literal(true)) },
    }),
  ),
  protocols: v.exactOptional(v.array(v.picklist(protocolNames))),
  judges: v.exactOptional(v.array(v.picklist(protocolNames))),
  vocabularies: texts,
  told: v.exactOptional(toldSchema),
  tokens: v.exactOptional(v.number()),
  signs: v.exactOptional(texts),
  typed: v.exactOptional(v.object({ label: v.exactOptional(v.string()), hint: v.string() })),
  example: v.exactOptional(v.object({ shown: v.string(), hidden: texts, plan: v.string(), answer: v.string() })),
}) satisfies v.GenericSchema<unknown, WorldForm>;
export type OwnForm = v.InferOutput<typeof ownFormSchema>;

export const ownWorldSchema = v.object({ form: ownFormSchema, content: worldContentSchema });
/** A visitor's own world with everything that is needed to open it elsewhere. */
export type OwnWorld = v.InferOutput<typeof ownWorldSchema>;

/** The reason why a world cannot be used in its current form. */
export interface WorldFault {
  message: string;
  /** The line number in the world's text, starting at 1; null if it is unknown. */
  line: number | null;
}

/** A text from which a visitor can start to write a world. */
export interface WorldTemplate {
  label: string;
  protocols: readonly ProtocolName[];
  source: string;
}

const known = new Map<string, OwnForm>();

/** Registers worlds by their names. If a world is already registered, its label may have changed. */
export function introduce(...forms: readonly OwnForm[]): void {
  for (const form of forms) known.set(form.name, form);
}

/** The form of a registered world; undefined if it is not registered. */
export const ownForm = (name: string): OwnForm | undefined => known.get(name);
