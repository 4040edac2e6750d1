import { form as houseRule } from '../extensions/worlds/houseRule/form.ts';
import { describe, expect, it } from 'vitest';
import { agentCount, protocolNames } from '../config/protocols/registry.ts';
import { plannedPair } from '../config/ownProtocol.ts';
import { parseConfig } from '../config/parse.ts';
import type { ConfigInput } from '../config/schema.ts';
import { castIn, castOf } from './cast.ts';

const cast = (agents: ConfigInput['agents']) => castOf(parseConfig({ agents }));

describe('a cast', () => {
  it('has as many members as asked, where the number is not fixed', () => {
    for (const count of [2, 5, 8]) {
      expect(cast({ protocol: 'debate', count }).map(({ role }) => role)).toEqual(Array(count).fill('debater'));
      expect(cast({ protocol: 'vote', count })).toHaveLength(count);
      const roles = cast({ protocol: 'summary', count }).map(({ role }) => role);
      expect(roles).toEqual([...Array<string>(count - 1).fill('reasoning'), 'summariser']);
      expect(cast({ count }).map(({ role }) => role)).toEqual(['metaThinking', 'reasoning']);
      expect(cast({ protocol: 'pioneerObserver', count }).map(({ role }) => role)).toEqual(['pioneer', 'observer']);
      expect(cast({ protocol: 'single', count })).toEqual([{ role: 'reasoning', sees: houseRule.hidden, seesNot: [] }]);
    }
  });

  it('never counts its leader to the half that sees the rule', () => {
    for (const count of [2, 3, 4, 7]) {
      expect(cast({ protocol: 'summary', informed: 'half', count }).at(-1)).toMatchObject({ sees: [] });
    }
  });
});

it('a team has as many members as the settings count agents', () => {
  for (const protocol of protocolNames) {
    for (const count of [2, 3, 8]) {
      expect(agentCount({ protocol, own: plannedPair, count }), protocol).toBe(
        castIn({ protocol, own: plannedPair, count, informed: 'usual' }, { hidden: [] }).length,
      );
    }
  }
});
