// Where logits meet token ids: log-probabilities, entropy, sampling, embedding rows.
import type * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../../base/errors.ts';
import { declare, input, type KernelCall, type KernelDeclaration } from '../../simd/kernel.ts';

export function tokenKernels(): KernelDeclaration[] {
  return [
    declare('TokenLogprobs', (call) => {
      const { backend } = call;
      const [logits, ids] = [input(call, 'logits'), input(call, 'ids')];
      const [rows, vocabulary] = logits.shape as [number, number];
      const operands = [backend.address(logits), backend.address(ids)] as const;
      const [logprobs, entropy] = [backend.allocate([rows]), backend.allocate([rows])];
      let bad = -1;
      backend.withScratch(vocabulary, (scratch) => {
        const outputs = [logprobs.address, entropy.address] as const;
        bad = backend.wasm.tokenLogprobs(...operands, ...outputs, rows, vocabulary, inverseTemperature(call), scratch);
      });
      expectKnownIds(call, bad, vocabulary);
      return [logprobs.info, entropy.info];
    }),
    declare('TokenLogprobsGrad', (call) => {
      const { backend } = call;
      const logits = input(call, 'logits');
      const [rows, vocabulary] = logits.shape as [number, number];
      const operands = ['logits', 'ids', 'dLogprobs', 'dEntropy'].map((name) => backend.address(input(call, name))) as [
        number,
        number,
        number,
        number,
      ];
      const out = backend.allocate(logits.shape);
      let bad = -1;
      backend.withScratch(vocabulary, (scratch) => {
        const sizes = [rows, vocabulary, inverseTemperature(call)] as const;
        bad = backend.wasm.tokenLogprobsGrad(...operands, out.address, ...sizes, scratch);
      });
      expectKnownIds(call, bad, vocabulary);
      return out.info;
    }),
    declare('SampleTokens', (call) => {
      const { backend } = call;
      const [logits, uniforms] = [input(call, 'logits'), input(call, 'uniforms')];
      const [rows, vocabulary] = logits.shape as [number, number];
      const operands = [backend.address(logits), backend.address(uniforms)] as const;
      const [ids, logprobs] = [backend.allocate([rows], 'int32'), backend.allocate([rows])];
      backend.withScratch(vocabulary, (scratch) => {
        const outputs = [ids.address, logprobs.address] as const;
        backend.wasm.sampleTokens(...operands, ...outputs, rows, vocabulary, inverseTemperature(call), scratch);
      });
      return [ids.info, logprobs.info];
    }),
    declare('Embed', (call) => {
      const { backend } = call;
      const [ids, table] = [input(call, 'ids'), input(call, 'table')];
      const [vocabulary, width] = table.shape as [number, number];
      const rows = ids.shape[0] as number;
      const operands = [backend.address(ids), backend.address(table)] as const;
      const out = backend.allocate([rows, width]);
      expectKnownIds(call, backend.wasm.embed(...operands, out.address, rows, vocabulary, width), vocabulary);
      return out.info;
    }),
    declare('EmbedGrad', (call) => {
      const { backend } = call;
      const [ids, dy] = [input(call, 'ids'), input(call, 'dy')];
      const [rows, width] = dy.shape as [number, number];
      const vocabulary = call.attrs['vocabulary'] as number;
      const operands = [backend.address(ids), backend.address(dy)] as const;
      const out = backend.allocate([vocabulary, width]);
      expectKnownIds(call, backend.wasm.embedGrad(...operands, out.address, rows, vocabulary, width), vocabulary);
      return out.info;
    }),
  ];
}

function inverseTemperature(call: KernelCall): number {
  return 1 / (call.attrs['temperature'] as number);
}

/** Throws ShapeError for the first id a kernel refused (−1 when it took all). */
function expectKnownIds(call: KernelCall, bad: number, vocabulary: number): void {
  if (bad < 0) return;
  const ids = call.backend.readSync(input(call, 'ids').dataId) as tf.TypedArray;
  throw new ShapeError(
    `simd: ids[${String(bad)}] must be in [0, ${String(vocabulary)}), got ${String(ids[bad])}; ` +
      'was the tokenizer changed after the model was made?',
  );
}
