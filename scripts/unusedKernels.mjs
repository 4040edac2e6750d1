// Leaves kernels of TensorFlow.js out of builds. The unit tests run without them too, so a computation that needs one of
// them fails there.

/** Kernels and gradients for images, convolutions, signals, strings, and sparse or ragged tensors. */
const unused =
  /Conv[23]D|Depthwise|Pool|Dilation2D|Resize|CropAndResize|FlipLeftRight|RotateWithOffset|NonMaxSuppression|FFT|Sparse|Ragged|String|StaticRegexReplace|LRN|BatchNorm|ToBatchND|BatchToSpace|DepthToSpace|^Draw$|^Transform$|Bincount|MirrorPad|Multinomial|Einsum/;

/**
 * Removes these kernels and gradients from the lists that TensorFlow.js registers.
 * @returns {import('vite').Plugin}
 */
export function withoutUnusedKernels() {
  return {
    name: 'without-unused-kernels',
    enforce: 'pre',
    transform: {
      filter: { id: /@tensorflow\/.*\/register_all_(kernels|gradients)\.js$/ },
      handler(code) {
        const lines = code.split('\n');
        const left = lines.flatMap((line) => {
          const [, config = '', file = ''] = /^import \{ (\w+) \} from '.*\/(\w+?)(?:_grad)?';/.exec(line) ?? [];
          return unused.test(file) ? [config] : [];
        });
        const isKept = (/** @type {string} */ line) => !(line.match(/\w+/g) ?? []).some((word) => left.includes(word));
        return { code: lines.filter(isKept).join('\n'), map: null };
      },
    },
  };
}
