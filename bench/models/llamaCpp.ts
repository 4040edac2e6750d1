// Runs the same workloads in llama.cpp, with a GGUF file of exactly the weights that the engine of Cothink has.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { joinedBytes } from '../../src/base/joined.ts';
import { aligned, GgufBytes, type MetadataValue } from '../../src/formats/gguf/bytes.ts';
import type { GgufValue } from '../../src/formats/gguf/header.ts';
import { ggufName } from '../../src/formats/gguf/names.ts';
import { sampleMetadata } from '../../src/formats/gguf/testing/sampleGguf.ts';
import { chanceMatrices } from './learner.ts';
import type { Taken } from './served.ts';
import { heardTokens, shape, type Work, works } from './work.ts';

export interface LlamaCppTask {
  backend: 'llama.cpp';
  format: 'q8_0' | 'q4_1';
  threads: number;
  file: string;
  /** The folder that holds node-llama-cpp. */
  tool: string;
}

const typeNumbers = { F32: 0, Q4_1: 3, Q8_0: 8 };

/**
 * Writes the weights as a file of this format. The file has as many tokens as the model, which are never decoded.
 */
export function writeGguf(file: string, format: LlamaCppTask['format']): void {
  const tokens = Array.from({ length: shape.vocabSize }, (_, id) => `t${id}`);
  const metadata: Record<string, GgufValue> = {
    ...sampleMetadata('llama', shape),
    'llama.rope.dimension_count': shape.headSize,
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.token_type': tokens.map(() => 1),
    'tokenizer.ggml.merges': ['t0 t1'],
  };
  const entries = Object.entries(metadata);
  const tensors = chanceMatrices(format, shape);
  const head = new GgufBytes().text('GGUF').uint32(3).uint64(tensors.length).uint64(entries.length);
  for (const [key, value] of entries) head.string(key).value(asValue(value));
  let offset = 0;
  for (const { name, shape: sizes, format: own, bytes } of tensors) {
    head.string(ggufName(name)).uint32(sizes.length);
    // The fastest dimension comes first.
    for (const size of [...sizes].reverse()) head.uint64(size);
    head.uint32(typeNumbers[own as keyof typeof typeNumbers]).uint64(offset);
    offset += aligned(bytes.length);
  }
  const padding = (length: number) => new Uint8Array(aligned(length) - length);
  const parts = tensors.flatMap(({ bytes }) => [bytes, padding(bytes.length)]);
  writeFileSync(file, joinedBytes([head.bytes(), padding(head.length), ...parts]));
}

function asValue(value: GgufValue): MetadataValue {
  if (typeof value === 'string') return { kind: 'string', value };
  if (typeof value === 'number') return { kind: Number.isInteger(value) ? 'uint32' : 'float32', value };
  const values = value as readonly (string | number)[];
  return { kind: 'array', of: typeof values[0] === 'string' ? 'string' : 'int32', values };
}

/** The part of node-llama-cpp that is used here. */
interface Llama {
  loadModel: (options: object) => Promise<{
    createContext: (options: object) => Promise<{ getSequence: () => Sequence }>;
  }>;
}
interface Sequence {
  clearHistory: () => Promise<void>;
  evaluate: (tokens: readonly number[], options: object) => AsyncIterable<number>;
}

export async function llamaCpp({ file, tool, threads }: LlamaCppTask): Promise<(work: Work) => Promise<Taken>> {
  const address = pathToFileURL(path.join(tool, 'node_modules/node-llama-cpp/dist/index.js')).href;
  const { getLlama } = (await import(/* @vite-ignore */ address)) as { getLlama: (options: object) => Promise<Llama> };
  const llama = await getLlama({
    gpu: false,
    build: 'never',
    progressLogs: false,
    logLevel: 'error',
    maxThreads: threads,
  });
  const model = await llama.loadModel({ modelPath: file });
  const size = shape.maxPositions;
  const sequence = (await model.createContext({ contextSize: size, batchSize: size, threads })).getSequence();
  return async (work) => {
    const { heard, said } = works[work];
    await sequence.clearHistory();
    let left = Math.max(1, said);
    const tokens = heard > 0 ? heardTokens(heard) : [2];
    for await (const _ of sequence.evaluate(tokens, { temperature: 0, yieldEogToken: true })) if (--left === 0) break;
    return {};
  };
}
