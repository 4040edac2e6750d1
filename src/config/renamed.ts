// Settings that had another name in earlier versions: files, links and stored runs that carry the old one are read as if
// they carried the new one.
import { describeFields } from './describe.ts';

let present: Map<string, string> | undefined;

/** The path of a setting today, by any path it has had. */
export function presentPath(path: string): string {
  present ??= new Map(describeFields().flatMap((field) => (field.formerly ? [[field.formerly, field.path]] : [])));
  return present.get(path) ?? path;
}

/** What a reader is told of a setting that carries a former name. */
export const renamedNote = (was: string, path: string) => `${was} was read as ${path}, which is its name today.`;

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Settings by section under their present names; what is no such record stays as it is. */
export function presentSettings(settings: unknown): unknown {
  if (!isFields(settings)) return settings;
  const renamed: Fields = {};
  for (const [section, fields] of Object.entries(settings)) {
    if (!isFields(fields)) {
      renamed[section] = fields;
      continue;
    }
    renamed[section] ??= {};
    for (const [name, value] of Object.entries(fields)) {
      const [to = '', as = ''] = presentPath(`${section}.${name}`).split('.');
      ((renamed[to] ??= {}) as Fields)[as] = value;
    }
  }
  return renamed;
}

/** Changes of settings under their present names. */
export function presentChanges(changes: unknown): unknown {
  if (!Array.isArray(changes)) return changes;
  return changes.map((change: unknown) =>
    isFields(change) && typeof change['path'] === 'string' ? { ...change, path: presentPath(change['path']) } : change,
  );
}
