import { describe, expect, it } from 'vitest';
import { checkpointFormat } from '../records/checkpoint.ts';
import { StorageError } from '../base/errors.ts';
import { climb, migrateCheckpoint, migrateRun } from './migrate.ts';

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
    expect(() => climb({ format: 1 }, 'run a', { to: 2, steps: {} })).toThrow('no way leads from 1 to 2');
  });
});
