import { describe, expect, it } from 'vitest';
import { healthCards } from './measures.ts';

describe('health', () => {
  it('says that nothing was measured before the first iteration', () => {
    expect(healthCards(() => undefined).map(({ tone }) => tone)).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
  });

  it('asks for a look past each threshold and not before', () => {
    const values: Record<string, number> = {
      'charts/dead_groups': 0.51,
      'charts/finished': 0.79,
      'charts/truncated': 0.11,
      'losses/entropy': 0.019,
    };
    expect(healthCards((metric) => values[metric]).every(({ tone }) => tone === 'look')).toBe(true);
    const well: Record<string, number> = {
      'charts/dead_groups': 0.18,
      'charts/finished': 0.97,
      'charts/truncated': 0,
      'losses/entropy': 0.15,
    };
    const cards = healthCards((metric) => well[metric]);
    expect(cards.every(({ tone }) => tone === 'fine')).toBe(true);
    expect(cards.map(({ title }) => title)).toEqual([
      '18 % dead groups',
      'Finishes properly',
      'Turns fit',
      'Still trying',
    ]);
  });

  it('leave out what the learner does not have once the others are measured', () => {
    const withoutGroups: Record<string, number> = {
      'charts/finished': 1,
      'charts/truncated': 0,
      'losses/entropy': 0.1,
    };
    const names = healthCards((metric) => withoutGroups[metric]).map(({ name }) => name);
    expect(names).toEqual(['Finishes properly', 'Turns cut', 'Still trying']);
  });
});
