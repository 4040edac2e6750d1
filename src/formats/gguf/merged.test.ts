import { describe, expect, it } from 'vitest';
import { numbersOf, type StoredFormat } from '../../base/storedNumbers.ts';
import { writtenAs } from '../../base/writtenNumbers.ts';
import { joinedBytes } from '../../base/joined.ts';
import { Draws, streams } from '../../base/random.ts';
import type { ProjectionAdapter } from '../../records/parameters.ts';
import { dequantised, type StoredMatrix } from '../../records/stored/storedMatrix.ts';
import { heldFile } from '../givenFile.ts';
import { readLlama } from '../llama/readLlama.ts';
import type { LlamaModel } from '../llama/llamaModel.ts';
import { mergedArray } from '../merged/merge.ts';
import { readGgufHead } from './header.ts';
import { mergedGguf, type MergedGgufType } from './merged.ts';
import { ggufShapeOf, sampleGguf, type SampleGgufWish } from './testing/sampleGguf.ts';

const draws = new Draws(3, streams.adapters, 0);
const drawn = (name: string, ...shape: [number, number]) => ({
  ...{ name, shape },
  values: Float32Array.from({ length: shape[0] * shape[1] }, () => draws.normal() / 8),
});

/** Makes an adapter of rank 2 for each projection. */
const pairsFor = (matrices: readonly StoredMatrix[]): ProjectionAdapter[] =>
  matrices
    .filter(({ name }) => name.endsWith('_proj.weight'))
    .map(({ name, shape: [rows = 0, columns = 0] }) => ({
      name: name.slice(0, -'.weight'.length),
      a: drawn('A', 2, columns),
      b: drawn('B', rows, 2),
    }));

async function written(wish: SampleGgufWish, as: MergedGgufType, takes = pairsFor) {
  const file = heldFile('theirs.gguf', sampleGguf(wish));
  const model = await readLlama([file]);
  const source = { ...model, pairs: takes(model.matrices), alpha: 3, file, as, name: 'calm-otter: reasoning' };
  const pieces: Uint8Array[] = [];
  for await (const piece of mergedGguf(source)) pieces.push(piece);
  const merged = heldFile('merged.gguf', joinedBytes(pieces));
  return { file, merged, model, source, again: await readLlama([merged]) };
}

/** Everything that is known about a model from its file, except its weights. */
const toldOf = ({ matrices: _, types: __, ...rest }: LlamaModel) => rest;
const families = ['llama', 'qwen2', 'qwen3', 'gemma3'] as const;
const shapes = {
  llama: ggufShapeOf({ isTied: false }),
  qwen2: ggufShapeOf({ attentionBias: true }),
  qwen3: ggufShapeOf({ qkNorm: true }),
  gemma3: ggufShapeOf({ qkNorm: true, gelu: true, outputNorms: true, scaledEmbeddings: true }),
};

describe.each(families)('a merged GGUF file of the family %s', (family) => {
  it.each<[MergedGgufType, StoredFormat]>([
    ['F16', 'Q4_1'],
    ['Q8_0', 'F32'],
    ['Q8_0', 'Q4_0'],
  ])(
    'in %s, from %s, is read back as W + (α/r)·B·A, rounded once, with unchanged facts of the model',
    async (as, format) => {
      const { model, again, source } = await written({ family, format, shape: shapes[family] }, as);
      expect(toldOf(again)).toEqual(toldOf(model));
      for (const matrix of again.matrices) {
        const own = matrix.shape.length === 1 ? 'F32' : as;
        expect(matrix.format, matrix.name).toBe(own);
        const wanted = numbersOf(own, writtenAs(own, mergedArray(source, matrix.name)));
        expect(Buffer.compare(Buffer.from(dequantised(matrix).buffer), Buffer.from(wanted.buffer)), matrix.name).toBe(
          0,
        );
      }
    },
  );
});

it('a merged file keeps all metadata to the byte, except entries about its numbers', async () => {
  const metadata = {
    'general.file_type': 3,
    'general.quantization_version': 2,
    'general.name': 'theirs',
    'general.license': 'mit',
    'own.text': 'ü',
  };
  const { file, merged } = await written({ metadata, format: 'Q4_1' }, 'F16');
  const [before, after] = [await readGgufHead(file), await readGgufHead(merged)];
  const renewed = ['general.file_type', 'general.quantization_version', 'general.name'];
  for (const [key, bytes] of before.entries)
    if (!renewed.includes(key)) expect(Buffer.compare(bytes, after.entries.get(key) ?? new Uint8Array()), key).toBe(0);
  expect(renewed.map((key) => after.metadata.get(key))).toEqual([1, undefined, 'calm-otter: reasoning']);
  expect(after.metadata.size).toBe(before.metadata.size - 1);
  const eight = await readGgufHead((await written({ metadata }, 'Q8_0')).merged);
  expect(renewed.map((key) => eight.metadata.get(key))).toEqual([7, 2, 'calm-otter: reasoning']);
});

it('a merged file without an adapter equals the frozen model bit for bit, from 16 bits to 16 bits', async () => {
  const { model, again } = await written({ format: 'F16' }, 'F16', () => []);
  expect(again.matrices).toEqual(model.matrices);
});

it('rows that do not fill whole blocks are written in 16 bits, and other tensors are kept', async () => {
  const shape = ggufShapeOf({ hiddenSize: 48, headSize: 16, numHeads: 3, numKvHeads: 3, intermediateSize: 64 });
  const factors = {
    name: 'rope_freqs.weight',
    dimensions: [8],
    type: 0,
    bytes: writtenAs('F32', new Float32Array(8).fill(1)),
  };
  const { again, merged } = await written({ shape, tensors: (own) => [factors, ...own] }, 'Q8_0');
  const formats = Object.fromEntries(
    again.matrices.map(({ name, format }) => [name.split('.').slice(-3, -1).join('.'), format]),
  );
  expect(formats).toMatchObject({ 'self_attn.q_proj': 'F16', 'mlp.down_proj': 'Q8_0', 'mlp.gate_proj': 'F16' });
  const { tensors } = await readGgufHead(merged);
  const [first] = tensors;
  expect([first?.name, first?.format]).toEqual(['rope_freqs.weight', 'F32']);
});
