import { describe, expect, it } from 'vitest';
import { StorageError } from '../base/errors.ts';
import { checkpointFormat, climb, migrateCheckpoint, migrateRun } from './records.ts';

const steps = {
  1: (record: Record<string, unknown>) => ({ ...record, colour: 'indigo' }),
  2: ({ colour, ...record }: Record<string, unknown>) => ({ ...record, role: colour === 'indigo' ? 'plan' : 'reason' }),
};

describe('migration', () => {
  it('climbs step by step to the present format', () => {
    expect(climb({ format: 1, id: 'a' }, 'run a', { to: 3, steps })).toEqual({ format: 3, id: 'a', role: 'plan' });
    expect(climb({ format: 2, colour: 'amber' }, 'run a', { to: 3, steps })).toEqual({ format: 3, role: 'reason' });
  });

  it('leaves the stored record as it is', () => {
    const record = Object.freeze({ format: 1 });
    climb(record, 'run a', { to: 3, steps });
    expect(record).toEqual({ format: 1 });
  });

  it('hands out records of the present format unchanged', () => {
    const record = { format: checkpointFormat, id: 'a' };
    expect(migrateRun(record, 'run a')).toBe(record);
    expect(migrateCheckpoint(record, 'checkpoint')).toBe(record);
  });

  it('reads the memory of a joint critic with the reward of each turn instead of its return', () => {
    // Two dialogues: one with two turns, whose returns are 1.5 and 1, and one with a single turn, whose return is −2.
    const facts = Uint16Array.of(3, 5, 6, 7, 2, 0, 2, 1, 5, 1, 0);
    const criticMemory = { stored: 2, facts, returns: Float64Array.of(1.5, 1, -2) };
    const former = { format: 3, config: { reward: { gammaTurn: 0.5 } }, critics: ['a network'] };
    const scale = { weight: 1, mean: 0, square: 1 };
    expect(migrateCheckpoint({ ...former, criticMemory }, 'checkpoint')).toEqual({
      ...{ ...former, format: checkpointFormat },
      criticStates: [
        {
          memory: {
            stored: 2,
            facts: Uint16Array.of(1, 3, 5, 6, 7, 2, 0, 2, 0, 1, 1, 1, 5, 1, 0, 0),
            rewards: Float64Array.of(1, 1, -2),
          },
          scale,
        },
      ],
    });
    // Before the first iteration of a run, the memory of its critic is empty. A run without such a critic stays
    // unchanged.
    const nothing = { stored: 0, facts: Uint16Array.of(), rewards: Float64Array.of() };
    expect(migrateCheckpoint(former, 'checkpoint')['criticStates']).toEqual([{ memory: nothing, scale }]);
    expect(migrateCheckpoint({ format: 3 }, 'checkpoint')).toEqual({ format: checkpointFormat });
  });

  it('calls what a run was trained with by the name that it has today', () => {
    const learning = { ratioLevel: 'token', aggregation: 'trajectory', preferenceKind: 'ipo', clipLow: 0.2 };
    const meant = { ratioLevel: 'token', aggregation: 'dialogue', preferenceKind: 'ipoOfSum', clipLow: 0.2 };
    const changes = [
      { iteration: 2, path: 'learning.ratioLevel', value: 'trajectory' },
      { iteration: 3, path: 'learning.clipLow', value: 0.1 },
    ];
    const changed = [{ ...changes[0], value: 'dialogue' }, changes[1]];
    const former = {
      format: 4,
      id: 'a',
      config: { learning },
      begun: { learning },
      changes,
      plan: { changes, imports: [] },
    };
    const present = { format: checkpointFormat, id: 'a', config: { learning: meant }, begun: { learning: meant } };
    const all = { ...present, changes: changed, plan: { changes: changed, imports: [] } };
    expect(migrateRun(former, 'run a')).toEqual(all);
    // All ancestors are converted too, and so are the settings that were changed at the fork.
    const forkedFrom = {
      iteration: 1,
      settings: [changes[0]],
      parent: { config: { learning }, fork: { parent: { config: { learning } } } },
    };
    expect(migrateRun({ format: 4, config: {}, forkedFrom }, 'run a')).toEqual({
      ...{ format: checkpointFormat, config: {} },
      forkedFrom: {
        iteration: 1,
        settings: [changed[0]],
        parent: { config: { learning: meant }, fork: { parent: { config: { learning: meant } } } },
      },
    });
    // If each agent has its own network, the word trajectory already meant one agent's part of a dialogue in format 3.
    const apart = { agents: { parameters: 'separate' }, learning: { ratioLevel: 'trajectory', preferenceKind: 'ipo' } };
    expect(migrateCheckpoint({ format: 3, config: apart }, 'checkpoint')).toEqual({
      format: checkpointFormat,
      config: { ...apart, learning: { ratioLevel: 'trajectory', preferenceKind: 'ipoOfSum' } },
    });
  });

  it('keeps the signs of the world in runs on an imported model, except in the world that was in plain English', () => {
    const agents = { parameters: 'lora', start: 'model-0123456789abcdef' };
    const config = { world: { name: 'grid' }, agents };
    const signs = { world: { name: 'grid' }, agents: { ...agents, inWords: false } };
    const former = { format: 5, id: 'a', config, begun: config, plan: { parent: { config } } };
    expect(migrateRun(former, 'run a')).toEqual({
      ...{ format: checkpointFormat, id: 'a', config: signs, begun: signs, plan: { parent: { config: signs } } },
    });
    for (const kept of [
      { world: { name: 'passItOn' }, agents },
      { world: { name: 'grid' }, agents: { start: 'warmStart' } },
      { world: { name: 'grid' }, agents: {} },
    ])
      expect(migrateCheckpoint({ format: 5, config: kept }, 'checkpoint')).toEqual({
        format: checkpointFormat,
        config: kept,
      });
  });

  it('refuses newer, foreign and absent records by name', () => {
    const refuse = (record: unknown) => () => climb(record, 'run a', { to: 3, steps });
    expect(refuse({ format: 4 })).toThrow('run a: format: expected at most 3, got 4');
    expect(refuse({ format: 'one' })).toThrow('run a: format: expected a whole number from 1 to 3, got "one"');
    expect(refuse({})).toThrow(StorageError);
    expect(refuse(undefined)).toThrow('run a: expected a record, got nothing');
    const circle: Record<string, unknown> = {};
    circle.format = circle;
    expect(refuse(circle)).toThrow('run a: format: expected a whole number from 1 to 3, got an object');
    expect(refuse({ format: 1n })).toThrow(StorageError);
    expect(() => climb({ format: 1 }, 'run a', { to: 2, steps: {} })).toThrow('there is no migration from 1 to 2');
  });
});
