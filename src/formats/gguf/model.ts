// Reads a model from one GGUF file. The rows of query and key matrices are converted from llama.cpp's order, in which
// RoPE rotates neighbouring rows together, to Hugging Face's order, in which RoPE rotates the first half of a head's
// rows with the second half. A quantised block never contains numbers of two rows, so rows can be moved without
// decoding them.
import { FormatError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { numbersOf } from '../../base/storedNumbers.ts';
import { ggufFamilies } from '../../config/families/registry.ts';
import type { StoredMatrix } from '../../records/stored/storedMatrix.ts';
import { tokenizerOf } from '../../text/tokenizer.ts';
import { rangeOf, type GivenFile } from '../givenFile.ts';
import { refuseBroken } from '../../text/boundedTemplate.ts';
import type { LlamaModel } from '../llama/llamaModel.ts';
import { placedInOrder, readMatrices, toldOf } from '../llama/weights.ts';
import { readGgufHead } from './header.ts';
import { huggingFaceName } from './names.ts';
import { GgufNotes } from './notes.ts';
import { ggufShape } from './shape.ts';
import { ggufTokens } from './tokens.ts';

export const isGguf = (name: string): boolean => /\.gguf$/i.test(name);

/**
 * The name of the tensor with the divisors of the RoPE frequencies. The divisors are part of the shape and not of the
 * weights.
 */
const ropeFactorsName = 'rope_freqs.weight';

/**
 * Reads a file, one tensor at a time; each tensor stays in the format of the file. Throws FormatError if the file is
 * not a supported model; the message contains the name of the file.
 */
export const readGguf = (file: GivenFile): Promise<LlamaModel> => toldOf(file.name, () => read(file));

async function read(file: GivenFile): Promise<LlamaModel> {
  const { metadata, tensors } = await readGgufHead(file);
  const notes = new GgufNotes(metadata);
  const parts = notes.whole('split.count', 1);
  if (parts > 1)
    throw new FormatError(
      spoken`GGUF: expected the whole model, got one of its ${parts} files; join the files with llama-gguf-split --merge.`,
    );
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const factors = byName.get(ropeFactorsName);
  const shape = ggufShape(notes, {
    has: (name) => byName.has(name),
    ropeFactors: factors ? numbersOf(factors.format, await rangeOf(file, factors.from, factors.to)) : null,
    vocabSize: byName.get('token_embd.weight')?.shape[0] ?? 0,
  });
  const { tokenizer, special, endIds, count } = ggufTokens(notes);
  if (count !== shape.vocabSize)
    throw new FormatError(
      spoken`GGUF: tokenizer.ggml.tokens: expected a token for each of the ${shape.vocabSize} rows of token_embd.weight, got ${count}; the tokenizer belongs to another model.`,
    );
  tokenizerOf(tokenizer);
  const chatTemplate = notes.has('tokenizer.chat_template') ? notes.text('tokenizer.chat_template') : null;
  if (chatTemplate !== null) refuseBroken(chatTemplate, 'tokenizer.chat_template');
  const own = tensors.filter(({ name }) => name !== ropeFactorsName);
  const placed = placedInOrder(
    own.map((tensor) => ({ ...tensor, file, name: huggingFaceName(tensor.name, shape) })),
    shape,
  );
  const matrices = await readMatrices(placed);
  const family = notes.text('general.architecture');
  if (ggufFamilies.get(family)?.gguf?.hasNeighbours) {
    for (const [i, matrix] of matrices.entries()) {
      const heads = /\.q_proj\./.test(matrix.name) ? shape.numHeads : shape.numKvHeads;
      if (/\.[qk]_proj\./.test(matrix.name)) matrices[i] = { ...matrix, bytes: halved(matrix, heads) };
    }
  }
  return {
    family,
    ...(notes.has('general.license') && { licence: notes.text('general.license').slice(0, 200) }),
    ...{ shape, matrices, tokenizer, special, chatTemplate, endIds },
    promisedPositions: notes.whole(`${family}.context_length`),
    types: [...new Set(own.map(({ format }) => format))],
  };
}

/** Reorders the rows of each head: first the rows with even indices, then the rows with odd indices. */
function halved({ shape, bytes }: StoredMatrix, heads: number): Uint8Array {
  const rows = shape[0] as number;
  const [width, size] = [bytes.length / rows, rows / heads];
  const mended = new Uint8Array(bytes.length);
  for (let row = 0; row < rows; row++) {
    const within = row % size;
    const from = row - within + (within < size / 2 ? 2 * within : 2 * within - size + 1);
    mended.set(bytes.subarray(from * width, (from + 1) * width), row * width);
  }
  return mended;
}
