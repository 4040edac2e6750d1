// Tests on WebGPU in Node (Dawn): `*.gpu.test.ts`, one file at a time in one process, as one device is shared.
// scripts/gpuSetup.ts puts `navigator.gpu` in place before a test file imports the backend.
import { defineConfig } from 'vitest/config';
import { oneTensorflow, wasmUrlForNode } from './scripts/nodePlugins.mjs';
import { chooseVulkanDriver } from './scripts/vulkan.mjs';

const driver = chooseVulkanDriver({ isForTests: true });
if (driver.file) process.env.VK_ICD_FILENAMES = driver.file; // inherited by the process the tests run in

export default defineConfig({
  plugins: [oneTensorflow(), wasmUrlForNode()],
  test: {
    include: ['src/**/*.gpu.test.ts', 'workers/**/*.gpu.test.ts', 'bench/**/*.gpu.test.ts', 'cli/**/*.gpu.test.ts'],
    setupFiles: ['scripts/gpuSetup.ts'],
    pool: 'forks',
    execArgv: ['--expose-gc'],
    maxWorkers: 1,
    isolate: false,
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 5_000,
  },
});
