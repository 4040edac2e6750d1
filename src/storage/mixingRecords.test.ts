// What a run with a mixing critic adds to its checkpoints: kept bit for bit, and refused where it is damaged.
import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { describe, expect, it } from 'vitest';
import { StorageError } from '../base/errors.ts';
import type { MixingState, NetworkState } from '../records/checkpoint.ts';
import { closeDatabase, openDatabase } from './database.ts';
import { loadCheckpoint } from './reading.ts';
import { checkpoint, id } from './testing/sampleRecords.ts';
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

  it('that is damaged is refused as it is read, and stays where it lies', async () => {
    globalThis.indexedDB = new IDBFactory();
    const database = await openDatabase();
    const replay = { ...mixing.replay, facts: Uint16Array.of(2, 65535, 0) };
    await database.put('checkpoints', checkpoint(1, { mixing }));
    await database.put('checkpoints', checkpoint(2, { mixing: { ...mixing, replay } }));
    await expect(loadCheckpoint(id, 2)).rejects.toThrow(StorageError);
    await expect(loadCheckpoint(id, 2)).rejects.toThrow(
      /^checkpoint 2 of run .*: mixing\.replay: expected 4 numbers or more, got 3/,
    );
    expect((await loadCheckpoint(id, 1)).mixing).toEqual(mixing);
    const left = (await database.get('checkpoints', [id, 2])) as { mixing: MixingState };
    expect(left.mixing.replay).toEqual(replay);
    await closeDatabase();
  });

  it('is refused where a part is missing or does not fit its shape', () => {
    const refused = (changed: object, field: RegExp) => {
      const record = { ...checkpoint(3), mixing: { ...mixing, ...changed } };
      expect(() => asCheckpoint(record, 'a checkpoint')).toThrow(StorageError);
      expect(() => asCheckpoint(record, 'a checkpoint')).toThrow(field);
    };
    refused({ replay: undefined }, /mixing\.replay/);
    refused({ replay: { ...mixing.replay, facts: [1] } }, /mixing\.replay\.facts/);
    refused(
      { replay: { ...mixing.replay, stored: 2 } },
      /mixing\.replay: expected 2 dialogues, got 1; start a new run/,
    );
    refused({ replay: { ...mixing.replay, rewards: Float64Array.of(1) } }, /mixing\.replay: expected 0 rewards, got 1/);
    refused({ target: [{ ...critic.weights[0], shape: [977] }] }, /mixing\.target/);
    refused({ critic: { ...critic, m: [] } }, /mixing\.critic\.m/);
  });
});
