// The parts of the pages of learners and protocols about other settings: those that act, and those that are refused.
import { placesByKey } from '../../src/base/groups.ts';
import { describeFields, type Field } from '../../src/config/describe.ts';
import { canMatter } from '../../src/config/matters.ts';
import { parseShape, withSettings } from '../../src/config/parse.ts';
import type { ProtocolName } from '../../src/config/protocols/facts.ts';
import { refusalOf } from '../../src/config/refusals/table.ts';
import { valueAt, type Config, type SettingPath } from '../../src/config/schema.ts';
import { shippedForms } from '../../src/config/worlds/registry.ts';
import { protocolsFor } from '../../src/config/worlds/rules.ts';
import { code } from '../shared/table.ts';

/** The setting that chooses a learner or a protocol. */
type Chosen = Extract<SettingPath, 'learning.learner' | 'agents.protocol'>;

/** The settings that act under these settings because of what is chosen. */
export const actingBy = (chosen: Chosen, config: Config): Field[] =>
  describeFields().filter(
    (field) => field.matters?.some((condition) => chosen in condition) === true && canMatter(field, config),
  );

/** Settings with their labels. */
export const named = (fields: readonly Field[]): string =>
  fields.map(({ path, label }) => `${code(path)} (${label})`).join(', ');

/** The first world that supports a protocol. */
const worldFor = (protocol: ProtocolName) => shippedForms.find((form) => protocolsFor(form).includes(protocol));

/** The settings of a protocol in the first world that supports it. */
export const talkOf = (protocol: ProtocolName): Config =>
  parseShape({ world: { name: worldFor(protocol)?.name }, agents: { protocol } });

interface Trial {
  value: string | number | boolean;
  words: string;
}

/** Returns other values of a setting: all others of a choice; for a number, its neighbours and the smallest value. */
function trialsOf(field: Field, now: unknown): Trial[] {
  const equal = (value: Trial['value']) => ({ value, words: `=${String(value)}` });
  if (field.kind === 'choice') return field.names.filter((name) => name !== now).map(equal);
  if (field.kind === 'flag') return [equal(!now)];
  if (field.kind !== 'real' && field.kind !== 'whole') return [];
  const step = field.kind === 'whole' ? 1 : (field.max - field.min) / 1000;
  return [
    { value: Number(now) + step, words: ` above ${String(now)}` },
    { value: Number(now) - step, words: ` below ${String(now)}` },
    equal(field.min),
  ].filter(({ value }) => Number(value) >= field.min && Number(value) <= field.max);
}

/**
 * Returns why this value of a setting is refused with the chosen learner or protocol, or null if it is not refused. A
 * refusal is about the choice if another choice is one of its remedies.
 */
function reasonAgainst(chosen: Chosen, config: Config, path: string, value: Trial['value']): string | null {
  const world = path === 'agents.protocol' && worldFor(value as ProtocolName)?.name;
  const refusal = refusalOf(withSettings(config, { [path]: value, ...(world && { 'world.name': world }) }));
  return refusal?.remedies.some((remedy) => chosen in remedy) === true ? refusal.says : null;
}

/** Lists the settings in `fields` that are refused with the chosen learner or protocol, with the reasons. */
export function refusedList(chosen: Chosen, config: Config, fields: readonly Field[]): string {
  const refused = fields
    .filter(({ path }) => path !== chosen && path !== 'world.name')
    .flatMap((field) => {
      const now = String(valueAt(config, field.path));
      const trials = trialsOf(field, valueAt(config, field.path));
      const found = trials.flatMap(({ value, words }) => {
        const says = reasonAgainst(chosen, config, field.path, value);
        return says === null ? [] : [{ path: field.path, words, says }];
      });
      // If several numbers are refused, only the first is reported. If all other choices are refused, they share one entry.
      const isWhole = field.kind === 'choice' && found.length === trials.length && found.length > 1;
      if (isWhole) return found.slice(0, 1).map((one) => ({ ...one, words: ` other than ${now}` }));
      return field.kind === 'choice' ? found : found.slice(0, 1);
    });
  return [...placesByKey(refused.map(({ says }) => says))]
    .map(([says, places]) => {
      const settings = places.map((at) => code(`${refused[at]?.path}${refused[at]?.words}`));
      return `- This ${chosen === 'learning.learner' ? 'learner' : 'protocol'} cannot be combined with ${settings.join(', ')}: ${says}.`;
    })
    .join('\n');
}
