// Tests which engine is chosen if there is no hardware adapter. The choice with real devices is tested in
// choice.gpu.test.ts.
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import german from '../../messages/page/de.json';
import { DeviceLostError, FormatError } from '../base/errors.ts';
import { inWords, speakIn } from '../base/spoken.ts';
import { chooseEngine as choose, type EngineParts } from './choice.ts';

const parts = (): EngineParts => ({
  loadKernels: async () => {
    const bytes = await readFile(new URL('./simd/kernels.wasm', import.meta.url));
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  },
  onFault: () => expect.unreachable('no device, so no fault'),
  probe: () => expect.unreachable('nothing to compare'),
  recall: () => Promise.resolve(null),
  remember: () => Promise.resolve(),
});
/** Chooses an engine and translates the texts of the result to the current language. */
const chooseEngine = async (...asked: Parameters<typeof choose>) => {
  const chosen = await choose(...asked);
  return { ...chosen, adapter: inWords(chosen.adapter), reason: inWords(chosen.reason) };
};
const software = (info: Partial<GPUAdapterInfo>) => ({
  gpu: {
    requestAdapter: () =>
      Promise.resolve({ info: { vendor: '', architecture: '', device: '', description: '', ...info } }),
  },
  hardwareConcurrency: 2,
});

afterEach(() => {
  speakIn(() => null);
  vi.unstubAllGlobals();
});

describe('without a hardware adapter', () => {
  it('a browser without WebGPU trains on the CPU and says so', async () => {
    vi.stubGlobal('navigator', { hardwareConcurrency: 2 });
    const chosen = await chooseEngine('auto', parts());
    expect(chosen).toEqual({
      backend: 'simd',
      adapter: '2 cores, 2 threads used, fused multiply-add',
      reason: 'This browser has no WebGPU, so the CPU trains.',
      isSoftware: true,
    });
    expect(tf.getBackend()).toBe('simd');
  });

  it('without the kernels, plain JavaScript is used, and the reason says so', async () => {
    vi.stubGlobal('navigator', { hardwareConcurrency: 2 });
    tf.removeBackend('simd');
    const why = 'kernels.wasm: the file could not be loaded (status 404); reload the page.';
    const chosen = await chooseEngine('auto', { ...parts(), loadKernels: () => Promise.reject(new FormatError(why)) });
    expect(chosen.backend).toBe('cpu');
    expect(chosen.reason).toBe(
      `This browser has no WebGPU, so the CPU trains. Plain JavaScript is used, which is many times slower than WebAssembly: ${why}`,
    );
  });

  it('an engine without relaxed SIMD says that its kernels are the slower ones', async () => {
    vi.stubGlobal('navigator', { hardwareConcurrency: 1 });
    if (tf.findBackendFactory('simd')) tf.removeBackend('simd');
    // The test hides that it runs in Node, because the code detects relaxed SIMD in another way in a browser.
    const outside = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
    const { validate } = WebAssembly;
    const plain = await parts().loadKernels();
    const refused = vi.spyOn(WebAssembly, 'validate').mockImplementation((bytes) => bytes === plain && validate(bytes));
    const chosen = await chooseEngine('cpu', { ...parts(), loadKernels: () => Promise.resolve(plain) });
    refused.mockRestore();
    outside.mockRestore();
    tf.removeBackend('simd');
    expect(chosen.adapter).toBe('1 core, one thread used, without fused multiply-add');
    expect(chosen.reason).toBe(
      'The CPU was requested. WebAssembly has no relaxed SIMD here, so multiplication and addition are separate instructions, which are about a quarter slower.',
    );
  });

  it('the reason for a choice on a German page is in English after the page is switched to English', async () => {
    vi.stubGlobal('navigator', { gpu: { requestAdapter: () => Promise.resolve(null) }, hardwareConcurrency: 2 });
    speakIn(() => german);
    const { adapter, reason } = structuredClone(await choose('auto', parts()));
    const told = () => [inWords(adapter), inWords(reason)];
    expect(told()).toEqual([
      '2 Kerne, 2 Threads benutzt, Multiply-Add verschmolzen',
      'WebGPU ist in diesem Browser vorhanden, aber es gibt keinen Grafikadapter, darum trainiert der Prozessor.',
    ]);
    speakIn(() => null);
    expect(told()).toEqual([
      '2 cores, 2 threads used, fused multiply-add',
      'WebGPU is available in this browser, but there is no graphics adapter, so the CPU trains.',
    ]);
  });

  it('a page that came by plain http says that WebGPU needs https', async () => {
    vi.stubGlobal('navigator', { hardwareConcurrency: 2 });
    vi.stubGlobal('isSecureContext', false);
    const chosen = await chooseEngine('auto', parts());
    expect(chosen.reason).toBe('WebGPU needs https, so the CPU trains.');
  });

  it('WebGPU without an adapter trains on the CPU and says so', async () => {
    vi.stubGlobal('navigator', { gpu: { requestAdapter: () => Promise.resolve(null) } });
    const chosen = await chooseEngine('auto', parts());
    expect(chosen.backend).toBe('simd');
    expect(chosen.reason).toBe(
      'WebGPU is available in this browser, but there is no graphics adapter, so the CPU trains.',
    );
  });

  it.each([{ description: 'llvmpipe (LLVM 15)' }, { architecture: 'swiftshader' }, { isFallbackAdapter: true }])(
    'a software adapter (%o) is left alone',
    async (info) => {
      vi.stubGlobal('navigator', software(info));
      const chosen = await chooseEngine('auto', parts());
      expect(chosen.backend).toBe('simd');
      expect(chosen.reason).toContain('is emulated in software');
    },
  );

  it('requested but missing WebGPU is an error that names the field and a remedy', async () => {
    vi.stubGlobal('navigator', {});
    await expect(chooseEngine('webgpu', parts())).rejects.toThrow(
      /run\.backend: webgpu was requested.*run\.backend = cpu/,
    );
  });

  it('an adapter that lost an earlier probe is not tried again', async () => {
    vi.stubGlobal('navigator', software({ description: 'Slow GPU 1' }));
    const chosen = await chooseEngine('auto', { ...parts(), recall: () => Promise.resolve('cpu') });
    expect(chosen.reason).toBe('The CPU was faster than Slow GPU 1 when both were tried.');
  });
});

