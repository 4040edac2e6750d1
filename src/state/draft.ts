// Settings as they are typed: a draft may be impossible for a moment. The last possible settings are kept beside it,
// with the error, the field it concerns and, where the error names one, the setting that mends it.
import { ConfigError } from '../base/errors.ts';
import { expectation, fieldAt, type Field } from '../config/describe.ts';
import type { SettingValue } from '../config/field.ts';
import { parseConfig, readFieldText } from '../config/parse.ts';
import type { Config } from '../config/schema.ts';
import { shippedFor } from '../config/warmStarts.ts';

export interface Remedy {
  path: string;
  value: SettingValue;
  words: string;
}

export interface DraftError {
  /** The field that was edited last: where the error is shown. */
  at: string;
  /** The field the error names. */
  path: string;
  message: string;
  remedy: Remedy | null;
}

export interface Draft {
  /** As typed, possibly impossible. */
  values: Config;
  /** The last possible settings. */
  config: Config;
  error: DraftError | null;
}

/** A draft that agrees with its settings. */
export function draftOf(config: Config): Draft {
  return { values: config, config, error: null };
}

/** The draft after one field was edited. Never throws: what is wrong is in `error`. */
export function edited(draft: Draft, path: string, value: unknown): Draft {
  const [section, name] = path.split('.') as [keyof Config, string];
  const values = { ...draft.values, [section]: { ...draft.values[section], [name]: value } } as Config;
  try {
    const config = parseConfig(values);
    if (config.warmStart.source === 'shipped') shippedFor(config);
    return { values: config, config, error: null };
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return { values, config: draft.config, error: explained(path, thrown.message) };
  }
}

/** A refusal in the form the page shows it. */
export function explained(at: string, message: string): DraftError {
  const path = /^([a-zA-Z]+\.[a-zA-Z0-9]+):/.exec(message)?.[1] ?? at;
  const field = fieldAt(path);
  const isBound = field !== undefined && message.includes(`expected ${expectation(field)}`);
  const remedy = remedyIn(message);
  const bare = message.replace(/^[\w.]+: /, '');
  const text = isBound ? bare : `${field ? `${field.label}: ` : ''}${remedy ? bare.replace(/; use .*$/, '.') : bare}`;
  return { at, path, message: sentence(text), remedy };
}

function remedyIn(message: string): Remedy | null {
  const found = /use ([a-zA-Z]+\.[a-zA-Z0-9]+) = ([\w.]+?(?:,[\w.]+?)*)(?= or |[.;]?$)/.exec(message);
  const field = found?.[1] ? fieldAt(found[1]) : undefined;
  if (!field || !found?.[2]) return null;
  const value = readFieldText(field, found[2]);
  return { path: field.path, value, words: `Set ${field.label} to ${shownValue(field, found[2], value)}` };
}

/** A value as the form shows it: agents are counted from 1 there. */
function shownValue(field: Field, text: string, value: unknown): string {
  if (field.kind === 'choice') return field.labels[text] ?? text;
  if (!Array.isArray(value)) return text;
  return value.length === 0 ? 'nobody' : value.map((agent) => `agent ${Number(agent) + 1}`).join(', ');
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
