// How many agents a protocol has, as a number only: for settings that name agents. Who they are is in records/cast.ts.
import type { ProtocolName } from './names.ts';
import type { Config } from './schema.ts';

/** `count`: as many as `agents.count` says. */
const agentsOf: Record<ProtocolName, number | 'count'> = {
  reMA: 2,
  single: 1,
  pioneerObserver: 2,
  debate: 'count',
  vote: 'count',
  summary: 'count',
};

/** Agents of a team. */
export function agentCount({ protocol, count }: Pick<Config['agents'], 'protocol' | 'count'>): number {
  const fixed = agentsOf[protocol];
  return fixed === 'count' ? count : fixed;
}
