// The gated activation of a Gemma block.
import { gatedKernels } from '../swiGlu/simd.ts';

export const geGluKernels = gatedKernels('GeGlu', 'geGlu');