describe('a browser that offers a device but cannot give it', () => {
  const refusing = (what: 'adapter' | 'device') => {
    const adapter = {
      info: { vendor: 'acme', architecture: '', device: '', description: 'Acme 1' },
      limits: {},
      features: new Set(),
      requestDevice: () => Promise.reject(new Error('The instance is gone.')),
    };
    const requestAdapter = () =>
      what === 'adapter' ? Promise.reject(new Error('Blocked by policy.')) : Promise.resolve(adapter);
    // Defines globals that the WebGPU backend reads when it is loaded and that Node does not have.
    for (const name of ['GPUShaderStage', 'GPUBufferUsage']) vi.stubGlobal(name, {});
    vi.stubGlobal('navigator', { hardwareConcurrency: 2, gpu: { requestAdapter } });
  };
  const cases = [
    ['adapter', 'WebGPU is available in this browser, but no graphics adapter can be used (Blocked by policy)'],
    ['device', 'Acme 1 gave no device (The instance is gone)'],
  ] as const;

  it.each(cases)('with no %s left, the CPU trains and says why', async (what, why) => {
    refusing(what);
    const chosen = await chooseEngine('auto', parts());
    expect(chosen.backend).toBe('simd');
    expect(chosen.reason).toBe(`${why}, so the CPU trains.`);
    expect(tf.getBackend()).toBe('simd');
  });

  it.each(cases)('with no %s left, requested WebGPU is a named error', async (what, why) => {
    refusing(what);
    await expect(chooseEngine('webgpu', parts())).rejects.toEqual(
      new DeviceLostError(`run.backend: webgpu was requested. ${why}; use run.backend = cpu, or another browser.`),
    );
  });
});
