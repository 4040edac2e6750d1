import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { NetworkState } from '../records/stored/checkpoint.ts';
import { openDatabase } from './database.ts';
import { warmStartLimits, WarmStarts } from './warmStarts.ts';
import { emptyDatabase } from './testing/emptyDatabase.ts';

emptyDatabase();

const network = (size: number): NetworkState => ({
  weights: [{ name: 'a', shape: [size], values: new Float32Array(size).fill(0.5) }],
  critic: [],
  m: [],
  v: [],
  updates: 0,
});
const kept = (key: string, size = 3, step = 20) => ({ key, step, networks: [network(size)] });

let clock = 0;
beforeEach(() => {
  // With this clock, the times of the warm starts differ even on a fast computer.
  vi.spyOn(Date, 'now').mockImplementation(() => ++clock);
});
afterEach(() => void vi.restoreAllMocks());

const keys = async () => (await (await openDatabase()).getAllKeys('warmStarts')).sort();

it('a stored warm start is available to the next page, bit for bit, and the newer of one key counts', async () => {
  await new WarmStarts().save(kept('a', 3, 10));
  await new WarmStarts().save(kept('a'));
  expect(await new WarmStarts().load('a')).toMatchObject(kept('a'));
  expect(await new WarmStarts().load('b')).toBeNull();
});

it('the oldest warm starts are deleted beyond the maximum number', async () => {
  const warmStarts = new WarmStarts();
  const names = [...'abcdefghij'];
  for (const name of names) await warmStarts.save(kept(name));
  expect(await keys()).toEqual(names.slice(-warmStartLimits.count));
});

it('the oldest warm starts are deleted beyond the maximum bytes, and a too large one is not stored', async () => {
  const warmStarts = new WarmStarts();
  const third = Math.floor(warmStartLimits.bytes / 3 / 4);
  for (const name of 'abcd') await warmStarts.save(kept(name, third));
  expect(await keys()).toEqual(['b', 'c', 'd']);
  await warmStarts.save(kept('huge', 3 * third + 9));
  expect(await keys()).toEqual(['b', 'c', 'd']);
});

it('a view is stored without the buffer behind it', async () => {
  const whole = new Float32Array(1000);
  const state = { ...network(1), weights: [{ name: 'a', shape: [2], values: whole.subarray(4, 6) }] };
  await new WarmStarts().save({ key: 'a', step: 1, networks: [state] });
  const stored = await new WarmStarts().load('a');
  expect(stored?.networks[0]?.weights[0]?.values.buffer.byteLength).toBe(8);
});

it('a damaged warm start counts as missing', async () => {
  await new WarmStarts().save(kept('a'));
  const database = await openDatabase();
  const record = (await database.get('warmStarts', 'a')) as object;
  await database.put(
    'warmStarts',
    {
      ...record,
      networks: [{ ...network(3), weights: [{ name: 'a', shape: [4], values: new Float32Array(3) }] }],
    } as never,
    'a',
  );
  expect(await new WarmStarts().load('a')).toBeNull();
});

it('without a store, warm starts are kept for the visit', async () => {
  vi.stubGlobal('indexedDB', undefined);
  const warmStarts = new WarmStarts();
  await warmStarts.save(kept('a'));
  expect(await warmStarts.load('a')).toMatchObject(kept('a'));
  expect(await new WarmStarts().load('a')).toBeNull();
  vi.unstubAllGlobals();
});

it('if there is little room, the other warm starts are deleted', async () => {
  const warmStarts = new WarmStarts();
  await warmStarts.save(kept('a'));
  const real = IDBObjectStore.prototype.put;
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementationOnce(() => {
    throw new DOMException('no room', 'QuotaExceededError');
  });
  await warmStarts.save(kept('b'));
  expect(IDBObjectStore.prototype.put).not.toBe(real);
  expect(await keys()).toEqual(['b']);
});
