// Tests that every analysis answers the question of its own name, and that every question belongs to an analysis.
import { expect, it } from 'vitest';
import { analyses } from '../../config/analyses/registry.ts';
import { lookAnswers, seatAnswers } from './analyses.ts';

const kinds = Object.keys({ ...lookAnswers, ...seatAnswers });

it.each(analyses)('$name answers a question of its name, and all of its questions begin with it', ({ name }) => {
  expect(kinds).toContain(name);
});

it('every question belongs to an analysis, which answers it in one of three ways', () => {
  const names: readonly string[] = analyses.map(({ name }) => name);
  expect(kinds.filter((kind) => !names.includes(kind.split('.')[0] ?? ''))).toEqual([]);
  for (const { of, answer } of Object.values({ ...lookAnswers, ...seatAnswers })) {
    expect(['iteration', 'checkpoint', 'seats']).toContain(of);
    expect(answer).toBeTypeOf('function');
  }
});
