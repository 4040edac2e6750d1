// Runs a TypeScript program of this project in Node: `node scripts/runTs.mjs FILE args…`. Vite bundles FILE with
// everything that it imports into .cache/run, and then plain Node runs the bundle. Only native packages stay outside,
// because deep TF.js imports fail in Node's own module loader.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildKernels } from './freshness.mjs';
import { chooseVulkanDriver } from './vulkan.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Native packages, whole tools, and packages that declare their own `require`: loaded from node_modules unchanged. */
const externalPackages = ['webgpu', 'playwright-core', 'vite', 'vitest', 'svelte', 'fsevents', 'fflate'];

/**
 * Bundles one TypeScript file for Node. Returns the path of the bundle.
 * @param {string} file
 */
export async function bundleForNode(file) {
  const { plainScriptsOutside, wasmUrlForNode } = await import('./nodePlugins.mjs');
  const relative = path.relative(root, path.resolve(root, file));
  const name = relative.replace(/\.[cm]?[jt]s$/, '').replaceAll(path.sep, '-');
  const outDir = path.join(root, '.cache', 'run', name);
  const plugins = [plainScriptsOutside(), wasmUrlForNode()];
  await buildForNode({ file, outDir, plugins, external: externalPackages, sourcemap: true });
  return path.join(outDir, 'main.mjs');
}

/**
 * Bundles a TypeScript file with all its imports except the `external` packages, as `main.mjs` in `outDir`.
 * @param {{ file: string, outDir: string, plugins: import('vite').Plugin[], external: string[], sourcemap: boolean,
 * resolve?: import('vite').ResolveOptions & { alias?: Record<string, string> } }} what
 */
export async function buildForNode({ file, outDir, plugins, external, sourcemap, resolve = {} }) {
  const { build } = await import('vite');
  await build({
    ...{ root, configFile: false, publicDir: false, logLevel: 'warn', plugins, resolve },
    ssr: { noExternal: true, external, target: 'node' },
    build: {
      ssr: path.resolve(root, file),
      outDir,
      emptyOutDir: true,
      target: 'node20',
      minify: false,
      sourcemap,
      emitAssets: true,
      chunkSizeWarningLimit: 1e6,
      rolldownOptions: {
        onwarn: () => {},
        output: { entryFileNames: 'main.mjs', chunkFileNames: '[name]-[hash].mjs', banner: nodeGlobals },
      },
    },
  });
}

/** The globals that TF.js' emscripten modules expect in a CommonJS module, as a banner. */
export const nodeGlobals = [
  `import { createRequire as __createRequire } from 'node:module';`,
  `import { dirname as __folderOf } from 'node:path';`,
  `import { fileURLToPath as __toPath } from 'node:url';`,
  `const require = __createRequire(import.meta.url);`,
  `const __filename = __toPath(import.meta.url);`,
  `const __dirname = __folderOf(__filename);`,
].join('\n');

/**
 * Bundles and runs FILE with `args`; resolves with its exit code (128 + signal if it was killed).
 * @param {string} file
 * @param {string[]} args
 * @returns {Promise<number>}
 */
export async function runTs(file, args) {
  buildKernels(); // benches and scripts read them from their place in src
  const bundle = await bundleForNode(file);
  const driver = chooseVulkanDriver();
  const env = { ...process.env, ...(driver.file ? { VK_ICD_FILENAMES: driver.file } : {}) };
  const child = spawn(process.execPath, ['--enable-source-maps', '--expose-gc', bundle, ...args], {
    cwd: root,
    stdio: 'inherit',
    env,
  });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => child.kill(signal));
  return await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(path.resolve(process.argv[1])).href) {
  const [file, ...args] = process.argv.slice(2);
  if (!file || !existsSync(path.resolve(root, file))) {
    console.error(`usage: node scripts/runTs.mjs FILE args…${file ? `\n${file} does not exist` : ''}`);
    process.exit(2);
  }
  process.exit(await runTs(file, args));
}
