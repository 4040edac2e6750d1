// A setting changed in an open run. What a run began with stays, so a refusal must name what can still be done: where
// the usual remedy is a setting that can no longer change, the nearest value of the changed one stands in its place.
import { ConfigError } from '../base/errors.ts';
import { fieldAt, valueText, type Field } from './describe.ts';
import { readFieldText, valueAt, withSetting } from './parse.ts';
import type { Config } from './schema.ts';

/** `config` with one live field changed, checked as a whole. Throws ConfigError with a remedy for an open run. */
export function withLiveSetting(config: Config, path: string, value: unknown): Config {
  const field = fieldAt(path);
  if (field && !field.isLive) throw new ConfigError(`${path}: cannot change in an open run; start a new run with it.`);
  try {
    return withSetting(config, path, value);
  } catch (error) {
    if (!(error instanceof ConfigError) || !field || isLiveRemedy(config, error.message)) throw error;
    const [reason] = error.message.split('; use ') as [string];
    const nearest = valueText(nearestPossible(config, field, value));
    throw new ConfigError(
      `${path}: ${valueText(value)} does not go with what this run began with (${reason}); use ${path} = ${nearest}.`,
    );
  }
}

/** Whether everything that a refusal tells to use can be done in an open run; also where it tells nothing. */
function isLiveRemedy(config: Config, message: string): boolean {
  const [, ...remedies] = message.split('; use ');
  const named = [...remedies.join(' ').matchAll(/([a-zA-Z]+\.[a-zA-Z0-9]+) = ([\w.,-]*\w)/g)];
  return named.every(([, path = '', text = '']) => {
    const field = fieldAt(path);
    return field?.isLive === true && isPossible(config, path, readFieldText(field, text));
  });
}

/** The possible value next to the one asked for, on the way from what it is: of whole numbers; else what it is. */
function nearestPossible(config: Config, { kind, path }: Field, value: unknown): unknown {
  let possible = valueAt(config, path);
  if (kind !== 'whole') return possible;
  let refused = value as number;
  while (Math.abs(refused - (possible as number)) > 1) {
    const between = Math.round((refused + (possible as number)) / 2);
    if (isPossible(config, path, between)) possible = between;
    else refused = between;
  }
  return possible;
}

function isPossible(config: Config, path: string, value: unknown): boolean {
  try {
    withSetting(config, path, value);
    return true;
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}
