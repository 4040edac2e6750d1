import { describe, expect, it } from 'vitest';
import type { Trajectory } from '../../../../records/trajectory.ts';
import { callsOf, toolText, toolTokens } from './typeset.ts';

const problem = {
  given: {
    ...{ base: 17, shows: 1, files: {}, tools: ['search', 'read'], budget: 3 },
    ...{
      plans: [' search Ann lives', ' search it lies', ' answer'],
      goals: [' Ann lives in Rome.', ' Rome lies at Po.'],
    },
  },
};
const called = (...calls: [text: string, seen: string | null][]) =>
  ({
    turns: calls.map(([text, seen]) => ({
      text,
      ...(seen !== null && { reaction: { state: null, observation: { source: 'search', text: seen } } }),
    })),
  }) as Pick<Trajectory, 'turns'>;

describe('a text of the tools', () => {
  it.each([
    ['<search>17<read><js>', 'search in base 17, read, js'],
    ['<result> Ann lives in Rome.<left>1<eot>', 'Ann lives in Rome. · 1 left'],
    ['<error> no such file<left>0<eot>', 'error: no such file · 0 left'],
    ['<result> Ann lives', 'Ann lives'],
    ['Where does Ann live?', 'Where does Ann live?'],
  ])('%s is set as %s', (text, set) => expect(toolText(text)).toBe(set));

  it('is split into signs, words, digits and pieces of programs', () => {
    expect(toolTokens('<js>Math.max(... notes)')).toEqual(['<js>', 'Math.max(...', 'notes', ')']);
    expect(toolTokens('<write> log,34')).toEqual(['<write>', 'log', ',', '3', '4']);
  });
});

it('calls are listed with their results, and with the calls that are left', () => {
  expect(callsOf(problem, null)).toEqual({
    steps: ['search Ann lives', 'search it lies', 'answer'],
    calls: [],
    left: 3,
  });
  const talk = called(
    [' search Ann lives', null],
    ['<search> Ann lives', '<result> Ann lives in Rome.<left>2<eot>'],
    ['<calc>1', '<error> unknown tool<left>1<eot>'],
    [' Po', null],
  );
  expect(callsOf(problem, talk)).toMatchObject({
    calls: [
      { call: 'search Ann lives', text: 'Ann lives in Rome.', isError: false, left: 2 },
      { call: 'calc 1', text: 'unknown tool', isError: true, left: 1 },
    ],
    left: 1,
  });
  expect(callsOf({ given: null }, null)).toBeNull();
});
