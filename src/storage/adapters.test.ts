import { describe, expect, it } from 'vitest';
import { StorageError } from '../base/errors.ts';
import { runId } from '../records/ids.ts';
import { array, checkpoint, run } from './testing/sampleRecords.ts';
import { asCheckpoint, asRun } from './validate.ts';

describe('a stored base of adapters', () => {
  it('is read as it was written, with no reference beside it, and is absent where there was none', () => {
    const base = [array('a', 1, -0, 2)];
    const read = asCheckpoint(checkpoint(2, { base, reference: [] }), 'checkpoint 2');
    expect(read.base).toEqual(base);
    expect(read.reference).toEqual([]);
    expect(asCheckpoint(checkpoint(2), 'checkpoint 2')).not.toHaveProperty('base');
  });

  it('that is damaged is refused by name', () => {
    const base = [{ ...array('a', 1, 2), shape: [3] }];
    expect(() => asCheckpoint(checkpoint(2, { base }), 'checkpoint 2')).toThrow(StorageError);
    expect(() => asCheckpoint(checkpoint(2, { base }), 'checkpoint 2')).toThrow('base: a: expected 3 numbers');
  });
});

describe('a stored fork', () => {
  it('keeps where it comes from; a run that is none says nothing of it', () => {
    const forkedFrom = { id: runId('run-0'), name: 'calm-otter', iteration: 4 };
    expect(asRun(run({ forkedFrom }), 'run').forkedFrom).toEqual(forkedFrom);
    expect(asRun(run(), 'run')).not.toHaveProperty('forkedFrom');
    const damaged = { ...run(), forkedFrom: { id: 'run-0' } };
    expect(() => asRun(damaged, 'run')).toThrow('forkedFrom.name');
  });
});
