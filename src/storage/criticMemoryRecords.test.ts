// What a run with a joint critic adds to its checkpoints: kept bit for bit, and refused where it is damaged.
import { describe, expect, it } from 'vitest';
import { StorageError } from '../base/errors.ts';
import type { NetworkState } from '../records/checkpoint.ts';
import { checkpoint } from './testing/sampleRecords.ts';
import { asCheckpoint } from './validate.ts';

const critics = checkpoint(1).networks.slice(0, 1) as [NetworkState];
const criticMemory = { stored: 1, facts: Uint16Array.of(1, 65535, 1, 0), returns: Float64Array.of(1 / 3) };

describe('the memory of a joint critic', () => {
  it('is kept; a checkpoint of an earlier version has none', () => {
    const stored = structuredClone(checkpoint(3, { critics, criticMemory }));
    expect(asCheckpoint(stored, 'a checkpoint').criticMemory).toEqual(criticMemory);
    expect(asCheckpoint(checkpoint(3, { critics }), 'a checkpoint')).not.toHaveProperty('criticMemory');
  });

  it.each([
    [{ facts: [1, 2] }, /criticMemory\.facts/],
    [{ returns: Float32Array.of(1) }, /criticMemory\.returns/],
    [{ stored: -1 }, /criticMemory\.stored/],
    [{ stored: 2 }, /criticMemory: expected 2 dialogues, got 1; start a new run/],
    [{ facts: Uint16Array.of(1, 65535, 1) }, /criticMemory: expected 4 facts or more, got 3/],
    [{ facts: Uint16Array.of(1, 65535, 1, 1) }, /criticMemory: expected columns within 1 tokens, got 1/],
    [{ returns: Float64Array.of() }, /criticMemory: expected 1 returns, got 0/],
  ])('is refused where it is damaged: %j', (changed, field) => {
    const record = { ...checkpoint(3), critics, criticMemory: { ...criticMemory, ...changed } };
    expect(() => asCheckpoint(record, 'a checkpoint')).toThrow(StorageError);
    expect(() => asCheckpoint(record, 'a checkpoint')).toThrow(field);
  });
});
