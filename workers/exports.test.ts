// Tests exported files of long runs. Even if many iterations are stored, only one iteration may be converted to text at
// a time.
import { afterEach, expect, it, vi } from 'vitest';
import { writeJsonl } from '../src/formats/jsonl.ts';
import { readJsonl } from '../src/formats/testing/readJsonl.ts';
import { IndexedDbStore } from '../src/storage/checkpointStore.ts';
import { listIterations } from '../src/storage/reading.ts';
import { id, iteration, run } from '../src/storage/testing/sampleRecords.ts';
import { trajectoryFile } from './exports.ts';
import { emptyDatabase } from '../src/storage/testing/emptyDatabase.ts';

emptyDatabase();

afterEach(() => void vi.unstubAllGlobals());

it('no text is longer than the longest iteration, and the file can be read completely', async () => {
  const store = new IndexedDbStore();
  for (let at = 1; at <= 120; at++) await store.saveIteration(id, iteration(at));
  const stored = (await listIterations(id)).filter(({ count }) => count > 0);
  expect(stored.length).toBeGreaterThan(20);
  const longest = Math.max(...stored.map(({ iteration: at }) => writeJsonl(at, iteration(at).trajectories).length));

  const sizes: number[] = [];
  vi.stubGlobal(
    'Blob',
    class extends Blob {
      constructor(parts: BlobPart[] = [], options?: BlobPropertyBag) {
        super(parts, options);
        for (const part of parts) if (part instanceof Uint8Array) sizes.push(part.length);
      }
    },
  );
  const file = await trajectoryFile(run(), 'jsonl');
  expect(sizes).toHaveLength(stored.length + 1); // one part for each iteration, and an empty end
  expect(Math.max(...sizes)).toBeLessThanOrEqual(longest);

  const read = readJsonl(await file.text());
  expect(read.map(({ iteration: at }) => at)).toEqual(
    stored.flatMap(({ iteration: at }) => iteration(at).trajectories.map(() => at)),
  );
  expect(file.type).toBe('application/jsonl');
});
