// The warm starts that ship with the page, each with the settings that make it.
import { ConfigError } from '../base/errors.ts';
import { areUnequal } from './refusals/heterogeneous.ts';
import type { Config, ConfigInput } from './schema.ts';

export interface ShippedWarmStart {
  /** File name without its ending, under `warmstart/`. */
  name: string;
  settings: ConfigInput;
}

export const shippedWarmStarts: readonly ShippedWarmStart[] = [
  { name: 'houseRule-1-tiny', settings: { run: { seed: 1 } } },
  { name: 'houseRule-1-tiny-single', settings: { agents: { protocol: 'single' }, run: { seed: 1 } } },
];

/** The shipped warm start of a configuration. Throws ConfigError when none was made for it. */
export function shippedFor({ world, agents }: Config): ShippedWarmStart {
  // Who votes and sees the rule answers as one agent does.
  const isAlone = agents.protocol === 'single' || (agents.protocol === 'vote' && ['usual', 'all'].includes(agents.informed)); // prettier-ignore
  if (areUnequal(agents)) {
    const field = agents.otherSize === 'same' ? 'agents.otherVocabulary' : 'agents.otherSize';
    throw new ConfigError(
      `warmStart.source: no warm start ships for ${field} = ${agents.otherSize === 'same' ? agents.otherVocabulary : agents.otherSize}; use warmStart.source = train.`,
    );
  }
  if (!isAlone && agents.protocol !== 'reMA') {
    throw new ConfigError(
      `warmStart.source: no warm start ships for agents.protocol = ${agents.protocol}; use warmStart.source = train.`,
    );
  }
  const name = `${world.name}-${world.level}-${agents.size}${isAlone ? '-single' : ''}`;
  const found = shippedWarmStarts.find((shipped) => shipped.name === name);
  if (agents.finishEnds !== 'atOnce') {
    throw new ConfigError(
      'warmStart.source: the shipped warm starts never answer a finish token; use warmStart.source = train with agents.finishEnds = afterReply.',
    );
  }
  if (!found) {
    throw new ConfigError(
      `warmStart.source: no warm start ships for level ${world.level} and size ${agents.size}; use warmStart.source = train.`,
    );
  }
  return found;
}
