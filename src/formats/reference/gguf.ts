// A second reader of GGUF files with float32 numbers, for tests. This reader was written from the description of the
// format and shares no code with the exporter. It returns the metadata and the tensors, with Hugging Face's names. The
// rows of the tensors stay in the order of the file.
import type { PlainTensor } from './llama.ts';

type Plain = number | string | boolean;

/** Throws if a tensor does not begin at its stated offset, or if a byte belongs to no part of the file. */
export function readGguf(file: Uint8Array): { metadata: Record<string, Plain | Plain[]>; tensors: PlainTensor[] } {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let at = 0;
  const uint32 = () => view.getUint32((at += 4) - 4, true);
  const uint64 = () => Number(view.getBigUint64((at += 8) - 8, true));
  const string = () => {
    const length = uint64();
    return new TextDecoder().decode(file.subarray(at, (at += length)));
  };
  const readers: Record<number, () => Plain> = {
    4: uint32,
    5: () => view.getInt32((at += 4) - 4, true),
    6: () => view.getFloat32((at += 4) - 4, true),
    7: () => view.getUint8((at += 1) - 1) === 1,
    8: string,
  };
  const plain = (kind: number): Plain => {
    const read = readers[kind];
    if (!read) throw new Error(`type ${kind} at ${at}`);
    return read();
  };
  if (new TextDecoder().decode(file.subarray(0, 4)) !== 'GGUF') throw new Error('no GGUF');
  at = 4;
  if (uint32() !== 3) throw new Error('another version');
  const [tensorCount, pairCount] = [uint64(), uint64()];
  const metadata: Record<string, Plain | Plain[]> = {};
  for (let i = 0; i < pairCount; i++) {
    const key = string();
    const kind = uint32();
    if (kind !== 9) metadata[key] = plain(kind);
    else {
      const of = uint32();
      metadata[key] = Array.from({ length: uint64() }, () => plain(of));
    }
  }
  const entries = Array.from({ length: tensorCount }, () => {
    const name = string();
    const shape = Array.from({ length: uint32() }, uint64).reverse();
    return { name, shape, kind: uint32(), offset: uint64() };
  });
  const start = Math.ceil(at / 32) * 32;
  let end = start;
  const tensors = entries.map(({ name, shape, kind, offset }) => {
    if (kind !== 0 || start + offset !== end)
      throw new Error(`${name}: expected type 0 at ${end - start}, got type ${kind} at ${offset}`);
    const length = shape.reduce((product, n) => product * n, 1);
    const values = Array.from({ length }, (_, i) => view.getFloat32(end + 4 * i, true));
    end += Math.ceil((4 * length) / 32) * 32;
    return { name: longName(name), shape, values };
  });
  if (end !== file.byteLength) throw new Error(`${file.byteLength - end} bytes at the end belong to no tensor`);
  return { metadata, tensors };
}

const parts: Record<string, string> = {
  attn_q: 'self_attn.q_proj',
  attn_k: 'self_attn.k_proj',
  attn_v: 'self_attn.v_proj',
  attn_output: 'self_attn.o_proj',
  ffn_gate: 'mlp.gate_proj',
  ffn_up: 'mlp.up_proj',
  ffn_down: 'mlp.down_proj',
  attn_norm: 'input_layernorm',
  ffn_norm: 'post_attention_layernorm',
  token_embd: 'model.embed_tokens',
  output_norm: 'model.norm',
  output: 'lm_head',
};

function longName(name: string): string {
  const words = name.split('.');
  const [first = '', layer, part = ''] = words;
  return first === 'blk' ? `model.layers.${layer}.${parts[part]}.weight` : `${parts[first]}.weight`;
}
