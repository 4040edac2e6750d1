// What kernels.wasm exports. Pointers are byte addresses, counts are numbers of float32. Must match assembly/.

type Kernel<Count extends number, Result = void> = (...args: Tuple<Count>) => Result;
type Tuple<Count extends number, Held extends number[] = []> = Held['length'] extends Count
  ? Held
  : Tuple<Count, [...Held, number]>;

export interface WasmExports {
  matmul: Kernel<12>;
  attention: Kernel<11>;
  attentionGrad: Kernel<14>;
  cachedAttention: Kernel<15>;
  rmsNorm: Kernel<6>;
  rmsNormGrad: Kernel<9>;
  softmaxRows: Kernel<5>;
  sumRows: Kernel<4>;
  tokenLogprobs: Kernel<8, number>;
  tokenLogprobsGrad: Kernel<9, number>;
  sampleTokens: Kernel<8>;
  swiGlu: Kernel<4>;
  swiGluGrad: Kernel<6>;
  rope: Kernel<10>;
  embed: Kernel<6, number>;
  embedGrad: Kernel<6, number>;
  binary: Kernel<9>;
  unary: Kernel<4>;
  squaredNorm: Kernel<2, number>;
  adamW: Kernel<17>;
  copyBlocks: Kernel<6>;
  transposeBlocks: Kernel<6>;
}
