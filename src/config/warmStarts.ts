// The warm starts that ship with the page, each with the settings that make it.
import { parseShape } from './parse.ts';
import { combinationRules } from './refusals/table.ts';
import { refusalError, rules, type Rule } from './refusals/rule.ts';
import type { Config, ConfigInput } from './schema.ts';
import { worldForms } from './worlds/registry.ts';

export interface ShippedWarmStart {
  /** File name without its ending, under `warmstart/`. */
  name: string;
  settings: ConfigInput;
}

// Who votes and sees what is hidden answers as one agent does.
const isAlone = ({ protocol, informed }: Config['agents']) =>
  protocol === 'single' || (protocol === 'vote' && ['usual', 'all'].includes(informed));

const nameOf = ({ world, agents }: Pick<Config, 'world' | 'agents'>) =>
  `${world.name}-${world.level}-${agents.size}${isAlone(agents) ? '-single' : ''}`;

export const shippedWarmStarts: readonly ShippedWarmStart[] = Object.values(worldForms).flatMap(({ name, shipped }) =>
  shipped.map((given) => {
    const settings: ConfigInput = { ...given, world: { name } };
    return { name: nameOf(parseShape(settings)), settings };
  }),
);

/** What has no warm start of its own yet, in words; null where one ships. */
function lacking({ world, agents }: Config): string | null {
  if (agents.otherSize !== 'same') return `agents.otherSize = ${agents.otherSize}`;
  if (agents.otherVocabulary !== 'same') return `agents.otherVocabulary = ${agents.otherVocabulary}`;
  if (!isAlone(agents) && agents.protocol !== 'reMA') return `the protocol ${agents.protocol}`;
  if (agents.finishEnds !== 'atOnce') return 'agents that answer a finish token';
  if (foundFor({ world, agents })) return null;
  return agents.size === 'tiny' ? `level ${world.level}` : `level ${world.level} at size ${agents.size}`;
}

function foundFor({ world, agents }: Pick<Config, 'world' | 'agents'>): ShippedWarmStart | undefined {
  const name = nameOf({ world, agents });
  return shippedWarmStarts.find((shipped) => shipped.name === name);
}

const warmStartRules = rules([
  {
    path: 'warmStart.source',
    when: (config) => config.warmStart.source === 'shipped' && lacking(config) !== null,
    says: (config) => `no warm start ships for ${lacking(config)}`,
    remedies: [{ 'warmStart.source': 'train' }],
  },
]);

/** What a new run is refused for. */
export const startRules: readonly Rule[] = [...combinationRules, ...warmStartRules];

/** The shipped warm start of a configuration. Throws ConfigError when none was made for it. */
export function shippedFor(config: Config): ShippedWarmStart {
  const found = lacking(config) === null ? foundFor(config) : undefined;
  if (found) return found;
  const says = `no warm start ships for ${lacking(config)}`;
  throw refusalError({ path: 'warmStart.source', says, remedies: [{ 'warmStart.source': 'train' }] });
}
