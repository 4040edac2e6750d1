// Tests of damage that only the checksum can detect: a number in a record has changed to another valid number.
import { describe, expect, it } from 'vitest';
import { StorageError } from '../base/errors.ts';
import type { Checkpoint } from '../records/stored/checkpoint.ts';
import { addRun } from './archive/addRun.ts';
import { archivedRun } from './archive/archivedRun.ts';
import { entriesOf } from './archive/fromStore.ts';
import { IndexedDbStore } from './checkpointStore.ts';
import { openDatabase } from './database.ts';
import * as reading from './reading.ts';
import { array, checkpoint, id, iteration, run } from './testing/sampleRecords.ts';
import { WarmStarts } from './warmStarts.ts';
import { emptyDatabase } from './testing/emptyDatabase.ts';

emptyDatabase();

const store = new IndexedDbStore();
const network = checkpoint(1).networks[0] as Checkpoint['networks'][number];
const memory = { stored: 1, facts: Uint16Array.of(1, 1, 9, 1, 0, 0), rewards: Float64Array.of(1 / 3) };
const replay = { stored: 1, facts: Uint16Array.of(1, 9, 1, 0, 0), rewards: Float64Array.of(0.5) };
const answer = { iteration: 3, question: '7+4*2', tokens: [1, 8], start: 1, isRight: true };
/** A checkpoint with every optional part. */
const whole = (at: number) =>
  checkpoint(at, {
    base: [array('b', 1, 2)],
    critics: [network],
    criticStates: [{ memory, scale: { weight: 0.1, mean: 1 / 30, square: 0.25 } }],
    mixing: { critic: network, target: [array('a', 3)], replay },
    verifier: { network, answers: [answer] },
    pairs: [{ prompt: 'p', chosen: 'c', rejected: 'r' }],
  });

type Key = string | number;
type Fields = Record<Key, unknown>;
/** The paths of all number arrays and of all single numbers in a record. */
function placesOf(value: unknown, at: Key[] = []): Key[][] {
  if (typeof value === 'number' || ArrayBuffer.isView(value)) return [at];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => placesOf(item, [...at, key]));
}
const valueAt = (record: unknown, place: readonly Key[]) =>
  place.reduce((value, key) => (value as Fields)[key], record);

/** A copy of the record in which the lowest bit of the number at this path is flipped. */
function flipped(record: Checkpoint, place: readonly Key[]): Checkpoint {
  const damaged = structuredClone(record);
  const value = valueAt(damaged, place);
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    bytes[0] = (bytes[0] as number) ^ 1;
  } else {
    const bits = new BigUint64Array(Float64Array.of(value as number).buffer);
    bits[0] = (bits[0] as bigint) ^ 1n;
    (valueAt(damaged, place.slice(0, -1)) as Fields)[place.at(-1) as Key] = new Float64Array(bits.buffer)[0];
  }
  return damaged;
}
const places = placesOf(whole(2)).filter((place) => place[0] !== 'runId');
const isOfArray = (place: readonly Key[]) => ArrayBuffer.isView(valueAt(whole(2), place));

async function damageOf(place: readonly Key[]): Promise<void> {
  const database = await openDatabase();
  const stored = (await database.get('checkpoints', [id, 2])) as Checkpoint;
  // The record is stored under its original key, even if the flipped bit is in a field from which the key is made.
  await database.put('checkpoints', { ...flipped(stored, place), runId: id, iteration: 2 });
}

