// The public link contract: ?preset=NAME&seed=N&backend=auto|webgpu|cpu&iterations=N&autostart=1, and any setting as
// section.field=value. A bad part never takes the page down: it is named, and the last good value stays.
import { ConfigError } from '../base/errors.ts';
import { describeFields, fieldAt, valueText } from '../config/describe.ts';
import type { BackendChoice } from '../config/names.ts';
import { difference, readFieldText } from '../config/parse.ts';
import type { Config } from '../config/schema.ts';
import { acceptValue, isPreset, knownPreset, withValues, type FieldValue } from './fieldValues.ts';

/** Short names of the settings that most links carry. */
const shortNames = new Map([
  ['seed', 'run.seed'],
  ['backend', 'run.backend'],
  ['iterations', 'run.iterations'],
]);
const shortNameOf = new Map([...shortNames].map(([short, path]) => [path, short]));

export interface LinkReading {
  preset: string;
  config: Config;
  /** Training starts without a click. */
  autostart: boolean;
  /** One for each part that could not be used, in the order of the link. */
  errors: ConfigError[];
}

/** What a link's query asks for; never throws. `search` may begin with a question mark. */
export function readLink(search: string): LinkReading {
  const errors: ConfigError[] = [];
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      errors.push(error);
      return undefined;
    }
  };

  let preset = 'default';
  let autostart = false;
  const values = new Map<string, FieldValue>();
  const seen = new Set<string>();
  for (const [key, text] of new URLSearchParams(search)) {
    const path = shortNames.get(key) ?? key;
    attempt(() => {
      if (seen.has(path)) throw new ConfigError(`${key}: expected once, got it again; the first one counts.`);
      seen.add(path);
      if (path === 'preset') {
        knownPreset(text);
        preset = text;
      } else if (path === 'autostart') autostart = readSwitch(text);
      else values.set(path, readValue(key, path, text));
    });
  }
  const base = knownPreset(preset);
  const config = attempt(() => withValues(base, values)) ?? base;
  return { preset, config, autostart, errors };
}

function readSwitch(text: string): boolean {
  if (text === '1' || text === 'true') return true;
  if (text === '0' || text === 'false') return false;
  throw new ConfigError(`autostart: expected 1 or 0, got ${JSON.stringify(text)}.`);
}

function readValue(key: string, path: string, text: string): FieldValue {
  const field = fieldAt(path);
  if (field) return acceptValue(field, readFieldText(field, text));
  const near = describeFields().find((other) => other.name.toLowerCase() === key.split('.').at(-1)?.toLowerCase());
  const hint = near ? ` Is ${near.path} meant?` : ' Settings are written section.field=value.';
  throw new ConfigError(`${JSON.stringify(key)}: expected a part of a link that this page knows, got this.${hint}`);
}

export interface LinkContent {
  preset: string;
  config: Config;
  /** The engine that was used; without it, the one that the settings ask for. */
  backend?: BackendChoice;
  autostart?: boolean;
}

/** The query of a link, `?` included: the preset, then only what differs from it; where it is gone, all from the default. */
export function writeLink({ preset: named, config, backend, autostart }: LinkContent): string {
  const preset = isPreset(named) ? named : 'default';
  const query = new URLSearchParams({ preset });
  const used = backend ? { ...config, run: { ...config.run, backend } } : config;
  for (const { field, value } of difference(used, knownPreset(preset))) {
    query.set(shortNameOf.get(field.path) ?? field.path, valueText(value));
  }
  if (autostart) query.set('autostart', '1');
  return `?${query}`;
}
