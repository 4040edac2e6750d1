// Measures at start-up which variant of the kernels is faster on the actual device. It runs a few small representative
// dispatches, because the kind of the adapter is only a hint. This takes milliseconds on a GPU; on a software adapter
// most of the time is spent compiling.
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { chooseVariant, forceVariant } from './kernel.ts';
import type { Variant } from './program.ts';

/** The other variant is used only if it is this many times faster than the one that suits the kind of the adapter. */
export const probeMargin = 1.25;

/** Milliseconds spent on one variant, excluding the round in progress. */
const budgetMs = 60;
/**
 * The number of passes that are submitted together if one is short, so that the time spent waiting for the device has
 * little effect.
 */
const passes = 16;
const longPassMs = 10;

/** Rows and columns of the kernels' inputs, as in a small minibatch. */
const [rows, columns] = [512, 64];

/**
 * Times both variants and uses the faster one in the backend's kernels from now on. It must be called after the backend
 * has been given the project's own kernels, and before a step is captured. Everything it creates is freed. On a
 * software adapter, compiling the other variant takes seconds, and the adapter's name already shows the result, so the
 * suggested variant may be used without a measurement.
 * @param clock milliseconds
 * @returns the chosen variant: the one that the adapter suggests, unless the other one is `probeMargin` times faster
 */
export async function probeVariant(backend: WebGPUBackend, clock = () => performance.now()): Promise<Variant> {
  const promised = chooseVariant(backend.device);
  const other = promised === 'team' ? 'solo' : 'team';
  const [otherMs, promisedMs] = [await passMs(backend, other, clock), await passMs(backend, promised, clock)];
  const chosen = otherMs * probeMargin < promisedMs ? other : promised;
  forceVariant(backend, chosen);
  return chosen;
}

/** The shortest time of one pass over the dispatches, after their programs have been compiled. */
async function passMs(backend: WebGPUBackend, variant: Variant, clock: () => number): Promise<number> {
  forceVariant(backend, variant);
  const work = workOf(backend);
  const round = async (count: number) => {
    for (let i = 0; i < count; i++) work.pass();
    backend.ensureCommandEncoderReady();
    backend.endComputePassEncoder();
    const start = clock();
    backend.submitQueue();
    await backend.device.queue.onSubmittedWorkDone();
    return (clock() - start) / count;
  };
  await round(1); // compiles
  let best = await round(1);
  const count = best < longPassMs ? passes : 1;
  const start = clock();
  do best = Math.min(best, await round(count));
  while (clock() - start < budgetMs);
  work.dispose();
  return best;
}

/**
 * Representative work: norms and their gradient, the gradient of a linear map, and a softmax. This work shows the cost
 * and the gain of barriers.
 */
function workOf(backend: WebGPUBackend): { pass: () => void; dispose: () => void } {
  const waves = (...shape: number[]) =>
    backend.makeTensorInfo(
      shape,
      'float32',
      Float32Array.from({ length: tf.util.sizeFromShape(shape) }, (_, i) => Math.sin(i)),
    );
  const inputs = {
    x: waves(rows, columns),
    dy: waves(rows, columns),
    gain: waves(columns),
    w: waves(columns, columns),
  };
  const ids = backend.makeTensorInfo([rows], 'int32', new Int32Array(rows));
  const attrs = { eps: 1e-5, temperature: 1 };
  const run = (name: string, more: Record<string, tf.TensorInfo> = {}) =>
    tf.getKernel(name, 'webgpu').kernelFunc({ inputs: { ...inputs, ...more }, attrs, backend });
  const free = (infos: tf.TensorInfo[]) => {
    for (const { dataId } of infos) backend.disposeData(dataId);
  };
  return {
    pass: () => {
      const [y, inverse] = run('RmsNorm') as [tf.TensorInfo, tf.TensorInfo];
      const others = [
        run('RmsNormGrad', { inverse }),
        run('LinearGrad'),
        run('TokenLogprobs', { logits: inputs.x, ids }),
      ] as tf.TensorInfo[][];
      free([y, inverse, ...others.flat()]);
    },
    dispose: () => {
      free([...Object.values(inputs), ids]);
    },
  };
}
