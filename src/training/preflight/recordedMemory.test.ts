import { describe, expect, it } from 'vitest';
import { bucketOf } from '../rows/buckets.ts';
import { bucketed, recordedBytes, recordedShapes } from './recordedMemory.ts';
import type { RowBatch } from '../rows/rows.ts';

const bucket = bucketOf('webgpu');

/** Two rows a trajectory, all as long as these. */
function batchOf(lengths: readonly number[]): RowBatch {
  const [rows, length] = [2 * lengths.length, Math.max(...lengths)];
  const actionMask = Float32Array.from({ length: rows * length }, (_, i) =>
    i % length < (lengths[Math.floor(i / length / 2)] as number) ? 1 : 0,
  );
  const ints = () => new Int32Array(rows * length);
  return {
    ...{ rows, length, ids: ints(), targets: ints(), turnIds: ints(), actionMask },
    oldLogprobs: new Float32Array(rows * length),
    trajectoryIds: Int32Array.from({ length: rows }, (_, b) => Math.floor(b / 2)),
    agentIds: Int32Array.from({ length: rows }, (_, b) => b % 2),
  };
}

const drawing = { seed: 1, bucket, updates: 40, trajectories: 20, fittingRows: 200 };

describe('the shapes that will be recorded', () => {
  it('are one where all rows are alike: 40 rows of 30 tokens are padded to 48 rows of 32', () => {
    expect(recordedShapes(batchOf([30, 30, 30]), drawing)).toEqual([{ rows: 48, columns: 32 }]);
    expect(bucketed({ rows: 16, columns: 33 }, bucket)).toEqual({ rows: 16, columns: 40 });
  });

  it('are two where a minibatch is cut into whole microbatches and a rest', () => {
    const shapes = recordedShapes(batchOf([30, 30]), { ...drawing, fittingRows: 32 });
    expect(shapes).toEqual(expect.arrayContaining([{ rows: 32, columns: 32 }, { rows: 16, columns: 32 }])); // prettier-ignore
    expect(shapes).toHaveLength(2);
  });

  it('are as many as there are longest rows, and each must come twice', () => {
    const few = { ...drawing, trajectories: 1 };
    const lengths = recordedShapes(batchOf([8, 16, 24]), few).map(({ columns }) => columns);
    expect(lengths.toSorted((a, b) => a - b)).toEqual([8, 16, 24]);
    expect(recordedShapes(batchOf([8, 16, 24]), { ...few, updates: 2 }).length).toBeLessThan(2);
  });
});

describe('their bytes', () => {
  it('grow with the tokens beyond what each holds anyway, up to a gibibyte', () => {
    const tried = [16, 16, 32].map((rows) => ({ rows, columns: 10 }));
    // Two shapes of 160 and 320 tokens held 2 · 100 + 480 · 5 bytes.
    const given = { tried, bytes: 2600, fixedBytes: 100, copies: 2 };
    expect(recordedBytes([{ rows: 64, columns: 10 }], given)).toBe(2 * (100 + 640 * 5));
    expect(recordedBytes([{ rows: 1e9, columns: 10 }], given)).toBe(2 ** 30);
    expect(recordedBytes([{ rows: 64, columns: 10 }], { ...given, bytes: 0 })).toBe(0);
  });
});
