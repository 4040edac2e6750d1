// Writes a GGUF file with merged adapters. The metadata of the model and of its tokenizer are copied unchanged from the
// original file, so a program that can read the original file can read the new file too. The tensors are rewritten with
// 16 or 8 bits per number; vectors stay float32, as in llama.cpp's own converter.
import { storedSize, type StoredFormat } from '../../base/storedNumbers.ts';
import { ggufFamilies } from '../../config/families/registry.ts';
import { rangeOf, type GivenFile } from '../givenFile.ts';
import { bytesAs, mergedArray, type Merging } from '../merged/merge.ts';
import { aligned, GgufBytes, interleaved, type MetadataValue } from './bytes.ts';
import { readGgufHead, type GgufTensor } from './header.ts';
import { huggingFaceName } from './names.ts';

/**
 * The type of the matrices: F16 has 16 bits per number; Q8_0 has 8 bits per number and a scale for every 32 numbers.
 */
export type MergedGgufType = 'F16' | 'Q8_0';

/** The ids of ggml's tensor types. */
const typeNumbers = { F32: 0, F16: 1, Q8_0: 8 } as const;
/** llama.cpp's ids of file types. The type of a file is the type of most of its matrices. */
const fileTypes: Record<MergedGgufType, number> = { F16: 1, Q8_0: 7 };

/**
 * Whether a metadata entry describes the numbers of the original file; such an entry would be wrong in the new file.
 */
const isOfNumbers = (key: string) =>
  /^general\.(?:name|file_type|quantization_version)$|^quantize\.imatrix\.|^split\./.test(key);

export interface MergedGguf extends Merging {
  /** The file of the frozen model. */
  file: GivenFile;
  as: MergedGgufType;
  /** The name of the model in the file. */
  name: string;
}

/**
 * The bytes of the file in order. Throws FormatError for an invalid file, and for numbers that the type cannot
 * represent.
 */
export async function* mergedGguf(source: MergedGguf): AsyncGenerator<Uint8Array> {
  const { file, as, name } = source;
  const { metadata, entries, alignment, tensors } = await readGgufHead(file);
  const hasNeighbours = ggufFamilies.get(String(metadata.get('general.architecture')))?.gguf?.hasNeighbours;
  const kept = [...entries].filter(([key]) => !isOfNumbers(key)).map(([, bytes]) => bytes);
  const told: [string, MetadataValue][] = [
    ['general.name', { kind: 'string', value: name }],
    ['general.file_type', { kind: 'uint32', value: fileTypes[as] }],
    ...(as === 'Q8_0'
      ? [['general.quantization_version', { kind: 'uint32', value: 2 }] as [string, MetadataValue]]
      : []),
  ];
  const head = new GgufBytes()
    .text('GGUF')
    .uint32(3)
    .uint64(tensors.length)
    .uint64(kept.length + told.length);
  for (const bytes of kept) head.raw(bytes);
  for (const [key, value] of told) head.string(key).value(value);
  const placed = tensors.map((tensor) => ({ ...tensor, own: formatFor(tensor, source) }));
  let offset = 0;
  for (const { name: called, shape, own } of placed) {
    head.string(called).uint32(shape.length);
    // GGUF lists the dimension whose numbers are next to each other in memory first.
    for (const size of [...shape].reverse()) head.uint64(size);
    head.uint32(typeNumbers[own]).uint64(offset);
    offset += aligned(storedSize(own, sizeOf(shape)), alignment);
  }
  yield head.bytes();
  yield new Uint8Array(aligned(head.length, alignment) - head.length);
  for (const { name: called, shape, own, from, to } of placed) {
    const theirs = huggingFaceName(called, source.shape);
    // An array that is not a parameter of the network, such as the frequency factors, is copied unchanged.
    const bytes = theirs === called ? await rangeOf(file, from, to) : bytesAs(own, theirs, inOrder(theirs, shape));
    yield bytes;
    yield new Uint8Array(aligned(bytes.length, alignment) - bytes.length);
  }

  function inOrder(theirs: string, shape: readonly number[]): Float32Array {
    const values = mergedArray(source, theirs);
    const heads = theirs.includes('.q_proj.')
      ? source.shape.numHeads
      : theirs.includes('.k_proj.')
        ? source.shape.numKvHeads
        : 0;
    return hasNeighbours && heads > 0 ? interleaved(values, shape, heads) : values;
  }
}

const sizeOf = (shape: readonly number[]) => shape.reduce((product, n) => product * n, 1);

/**
 * A block of Q8_0 contains 32 numbers of one row. If the length of the rows is not a multiple of 32, the matrix is
 * stored in F16.
 */
function formatFor({ shape, name, format }: GgufTensor, { shape: of, as }: MergedGguf): 'F32' | 'F16' | 'Q8_0' {
  const own: StoredFormat = huggingFaceName(name, of) === name ? format : 'F32';
  if (shape.length === 1) return own as 'F32';
  return as === 'Q8_0' && (shape.at(-1) as number) % 32 === 0 ? 'Q8_0' : 'F16';
}
