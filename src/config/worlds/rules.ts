// Refuses settings that do not exist in the chosen world but in another one: a level, a vocabulary, a reward part, or
// an additional world with another vocabulary. If there were only one world, these rules would not be needed.
import type { Refusal } from '../../base/errors.ts';
import { inTongue, spoken } from '../../base/spoken.ts';
import { quoted } from '../../base/quote.ts';
import type { ProtocolName } from '../protocols/facts.ts';
import { protocolsWhere } from '../protocols/registry.ts';
import type { WorldPlace } from './places.ts';
import { rules, type Row, type RefusalRule } from '../refusals/rule.ts';
import { valueAt, type Config, type SettingPath } from '../schema.ts';
import type { WorldForm } from './form.ts';
import { isOwn, ownForm } from './own.ts';
import { formOf, ownParts, sharesWords, shippedForms, worldLabel, type WorldName, worldNames } from './registry.ts';

type Refused = Row & Required<Pick<Row, 'remedies'>>;

/** The protocols that a world supports, the most suitable first, with a visitor's own protocol last. */
export const protocolsFor = ({ protocols }: Pick<WorldForm, 'name' | 'protocols'>): readonly ProtocolName[] =>
  protocols ?? [...protocolsWhere(({ context, needsTools }) => context === undefined && !needsTools), 'own'];

/** The rules for one world; `all` contains all worlds, including this one. */
function rowsOf(form: WorldForm, all: readonly WorldForm[]): Refused[] {
  const { name: world, levels, vocabularies, parts, protocols } = form;
  const others = all.filter(({ name }) => name !== world);
  const isChosen = { 'world.name': world };
  const level: Refused = {
    when: (config) => config.world.name === world && config.world.level > levels.length,
    path: 'world.level',
    says: () => spoken`${worldLabel(form)} has no level {world.level}`,
    remedies: [{ 'world.level': levels.length }],
  };
  const possible = protocolsFor({ name: world, ...(protocols && { protocols }) });
  const protocol: Refused = {
    when: (config) => config.world.name === world && !possible.includes(config.agents.protocol),
    path: 'agents.protocol',
    says: () => spoken`${worldLabel(form)} cannot be used with the protocol “{agents.protocol}”`,
    remedies: ({ agents }) => [
      { 'agents.protocol': possible[0] as ProtocolName },
      ...others
        .filter((form) => protocolsFor(form).includes(agents.protocol))
        .slice(0, 1)
        .map(({ name }) => ({ 'world.name': name })),
    ],
  };
  const foreign = others.flatMap((form) => Object.keys(form.vocabularies).slice(1));
  const missing = foreign.filter((name) => !(name in vocabularies));
  const vocabulary: Refused = {
    when: ({ world: { name }, agents }) => name === world && missing.includes(agents.otherVocabulary),
    path: 'agents.otherVocabulary',
    says: () => spoken`${worldLabel(form)} has no vocabulary {agents.otherVocabulary}`,
    remedies: [{ 'agents.otherVocabulary': 'same' }],
  };
  const weights = parts.map((part): Refused => {
    const { name, weight } = part;
    const path = `${world}.${name}` as SettingPath;
    return {
      when: (config) =>
        [config.world, ...config.world.also].every(({ name }) => name !== world) && valueAt(config, path) !== weight,
      path,
      says: () => spoken`{world.name} has no reward part “${inTongue(part.label)}”, which belongs to ${world}`,
      remedies: [{ [path]: weight }, isChosen],
    };
  });
  return [
    ...(others.some((form) => form.levels.length > levels.length) ? [level] : []),
    ...(missing.length > 0 ? [vocabulary] : []),
    ...(others.length > 0 ? [...weights, protocol] : []),
  ];
}

/** The first error in the list of additional places; null if there is none. */
function strayPlace({ world: { name, also } }: Config): Required<Pick<Refusal, 'says' | 'within'>> | null {
  for (const [i, place] of also.entries()) {
    const form = formOf(place.name);
    const { levels } = form;
    if (levels.length === 0)
      return { within: [i, 'name'], says: spoken`there is no world named ${quoted(place.name)}` };
    if (isStranger(name, place))
      return { within: [i, 'name'], says: spoken`{world.name} and ${place.name} have no words in common` };
    if (place.level > levels.length)
      return { within: [i, 'level'], says: spoken`${worldLabel(form)} has no level ${place.level}` };
  }
  return null;
}

