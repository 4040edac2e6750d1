// Random but valid settings for property tests; imported by tests only.
import fc from 'fast-check';
import { refusalOf } from '../refusals/table.ts';
import { describeFields, type Field } from '../describe.ts';
import type { SettingValue } from '../field.ts';
import { mostAgents } from '../names.ts';
import { formulaTexts } from './ownFormulas.ts';
import { ownProtocols } from './ownProtocols.ts';
import { parseConfig, withSettings } from '../parse.ts';
import { presets } from '../presets.ts';
import type { Config } from '../schema.ts';
import { startRules } from '../warmStarts.ts';
import { mostLevels } from '../worlds/form.ts';
import { worldNames } from '../worlds/registry.ts';

/** Any value that a field accepts. */
export function fieldValue(field: Field): fc.Arbitrary<SettingValue> {
  if (field.kind === 'flag') return fc.boolean();
  if (field.kind === 'choice') return fc.constantFrom(...field.names);
  if (field.kind === 'agentSet') return fc.subarray(Array.from({ length: mostAgents }, (_, agent) => agent));
  if (field.kind === 'places') {
    const level = fc.integer({ min: 1, max: mostLevels });
    const weight = fc.double({ min: 0.05, max: 20, noNaN: true });
    return fc.array(fc.record({ name: fc.constantFrom(...worldNames), level, weight }, { noNullPrototype: true }), {
      maxLength: 3,
    });
  }
  if (field.kind === 'protocol') return ownProtocols([]);
  if (field.kind === 'formula') return fc.constantFrom(...formulaTexts);
  if (field.kind === 'weights')
    return fc.dictionary(fc.stringMatching(/^[a-z]\w*$/), fc.constantFrom(0, 0.25, 2), { noNullPrototype: true });
  if (field.kind === 'texts')
    return fc.dictionary(fc.stringMatching(/^[a-z]\w*$/), fc.string({ maxLength: 40 }), { noNullPrototype: true });
  if (field.kind === 'whole') return fc.integer({ min: field.min, max: field.max });
  return fc.double({ min: field.min, max: field.max, noNaN: true }).map((x) => x + 0);
}

/** The name of a random preset. */
export const presetNames = fc.constantFrom(...(Object.keys(presets) as (keyof typeof presets)[]));

/** The settings, changed so that the warm start is trained if none is shipped for them. */
const startable = (config: Config) =>
  refusalOf(config, startRules) ? withSettings(config, { 'warmStart.source': 'train' }) : config;

/** Random valid configurations, which differ from the defaults in up to eight fields. */
export const configs: fc.Arbitrary<Config> = fc
  .subarray(describeFields(), { maxLength: 8 })
  .chain((fields) => fc.tuple(fc.constant(fields), fc.tuple(...fields.map(fieldValue))))
  .map(([fields, values]) => {
    const config = structuredClone(parseConfig({})) as Record<string, Record<string, unknown>>;
    fields.forEach((field, i) => ((config[field.section] ??= {})[field.name] = values[i]));
    return config;
  })
  .filter((config) => refusalOf(config as unknown as Config) === null)
  .map((config) => startable(parseConfig(config)));
