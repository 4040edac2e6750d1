import { describe, expect, it } from 'vitest';
import { healthCards, type HealthCard } from './measures.ts';

describe('health', () => {
  it('says that nothing was measured before the first iteration', () => {
    expect(healthCards(() => undefined).map(({ tone }) => tone)).toEqual(Array.from({ length: 5 }, () => 'unknown'));
  });

  it('asks for a look past each threshold and not before', () => {
    const values: Record<string, number> = {
      'charts/dead_groups': 0.51,
      'charts/training_accuracy': 0.25,
      'charts/finished': 0.79,
      'charts/truncated': 0.11,
      'losses/entropy': 0.019,
      'losses/approx_kl': 0.011,
    };
    expect(healthCards((metric) => values[metric]).every(({ tone }) => tone === 'look')).toBe(true);
    const well: Record<string, number> = {
      'charts/dead_groups': 0.18,
      'charts/finished': 0.97,
      'charts/truncated': 0,
      'losses/entropy': 0.15,
      'losses/approx_kl': 0.002,
    };
    const cards = healthCards((metric) => well[metric]);
    expect(cards.every(({ tone }) => tone === 'fine')).toBe(true);
    expect(cards.map(({ title }) => title)).toEqual(
      '18 % dead groups | Finishes properly | Turns fit | Exploring | Small updates'.split(' | '),
    );
  });

  it('tell groups that are dead because all are right from those where all are wrong', () => {
    const values = (right: number): Record<string, number> => ({
      'charts/dead_groups': 0.9,
      'charts/training_accuracy': right,
    });
    const card = (right: number) => healthCards((metric) => values(right)[metric])[0] as HealthCard;
    expect(card(0.96)).toMatchObject({ tone: 'fine', title: '90 % dead groups', detail: 'mostly all right' });
    expect(card(0.5)).toMatchObject({ tone: 'fine', detail: 'all right or all wrong' });
    expect(card(0.46).tone).toBe('fine');
    expect(card(0.44).tone).toBe('look');
    expect(card(0.04)).toMatchObject({ tone: 'look', detail: 'mostly all wrong: an easier level?' });
    // A run stored without the share of right dialogues is looked at as before.
    expect(healthCards((metric) => (metric === 'charts/dead_groups' ? 0.9 : undefined))[0]?.tone).toBe('look');
  });

  it('tell agents that talk at random from those that explore', () => {
    const card = (entropy: number) =>
      healthCards((metric) => (metric === 'losses/entropy' ? entropy : undefined))[0] as HealthCard;
    expect(card(1.99).title).toBe('Exploring');
    expect(card(Math.log(29))).toMatchObject({
      tone: 'look',
      title: 'Random talk',
      detail: 'entropy 3.37: as among 29 equal choices',
    });
  });

  it('find little exploration normal where nearly all is right, and ask for a look where it is not', () => {
    const values = (right: number): Record<string, number> => ({
      'losses/entropy': 0.003,
      'charts/training_accuracy': right,
    });
    const card = (right: number) =>
      healthCards((metric) => values(right)[metric]).find(({ name }) => name === 'Exploring');
    expect(card(0.96)).toMatchObject({
      tone: 'fine',
      title: 'Little exploration',
      detail: 'entropy 0.003: normal once converged',
    });
    expect(card(0.5)).toMatchObject({ tone: 'look', detail: 'entropy 0.003: raise the entropy bonus?' });
  });

  it('see a learning rate that is too high by how far it moves the policy', () => {
    const card = (kl: number) =>
      healthCards((metric) => (metric === 'losses/approx_kl' ? kl : undefined))[0] as HealthCard;
    // Medians of five iterations of the presets “Two minds, one sum” and “Too fast”.
    expect(card(0.0009)).toMatchObject({ tone: 'fine', detail: 'KL 0.001 an iteration' });
    expect(card(0.0138)).toMatchObject({
      tone: 'look',
      title: 'Large updates',
      detail: 'KL 0.014: lower the learning rate?',
    });
  });

  it('leave out what the learner does not have once the others are measured', () => {
    const withoutGroups: Record<string, number> = {
      'charts/finished': 1,
      'charts/truncated': 0,
      'losses/entropy': 0.1,
    };
    const names = healthCards((metric) => withoutGroups[metric]).map(({ name }) => name);
    expect(names).toEqual(['Finishes properly', 'Turns cut', 'Exploring']);
  });
});
