// What a verifier cannot do without, refused by name with the nearest valid setting, which works.
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { parseConfig } from '../parse.ts';
import type { ConfigInput } from '../schema.ts';

const debate = { protocol: 'debate', count: 2 } as const;
const trained = { isTrained: true } as const;

const cases: { title: string; given: ConfigInput; names: string; remedy: ConfigInput }[] = [
  {
    title: 'a verifier of plans and replies, which are no answers',
    given: { verifier: trained },
    names: 'agents.protocol = debate',
    remedy: { verifier: trained, agents: debate },
  },
  {
    title: 'pay for the word of nobody',
    given: { verifier: { reward: 0.5 }, agents: debate },
    names: 'verifier.isTrained = true',
    remedy: { verifier: { ...trained, reward: 0.5 }, agents: debate },
  },
  {
    title: 'feedback from nobody',
    given: { verifier: { feedback: 'verifier' }, agents: { ...debate, feedback: true } },
    names: 'verifier.isTrained = true',
    remedy: { verifier: { ...trained, feedback: 'verifier' }, agents: { ...debate, feedback: true } },
  },
  {
    title: 'feedback that is told to nobody',
    given: { verifier: { ...trained, feedback: 'verifier' }, agents: debate },
    names: 'agents.feedback = true',
    remedy: { verifier: { ...trained, feedback: 'verifier' }, agents: { ...debate, feedback: true } },
  },
  {
    title: 'agreement scored by nobody',
    given: { verifier: { consensus: 0.5 }, agents: { ...debate, consensus: 1 } },
    names: 'verifier.consensus = 0',
    remedy: { verifier: { consensus: 0 }, agents: { ...debate, consensus: 1 } },
  },
  {
    title: 'a score of agreement where a talk does not stop when agreed',
    given: { verifier: { ...trained, consensus: 0.5 }, agents: debate },
    names: 'agents.consensus = 1',
    remedy: { verifier: { ...trained, consensus: 0.5 }, agents: { ...debate, consensus: 1 } },
  },
];

describe.each(cases)('$title', ({ given, names, remedy }) => {
  it('is refused, and the setting that the refusal names is valid', () => {
    expect(() => parseConfig(given)).toThrow(ConfigError);
    expect(() => parseConfig(given)).toThrow(names);
    expect(() => parseConfig(remedy)).not.toThrow();
  });
});

it('without a verifier nothing of it is asked for', () => {
  const { verifier } = parseConfig({});
  expect(verifier).toMatchObject({ isTrained: false, reward: 0, feedback: 'world', consensus: 0 });
});
