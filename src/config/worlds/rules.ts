// What the chosen world does not have: a level, a vocabulary, a part of the reward that is another's.
import { rules, type Row } from '../refusals/rule.ts';
import { valueAt, type Config, type SettingPath } from '../schema.ts';
import { formOf, worldForms } from './registry.ts';

const formIn = ({ world }: Config) => formOf(world.name);

/** A weight of another world's part. */
const foreignParts = Object.values(worldForms).flatMap(({ name: world, label, parts }) =>
  parts.map(({ name, label: part, weight }): Row & Required<Pick<Row, 'remedies'>> => {
    const path = `${world}.${name}` as SettingPath;
    return {
      when: (config) => config.world.name !== world && valueAt(config, path) !== weight,
      path,
      says: (config) => `${formIn(config).label} has no part “${part}” of the reward; ${label} has it`,
      remedies: [{ [path]: weight }, { 'world.name': world }],
    };
  }),
);

export const worldRules = rules([
  {
    when: (config) => formIn(config).levels.length < config.world.level,
    path: 'world.level',
    says: (config) => `${formIn(config).label} has no level {world.level}`,
    remedies: (config) => [{ 'world.level': formIn(config).levels.length }],
  },
  {
    when: (config) => {
      const [, ...others] = Object.keys(formIn(config).vocabularies);
      return !['same', ...others].includes(config.agents.otherVocabulary);
    },
    path: 'agents.otherVocabulary',
    says: (config) => `${formIn(config).label} has no vocabulary {agents.otherVocabulary}`,
    remedies: [{ 'agents.otherVocabulary': 'same' }],
  },
  ...foreignParts,
]);
