// What a person gets who does what refusals say. Imported by tests only.
import { expect } from 'vitest';
import { ConfigError } from '../base/errors.ts';
import { fieldAt, type Field } from './describe.ts';
import { parseConfig, readFieldText } from './parse.ts';
import type { Config, ConfigInput } from './schema.ts';

export type Draft = Record<string, Record<string, unknown>>;

/** Refusals that may follow each other before somebody despairs. */
const patience = 12;

/** Drafts laid over each other, later ones on top. */
export function merged(...parts: readonly Draft[]): Draft {
  const out: Draft = {};
  for (const part of parts)
    for (const [section, fields] of Object.entries(part)) out[section] = { ...out[section], ...fields };
  return out;
}

/** The settings that a refusal asks for, the first of its alternatives. */
export function remedyIn(message: string): Draft {
  const [asked = ''] = message.slice(message.lastIndexOf('; use ') + 6).split(/,? or /);
  const found = [...asked.matchAll(/(\w+)\.(\w+) = ([^\s;]+)/g)].map(
    ([, section = '', name = '', word = '']): Draft => {
      const field = fieldAt(`${section}.${name}`);
      expect(field, message).toBeDefined();
      return { [section]: { [name]: readFieldText(field as Field, word.replace(/[.,]$/, '')) } };
    },
  );
  expect(found.length, message).toBeGreaterThan(0);
  return merged(...found);
}

/** Follows the first remedy of each refusal to a configuration that is none. Fails where they go round in a circle. */
export function followed(given: Draft): { config: Config; refusals: string[] } {
  const refusals: string[] = [];
  let wanted = given;
  while (refusals.length < patience) {
    try {
      return { config: parseConfig(wanted as ConfigInput), refusals };
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      const { message } = error as ConfigError;
      expect(message).toMatch(/^\w+\.\w+: .+; use \w+\.\w+ = /);
      refusals.push(message);
      wanted = merged(wanted, remedyIn(message));
    }
  }
  throw new Error(`no end of refusals:\n${refusals.join('\n')}\n${JSON.stringify(given)}`);
}
