// Random weights of a network in the format of a file, for tests.
import { Draws } from '../../base/random.ts';
import { storedSize, type StoredFormat } from '../../base/storedNumbers.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { parameterNames } from '../../records/parameters.ts';
import type { StoredMatrix } from '../../records/stored/storedMatrix.ts';

/** Random weights in this format. The gains of norms are always float32, as in any file. */
export function storedMatrices(shape: ModelShape, format: StoredFormat): StoredMatrix[] {
  const draws = new Draws(7, 0, 0);
  return parameterNames(shape).map(({ name, shape: dimensions }): StoredMatrix => {
    const count = dimensions.reduce((a, b) => a * b, 1);
    if (dimensions.length === 1) {
      const gains = Float32Array.from({ length: count }, () => 1 + 0.1 * draws.normal());
      return { name, shape: dimensions, format: 'F32', bytes: new Uint8Array(gains.buffer) };
    }
    const bytes = new Uint8Array(storedSize(format, count)).map(() => draws.below(256));
    const size = storedSize(format, 32);
    // The scales are set to positive or negative numbers with absolute values between 2⁻⁷ and 2⁻³.
    const soften = (at: number) => (bytes[at] = ((bytes[at] as number) & 0x8f) | 0x20);
    for (let at = 0; at < bytes.length; at += format === 'F16' ? 2 : size) {
      soften(at + 1);
      if (format === 'Q4_1') soften(at + 3);
    }
    return { name, shape: dimensions, format, bytes };
  });
}
