import { expect, it } from 'vitest';
import { parseConfig } from '../../config/parse.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { castOf } from '../../records/cast.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { castOnShow, seenBy } from '../words.ts';
import { lanesOf, premiseOf } from './laneWords.ts';

const cast = (agents: ConfigInput['agents']) => castOf(parseConfig({ agents }).agents);

it('agents of one role are told apart by their numbers, others by their roles', () => {
  const names = (agents: ConfigInput['agents']) => lanesOf(cast(agents)).map(({ name }) => name);
  expect(names({})).toEqual(['Meta-thinking', 'Reasoning']);
  expect(names({ protocol: 'debate', count: 3 })).toEqual(['Debater 1', 'Debater 2', 'Debater 3']);
  expect(names({ protocol: 'summary', count: 3 })).toEqual(['Reasoning 1', 'Reasoning 2', 'Leader']);
  expect(names({ protocol: 'vote', count: 1 })).toEqual(['Reasoning']);
});

it('a lane says what its agent does or sees', () => {
  const words = (agents: ConfigInput['agents']) => lanesOf(cast(agents)).map(({ does }) => does);
  expect(words({})).toEqual(['plans', 'executes']);
  expect(words({ protocol: 'single' })).toEqual(['sees everything and answers alone']);
  expect(words({ protocol: 'debate', count: 2 })).toEqual(['sees the rule', 'does not see the rule']);
  expect(lanesOf(cast({ protocol: 'pioneerObserver' }))[1]?.ghost).toBe(
    'Never sees the rule, and reads the pioneer’s answer and gives the team’s.',
  );
});

it('one sentence says what the team does and who sees the house rule', () => {
  const said = (agents: ConfigInput['agents']) => {
    const { before, after } = premiseOf(cast(agents));
    return `${before} house rule${after}`;
  };
  expect(said({})).toBe(
    'Two agents, one sum: only the planner sees the house rule and says what to do next; the reasoner does it.',
  );
  expect(said({ protocol: 'single' })).toBe(
    'One agent sees a sum and the house rule by which it is to be read, and answers alone.',
  );
  expect(said({ protocol: 'debate', count: 2 })).toBe(
    'All answer at once, read each other and answer again; 1 of 2 sees the house rule by which the sum is to be read.',
  );
  expect(said({ protocol: 'vote', informed: 'nobody' })).toContain('; nobody sees the house rule');
});

it('the rule is labelled with who sees it', () => {
  expect(seenBy(cast({}))).toBe('planner only:');
  expect(seenBy(cast({ protocol: 'single' }))).toBe('rule:');
  expect(seenBy(cast({ protocol: 'pioneerObserver' }))).toBe('pioneer only:');
  expect(seenBy(cast({ protocol: 'debate', count: 2 }))).toBe('debater 1 only:');
  expect(seenBy(cast({ protocol: 'debate', count: 4 }))).toBe('seen by 2 of 4:');
  expect(seenBy(cast({ protocol: 'vote', informed: 'nobody' }))).toBe('seen by nobody:');
});

it('a dialogue keeps its own team when the settings have changed since', () => {
  const talked = { prompts: [[1, 8, 2], [1, 2]], turns: [{ agent: 0, role: 'pioneer' }] } as unknown as Trajectory; // prettier-ignore
  const now = cast({ protocol: 'debate', count: 4 });
  expect(castOnShow(null, now)).toBe(now);
  expect(castOnShow(talked, now)).toEqual([
    { role: 'pioneer', seesRule: true },
    { role: 'reasoning', seesRule: false },
  ]);
  const fitting = cast({ protocol: 'pioneerObserver' });
  expect(castOnShow(talked, fitting)).toEqual(fitting);
});
