// The exports of kernels.wasm. Pointers are byte addresses, and counts are numbers of float32 values. This file must
// match assembly/index.assembly.ts.

type Kernel<Count extends number, Result = void> = (...args: Tuple<Count>) => Result;
type Tuple<Count extends number, Held extends number[] = []> = Held['length'] extends Count
  ? Held
  : Tuple<Count, [...Held, number]>;

export interface WasmExports {
  matmul: Kernel<13>;
  fewRows: Kernel<7>;
  frozenMatmul: Kernel<9>;
  frozenFew: Kernel<9>;
  frozenEmbed: Kernel<7, number>;
  attention: Kernel<14>;
  attentionGrad: Kernel<16>;
  cachedAttention: Kernel<19>;
  rmsNorm: Kernel<7>;
  addNorm: Kernel<9>;
  normGrad: Kernel<10>;
  softmaxRows: Kernel<4>;
  sumRows: Kernel<4>;
  tokenLogprobs: Kernel<8, number>;
  tokenLogprobsGrad: Kernel<9, number>;
  topTokens: Kernel<12, number>;
  sampleTokens: Kernel<8>;
  takeTokens: Kernel<17>;
  swiGlu: Kernel<4>;
  swiGluGrad: Kernel<5>;
  geGlu: Kernel<4>;
  geGluGrad: Kernel<5>;
  embed: Kernel<6, number>;
  embedGrad: Kernel<6, number>;
  binary: Kernel<9>;
  unary: Kernel<4>;
  squaredNorm: Kernel<2, number>;
  adamW: Kernel<14>;
  copyBlocks: Kernel<6>;
  transposeBlocks: Kernel<6>;
  tokenLoss: Kernel<10>;
}
