// Leaves kernels of TensorFlow.js out of builds. The unit tests run without them too, so a computation that needs one of
// them fails there.

/** The backend on tfjs-wasm, with which benches and tests compare, imports what the CPU backend shares for strings. */
const imported = /String/;

/** Kernels and gradients for images, convolutions, signals, strings, and sparse or ragged tensors. */
const unused =
  /Conv[23]D|Depthwise|Pool|Dilation2D|Resize|CropAndResize|FlipLeftRight|RotateWithOffset|NonMaxSuppression|FFT|Sparse|Ragged|String|StaticRegexReplace|LRN|BatchNorm|ToBatchND|BatchToSpace|DepthToSpace|^Draw$|^Transform$|Bincount|MirrorPad|Multinomial|Einsum/;

/**
 * Removes these kernels and gradients from the lists that TensorFlow.js registers, and from those that its backends
 * share.
 * @returns {import('vite').Plugin}
 */
export function withoutUnusedKernels() {
  return {
    name: 'without-unused-kernels',
    enforce: 'pre',
    transform: {
      filter: { id: /@tensorflow\/.*\/(register_all_(kernels|gradients)|shared)\.js$/ },
      handler(code, id) {
        const isUnused = (/** @type {string} */ file) =>
          unused.test(file) && !(id.endsWith('shared.js') && imported.test(file));
        const lines = code.split('\n');
        const left = lines.flatMap((line) => {
          const [, config = '', file = ''] =
            /^(?:im|ex)port \{ (\w+).*\} from '.*\/(\w+?)(?:_grad)?';/.exec(line) ?? [];
          return isUnused(file) ? [config] : [];
        });
        const isKept = (/** @type {string} */ line) => !(line.match(/\w+/g) ?? []).some((word) => left.includes(word));
        return { code: lines.filter(isKept).join('\n'), map: null };
      },
    },
  };
}
