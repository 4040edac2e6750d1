// A second reader of safetensors files, for tests. This reader was written from the description of the format: eight
// bytes that state a length, JSON of this length, then the arrays at the stated offsets.
import type { PlainTensor } from './llama.ts';

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [from: number, to: number];
}

/** The arrays of a float32 file. Throws if a byte belongs to no array, or if a size does not match its shape. */
export function readTensors(file: Uint8Array): PlainTensor[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const start = 8 + Number(view.getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, start))) as Record<string, Entry>;
  const { __metadata__: _, ...arrays } = header;
  let end = start;
  const tensors = Object.entries(arrays).map(([name, { dtype, shape, data_offsets: offsets }]) => {
    const [from, to] = offsets.map((offset) => start + offset) as [number, number];
    if (dtype !== 'F32' || to - from !== 4 * shape.reduce((product, n) => product * n, 1))
      throw new Error(`${name}: expected F32 [${String(shape)}], got ${dtype} in ${to - from} bytes`);
    end = Math.max(end, to);
    return {
      name,
      shape,
      values: Array.from({ length: (to - from) / 4 }, (__, i) => view.getFloat32(from + 4 * i, true)),
    };
  });
  if (file.byteLength !== end) throw new Error(`${file.byteLength - end} bytes at the end belong to no tensor`);
  return tensors;
}
