// The loss of a policy update, with its gradient.
import { declare, input, type KernelDeclaration } from '../../simd/kernel.ts';

export function lossKernels(): KernelDeclaration[] {
  return [
    declare('TokenLoss', (call) => {
      const { backend } = call;
      const at = (name: string) => backend.address(input(call, name));
      const count = input(call, 'facts').shape[1] as number;
      const hasValues = call.attrs['hasValues'] === true;
      const values = hasValues ? at('values') : 0;
      const operands = [at('logprobs'), at('entropy'), values, at('facts'), at('settings')] as const;
      const [terms, dLogprobs, dEntropy, dValues] = [
        backend.allocate([8, count]),
        ...[count, count, hasValues ? count : 0].map((size) => backend.allocate([size])),
      ] as [Output, Output, Output, Output];
      const outputs = [terms.address, dLogprobs.address, dEntropy.address, dValues.address] as const;
      backend.wasm.tokenLoss(...operands, ...outputs, count);
      return [terms.info, dLogprobs.info, dEntropy.info, dValues.info];
    }),
  ];
}

type Output = { info: import('@tensorflow/tfjs-core').TensorInfo; address: number };
