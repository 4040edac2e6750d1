// The elementwise pieces of a Llama block: gated activation and rotary positions.
import { declare, input, type KernelDeclaration, sizeOf } from './kernel.ts';

export function modelKernels(): KernelDeclaration[] {
  return [
    declare('SwiGlu', (call) => {
      const { backend } = call;
      const [gate, up] = [input(call, 'gate'), input(call, 'up')];
      const operands = [backend.address(gate), backend.address(up)] as const;
      const out = backend.allocate(gate.shape);
      backend.wasm.swiGlu(...operands, out.address, sizeOf(gate));
      return out.info;
    }),
    declare('SwiGluGrad', (call) => {
      const { backend } = call;
      const [gate, up, dy] = [input(call, 'gate'), input(call, 'up'), input(call, 'dy')];
      const operands = [backend.address(gate), backend.address(up), backend.address(dy)] as const;
      const [dGate, dUp] = [backend.allocate(gate.shape), backend.allocate(gate.shape)];
      backend.wasm.swiGluGrad(...operands, dGate.address, dUp.address, sizeOf(gate));
      return [dGate.info, dUp.info];
    }),
    declare('Rope', (call) => {
      const { backend } = call;
      const [x, cos, sin] = [input(call, 'x'), input(call, 'cos'), input(call, 'sin')];
      const operands = [backend.address(x), backend.address(cos), backend.address(sin)] as const;
      const out = backend.allocate(x.shape);
      const sizes = x.shape as [number, number, number, number];
      const sign = call.attrs['isInverse'] === true ? -1 : 1;
      backend.wasm.rope(...operands, out.address, ...sizes, cos.shape[0] as number, sign);
      return out.info;
    }),
  ];
}