describe('one flipped bit in a stored checkpoint', () => {
  const arrays = places.filter(isOfArray);
  it('is looked for in arrays of every kind', () => {
    const kinds = [...new Set(arrays.map((place) => place.filter((key) => !/^\d+$/.test(String(key))).join('.')))];
    expect(kinds.toSorted()).toEqual(
      [
        'base.values',
        ...['critic.values', 'm', 'v', 'weights.values'].flatMap((part) =>
          ['critics', 'mixing.critic', 'networks', 'verifier.network'].map((owner) => `${owner}.${part}`),
        ),
        ...['criticStates.memory', 'mixing.replay'].flatMap((owner) => [`${owner}.facts`, `${owner}.rewards`]),
        'mixing.target.values',
        'reference.values',
      ].toSorted(),
    );
  });

  it.each(arrays.map((place) => [place.join('.'), place] as const))(
    'of %s is found and told, and the one before is taken',
    async (_, place) => {
      await store.saveRun(run());
      for (const at of [1, 2]) await store.saveCheckpoint(whole(at));
      expect((await reading.resumePoint(id))?.checkpoint).toEqual(whole(2));
      await damageOf(place);
      await expect(reading.loadCheckpoint(id, 2)).rejects.toThrow(StorageError);
      const way = await reading.resumePoint(id);
      expect(way?.checkpoint).toEqual(whole(1));
      expect(way?.damaged.map(({ message }) => message)).toEqual([
        'checkpoint 2 of run run-1: the checksum does not match, so the data has changed since it was stored; continue from an earlier checkpoint, or from an archive.',
      ]);
    },
  );

  it('of any other number, settings included, is found as well', async () => {
    await store.saveCheckpoint(whole(2));
    const stored = (await (await openDatabase()).get('checkpoints', [id, 2])) as Checkpoint;
    const others = places.filter((place) => !isOfArray(place) && place.join('.') !== 'iteration');
    expect(others.length).toBeGreaterThan(100);
    for (const place of others) {
      await damageOf(place);
      await expect(reading.loadCheckpoint(id, 2), place.join('.')).rejects.toThrow(StorageError);
      await (await openDatabase()).put('checkpoints', stored);
    }
    expect(await reading.loadCheckpoint(id, 2)).toEqual(whole(2));
  });

  it('of an imported run is found as well; a checkpoint of an earlier version, which has no checksum, is read', async () => {
    await store.saveCheckpoint(whole(2));
    const { checksum, ...former } = (await (await openDatabase()).get('checkpoints', [id, 2])) as Checkpoint & {
      checksum: number;
    };
    expect(checksum).toBeGreaterThan(0);
    await (await openDatabase()).put('checkpoints', former);
    expect(await reading.loadCheckpoint(id, 2)).toEqual(whole(2));
    // Without a checksum, damage is detected only if a value is no longer a number.
    await damageOf(['networks', 0, 'weights', 0, 'values']);
    expect(await reading.loadCheckpoint(id, 2)).not.toEqual(whole(2));
  });
});

describe('one flipped bit in the stored dialogues of an iteration', () => {
  type Packed = { packed: Uint8Array; runId: string; iteration: number; checksum?: number };
  const read = async () => (await (await openDatabase()).get('iterations', [id, 3])) as Packed;
  const write = async (record: Packed) => void (await (await openDatabase()).put('iterations', record));

  it('is found wherever it lies, the raw log-probabilities included; another iteration is read as ever', async () => {
    for (const at of [3, 4]) await store.saveIteration(id, iteration(at));
    const others = await reading.loadIteration(id, 4);
    const stored = await read();
    for (let at = 0; at < stored.packed.length; at += 3) {
      const packed = stored.packed.slice();
      packed[at]! ^= 1 << (at % 8);
      await write({ ...stored, packed });
      await expect(reading.loadIteration(id, 3), `byte ${at}`).rejects.toThrow(
        'trajectories of iteration 3 of run run-1: the checksum does not match',
      );
    }
    expect(await reading.loadIteration(id, 4)).toEqual(others);
  });

  it('is found after an import too; dialogues of an earlier version, which have no checksum, are read', async () => {
    await store.saveRun(run());
    await store.saveCheckpoint(whole(2));
    await store.saveIteration(id, iteration(3));
    const trajectories = await reading.loadIteration(id, 3);
    const { checksum: _, ...former } = await read();
    await write(former);
    expect(await reading.loadIteration(id, 3)).toEqual(trajectories);
    const files = new Map<string, Uint8Array>();
    for await (const { name, bytes } of entriesOf(id, ({ message }) => expect.fail(message))) files.set(name, bytes);
    await store.deleteRun(id);
    await addRun(archivedRun(files));
    expect(await reading.loadIteration(id, 3)).toEqual(trajectories);
    const stored = await read();
    stored.packed[stored.packed.length - 1]! ^= 1;
    await write(stored);
    await expect(reading.loadIteration(id, 3)).rejects.toThrow('the checksum does not match');
  });
});

it('a kept warm start that changed since is trained again', async () => {
  const kept = { key: 'k', step: 3, networks: [network] };
  await new WarmStarts().save(kept);
  expect(await new WarmStarts().load('k')).toMatchObject(kept);
  const database = await openDatabase();
  const stored = (await database.get('warmStarts', 'k'))!;
  const weight = stored.networks[0]!.weights[0]!.values;
  weight[0] = weight[0]! + 1;
  await database.put('warmStarts', stored, 'k');
  expect(await new WarmStarts().load('k')).toBeNull();
});