const isStranger = (name: string, place: WorldPlace) => !sharesWords(formOf(name), formOf(place.name));

/** Requirements on the additional places. The refusal refers to the first place with an error. */
const placeRows: readonly Refused[] = [
  {
    when: (config) => strayPlace(config) !== null,
    path: 'world.also',
    says: (config) => strayPlace(config)?.says ?? '',
    within: (config) => strayPlace(config)?.within,
    remedies: ({ world: { name, also } }) => [
      {
        'world.also': also
          .filter((place) => !isStranger(name, place))
          .map((place) => ({ ...place, level: Math.min(place.level, formOf(place.name).levels.length) })),
      },
    ],
  },
];

/** Makes a test that applies only if the world is a visitor's own and is registered. */
const inOwn = (test: (config: Config, form: WorldForm) => boolean) => (config: Config) => {
  const form = ownForm(config.world.name);
  return form !== undefined && test(config, form);
};

/** Rules that apply to every visitor's own world. */
const ownRows: readonly Refused[] = [
  {
    when: ({ world: { name } }) => isOwn(name) && ownForm(name) === undefined,
    path: 'world.name',
    says: 'the world {world.name} is not known here; open the file that contains it',
    remedies: [{ 'world.name': worldNames[0] as WorldName }],
  },
  {
    when: inOwn(({ world }, { levels }) => world.level > levels.length),
    path: 'world.level',
    says: ({ world }) => spoken`${worldLabel(formOf(world.name))} has no level {world.level}`,
    remedies: ({ world }) => [{ 'world.level': formOf(world.name).levels.length }],
  },
  {
    when: inOwn(({ agents }, form) => !protocolsFor(form).includes(agents.protocol)),
    path: 'agents.protocol',
    says: ({ world }) => spoken`${worldLabel(formOf(world.name))} cannot be used with the protocol “{agents.protocol}”`,
    remedies: ({ world }) => [{ 'agents.protocol': protocolsFor(formOf(world.name))[0] as ProtocolName }],
  },
  {
    when: inOwn(({ agents }) => agents.otherVocabulary !== 'same'),
    path: 'agents.otherVocabulary',
    says: ({ world }) => spoken`${worldLabel(formOf(world.name))} has no vocabulary {agents.otherVocabulary}`,
    remedies: [{ 'agents.otherVocabulary': 'same' }],
  },
];

/** The names of parts with a weight in `reward.own` that the visitor's world does not have. */
const strangeParts = ({ world, reward }: Config): string[] =>
  Object.keys(reward.own).filter((name) => !ownParts(formOf(world.name)).some((part) => part.name === name));

const ownWeights: Refused = {
  when: (config) => strangeParts(config).length > 0,
  path: 'reward.own',
  within: (config) => strangeParts(config).slice(0, 1),
  says: (config) => {
    const form = formOf(config.world.name);
    const names = ownParts(form).map(({ name }) => `“${name}”`);
    const has = names.length > 0 ? spoken`it declares ${names.join(spoken` and `)}` : spoken`it declares none`;
    return spoken`${worldLabel(form)} declares no reward part “${strangeParts(config)[0] ?? ''}”; ${has}`;
  },
  remedies: (config) => {
    const strange = strangeParts(config);
    const known = Object.entries(config.reward.own).filter(([name]) => !strange.includes(name));
    return [{ 'reward.own': Object.fromEntries(known) }];
  },
};

/** All rules for these worlds. */
export const worldRules = (forms: readonly WorldForm[] = shippedForms): RefusalRule[] => [
  ...rules([
    ...(forms.length > 1 ? placeRows : []),
    ...forms.flatMap((form) => rowsOf(form, forms)),
    ...(forms.length > 1 ? [...ownRows, ownWeights] : []),
  ]),
];
