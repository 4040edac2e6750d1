// Measures at startup which variant of the kernels is faster on the device, because the kind of the adapter does not
// always show this. The measurement runs a few small dispatches that are typical of training. It takes milliseconds on
// a GPU; on a software adapter, most of the time is spent compiling.
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { chooseVariant, forceVariant } from './kernel.ts';
import type { Variant } from './program.ts';

/** The other variant is used only if it is this many times faster than the one that suits the kind of the adapter. */
export const probeMargin = 1.25;

/** The time in milliseconds for measuring one variant. The last round may end later. */
const budgetMs = 60;
/**
 * If a pass is short, this many passes are submitted together, so that the time spent waiting for the device has little
 * effect.
 */
const passes = 16;
const longPassMs = 10;

/** The numbers of rows and columns of the kernels' inputs, which are the same as in a small minibatch. */
const [rows, columns] = [512, 64];

/**
 * Measures both variants and makes the backend's kernels use the faster one. This function must be called after the
 * project's own kernels have been registered, and before a step is recorded. All tensors that it creates are freed. On
 * a software adapter, compiling the other variant takes seconds, and the kind of the adapter already shows which
 * variant is faster, so the measurement can be skipped there.
 * @param clock returns the time in milliseconds
 * @returns the chosen variant: the one that suits the kind of the adapter, unless the other one is `probeMargin` times
 * faster
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
 * The work that is measured: norms and their gradient, the gradient of a linear map, and a softmax. The duration of
 * this work shows whether barriers save more time than they cost.
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
