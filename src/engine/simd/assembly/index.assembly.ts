// The CPU kernels. Every pointer is a byte address in the imported memory. The caller allocates outputs and scratch
// memory, so the kernels need no allocator. The rows (batch entries) of a call can be divided among threads by adding
// offsets to the pointers; parts that run at the same time need separate scratch memory. scripts/buildSimd.mjs compiles
// the kernels.
export { matmul } from '../../ops/linear/matmul.assembly';
export { fewRows } from '../../ops/linear/fewRows.assembly';
export { frozenMatmul, frozenFew, frozenEmbed } from '../../ops/frozen/frozen.assembly';
export { attention, attentionGrad } from '../../ops/attention/causalAttention.assembly';
export { cachedAttention } from '../../ops/attention/cachedAttention.assembly';
export { rmsNorm, addNorm, normGrad } from '../../ops/norm/norm.assembly';
export { softmaxRows, sumRows } from '../stock/rows.assembly';
export { tokenLogprobs, tokenLogprobsGrad, topTokens, sampleTokens, takeTokens } from '../../ops/tokens/tokens.assembly';
export { swiGlu, swiGluGrad } from '../../ops/swiGlu/swiGlu.assembly';
export { geGlu, geGluGrad } from '../../ops/geGlu/geGlu.assembly';
export { embed, embedGrad } from '../../ops/embed/embed.assembly';
export { binary, unary } from '../stock/elementwise.assembly';
export { squaredNorm, adamW } from '../../ops/adamW/adamW.assembly';
export { copyBlocks, transposeBlocks } from '../stock/layout.assembly';
export { tokenLoss } from '../../ops/loss/tokenLoss.assembly';
