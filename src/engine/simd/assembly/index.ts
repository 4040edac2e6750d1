// The CPU kernels. Every pointer is a byte address in the imported memory; the caller allocates outputs and
// scratch, so nothing here needs a heap. Compiled by scripts/buildSimd.mjs.
export { matmul } from './matmul';
export { attention, attentionGrad } from './attention';
export { cachedAttention } from './cachedAttention';
export { rmsNorm, rmsNormGrad, softmaxRows, sumRows } from './rows';
export { tokenLogprobs, tokenLogprobsGrad, sampleTokens } from './tokens';
export { swiGlu, swiGluGrad, rope, embed, embedGrad } from './model';
export { binary, unary } from './elementwise';
export { squaredNorm, adamW } from './adamW';
export { copyBlocks, transposeBlocks } from './layout';
