import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { parseConfig } from '../parse.ts';
import type { ConfigInput } from '../schema.ts';
import { shippedFor } from '../warmStarts.ts';

const unequal = { parameters: 'heterogeneous', otherVocabulary: 'joined' } as const;

const cases: { title: string; given: ConfigInput; names: string; remedy: ConfigInput }[] = [
  {
    title: 'another size for agents that are one network',
    given: { agents: { otherSize: 'micro' } },
    names: 'use agents.parameters = heterogeneous, or agents.otherSize = same.',
    remedy: { agents: { otherSize: 'micro', parameters: 'heterogeneous' } },
  },
  {
    title: 'another vocabulary for separate agents',
    given: { agents: { otherVocabulary: 'joined', parameters: 'separate' } },
    names: 'use agents.parameters = heterogeneous, or agents.otherVocabulary = same.',
    remedy: { agents: { otherVocabulary: 'joined', parameters: 'heterogeneous' } },
  },
  {
    title: 'an unequal team of one',
    given: { agents: { protocol: 'single', parameters: 'heterogeneous' } },
    names: 'use agents.parameters = separate.',
    remedy: { agents: { protocol: 'single', parameters: 'separate' } },
  },
  {
    title: 'roles exchanged between vocabularies',
    given: { agents: { ...unequal, swapEvery: 5 } },
    names: 'use agents.swapEvery = 0.',
    remedy: { agents: unequal },
  },
  {
    title: 'CORY between sizes',
    given: {
      agents: { protocol: 'pioneerObserver', parameters: 'heterogeneous', otherSize: 'small' },
      learning: { learner: 'cory' },
    },
    names: 'use agents.otherSize = same.',
    remedy: { agents: { protocol: 'pioneerObserver', parameters: 'heterogeneous' }, learning: { learner: 'cory' } },
  },
  {
    title: 'imported pairs for two vocabularies',
    given: { agents: unequal, learning: { learner: 'dpo', pairsFrom: 'imported' } },
    names: 'use agents.otherVocabulary = same.',
    remedy: { agents: { parameters: 'heterogeneous' }, learning: { learner: 'dpo', pairsFrom: 'imported' } },
  },
];

describe('unequal agents', () => {
  it.each(cases)('$title: refused, and the remedy is accepted', ({ given, names, remedy }) => {
    expect(() => parseConfig(given)).toThrow(ConfigError);
    expect(() => parseConfig(given)).toThrow(names);
    expect(() => parseConfig(remedy)).not.toThrow();
  });

  it('have no shipped warm start but where they are equal after all', () => {
    const of = (agents: ConfigInput['agents']) => () => shippedFor(parseConfig({ agents }));
    expect(of(unequal)).toThrow(
      'no warm start ships for agents.otherVocabulary = joined; use warmStart.source = train.',
    );
    expect(of({ parameters: 'heterogeneous', otherSize: 'micro' })).toThrow('agents.otherSize = micro');
    expect(of({ parameters: 'heterogeneous' })).not.toThrow();
  });
});
