// The draft of the settings in the form. The draft contains the values that the visitor typed, which may be invalid,
// and the last valid settings. If the values are invalid, the draft also contains the error, the field in which the
// error is, and the changes of settings that fix the error.
import { ConfigError, type Refusal, type Settings } from '../../base/errors.ts';
import { refusalOf } from '../../config/refusals/table.ts';
import { fieldAt, hasParts, labelOf, placesWords, type Field } from '../../config/describe.ts';
import { withLiveSetting } from '../../config/liveChange.ts';
import { oneClickFor } from '../../config/refusals/oneClick.ts';
import { checkedSetting, difference, withSettings } from '../../config/parse.ts';
import type { WorldPlace } from '../../config/worlds/places.ts';
import type { Config } from '../../config/schema.ts';
import { formulaNameIn } from '../../config/sections/ownFormula.ts';
import { startRules } from '../../config/warmStarts.ts';
import { said, say } from '../visitor/language.svelte.ts';

export interface Remedy {
  settings: Settings;
  /** The text of the button. */
  words: string;
  /** Describes the settings that the button changes, one per line. */
  changes: readonly string[];
}

export interface DraftError {
  /** The field that was edited last, next to which the error is shown. */
  at: string;
  /** The field with the error. */
  path: string;
  message: string;
  remedy: Remedy | null;
}

export interface Draft {
  /** The values as the visitor typed them, which may be invalid. */
  values: Config;
  /** The last valid settings. */
  config: Config;
  error: DraftError | null;
}

/** A draft of valid settings, before any edit. */
export function draftOf(config: Config): Draft {
  return { values: config, config, error: null };
}

/** The draft after one field was edited. Never throws; if the value is invalid, `error` contains the reason. */
export const edited = (draft: Draft, path: string, value: unknown): Draft => withEdits(draft, path, { [path]: value });

/** The draft after several settings were edited; an error is shown next to one of these settings. */
export function withEdits(draft: Draft, at: string, settings: Readonly<Record<string, unknown>>): Draft {
  const values = withSettings(draft.values, settings as Settings);
  const asked = difference(values, draft.config).map(({ field, value }) => ({ path: field.path, value }));
  for (const { path, value } of asked) {
    const error = refusedBy(at, () => checkedSetting(path, value));
    if (error) return { ...draft, values, error };
  }
  const refusal = refusalOf(values, startRules);
  if (!refusal) return draftOf(values);
  const paths = asked.map(({ path }) => path);
  return { ...draft, values, error: refused(at, refusal, oneClickFor(values, paths, at, startRules)) };
}

/**
 * Checks a change of an open run in the same way as `edited` checks an edit. Returns the error, or null if the change
 * is possible.
 */
export const liveError = (config: Config, path: string, value: unknown): DraftError | null =>
  refusedBy(path, () => withLiveSetting(config, path, value));

/** Converts an error to the form in which the page shows it, with the settings that fix it. */
function refused(at: string, { path, says }: Refusal, settings?: Settings): DraftError {
  const label = path === at ? undefined : fieldAt(path)?.label;
  const words = label ? `${said(label)}: ${says}.` : `${says.charAt(0).toUpperCase()}${says.slice(1)}.`;
  return { at, path, message: words, remedy: remedyOf(settings) };
}

/**
 * The text of an error for a form with a single error message for all fields. The text therefore contains the name of
 * the field.
 */
export function namedRefusal({ message, refusal }: ConfigError): string {
  const label = refusal && fieldAt(refusal.path)?.label;
  return label ? `${said(label)}: ${refusal.says}.` : message;
}

/** Runs a check. If the check throws an error, returns this error with its first remedy; otherwise null. */
function refusedBy(at: string, check: () => unknown): DraftError | null {
  try {
    check();
    return null;
  } catch (error) {
    if (!(error instanceof ConfigError) || !error.refusal) throw error;
    return refused(at, error.refusal, error.refusal.remedies[0]);
  }
}

/** Converts settings to the form in which a button applies them; null if there are no settings. */
export function remedyOf(settings: Settings = {}): Remedy | null {
  const named = Object.entries(settings).flatMap(([path, value]) => {
    const field = fieldAt(path);
    return field ? [{ name: said(field.label), value: shownValue(field, value) }] : [];
  });
  const [first] = named;
  if (!first) return null;
  return {
    settings,
    words:
      named.length > 1
        ? say('Set these {count}', { count: named.length })
        : first.value
          ? say('Set {name} to {value}', { name: first.name, value: first.value })
          : say('Correct it'),
    changes: named.map(({ name, value }) => `${name}: ${value || say('corrected')}`),
  };
}

/**
 * The text of a value in the form. In the text of a set of agents, agents are counted from 1. The text is empty if the
 * value consists of several fields.
 */
function shownValue(field: Field, value: Settings[string]): string {
  if (field.kind === 'choice') return labelOf(field, String(value));
  if (typeof value === 'boolean') return value ? say('on') : say('off');
  if (field.kind === 'places') return placesWords(value as readonly WorldPlace[]);
  if (field.kind === 'formula') return formulaNameIn(String(value)) ?? say('none');
  if (hasParts(field)) return '';
  if (!Array.isArray(value)) return String(value);
  return value.length === 0
    ? say('nobody')
    : value.map((agent) => say('agent {number}', { number: Number(agent) + 1 })).join(', ');
}
