// What a run with a mixing critic adds to its checkpoints: kept bit for bit, and refused where it is damaged.
import { describe, expect, it } from 'vitest';
import { StorageError } from '../base/errors.ts';
import type { MixingState, NetworkState } from '../records/checkpoint.ts';
import { checkpoint } from './sampleRecords.ts';
import { asCheckpoint } from './validate.ts';

const [critic] = checkpoint(1).networks as [NetworkState];
const mixing: MixingState = {
  critic,
  target: critic.weights,
  replay: { stored: 1, facts: Uint16Array.of(1, 65535, 0), rewards: Float64Array.of() },
};

describe('the mixing critic of a checkpoint', () => {
  it('is kept with its slow copy and its replay; an older checkpoint has none', () => {
    const stored = structuredClone(checkpoint(3, { mixing }));
    expect(asCheckpoint(stored, 'a checkpoint').mixing).toEqual(mixing);
    expect(asCheckpoint(checkpoint(3), 'a checkpoint')).not.toHaveProperty('mixing');
  });

  it('is refused where a part is missing or does not fit its shape', () => {
    const refused = (changed: object, field: RegExp) => {
      const record = { ...checkpoint(3), mixing: { ...mixing, ...changed } };
      expect(() => asCheckpoint(record, 'a checkpoint')).toThrow(StorageError);
      expect(() => asCheckpoint(record, 'a checkpoint')).toThrow(field);
    };
    refused({ replay: undefined }, /mixing\.replay/);
    refused({ replay: { ...mixing.replay, facts: [1] } }, /mixing\.replay\.facts/);
    refused({ target: [{ ...critic.weights[0], shape: [977] }] }, /mixing\.target/);
    refused({ critic: { ...critic, m: [] } }, /mixing\.critic\.m/);
  });
});
