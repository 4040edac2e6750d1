// Bundles the packages with most modules for the unit tests, each as one file. Every test file loads its own modules,
// and TF.js alone consists of six hundred. Bundled, they load in a tenth of the processor time.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';
import { nodeGlobals } from './runTs.mjs';
import { withoutUnusedKernels } from './unusedKernels.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/**
 * The module in each file of the bundle, by the name of the file. Modules that several files need are in shared files.
 */
const modules = {
  core: '@tensorflow/tfjs-core/dist/index.js',
  gradients: '@tensorflow/tfjs-core/dist/register_all_gradients.js',
  cpu: '@tensorflow/tfjs-backend-cpu/dist/index.js',
  wasm: '@tensorflow/tfjs-backend-wasm/dist/index.js',
  webgpu: '@tensorflow/tfjs-backend-webgpu/dist/index.js',
  fastCheck: 'fast-check',
};

/**
 * Returns a plugin that makes all imports use one copy of TF.js and of fast-check, as files that Node loads itself.
 * @returns {import('vite').Plugin}
 */
export function bundledPackages() {
  let folder = '';
  return {
    name: 'bundled-packages',
    enforce: 'pre',
    // Node loads the bundle, because Vitest would parse and wrap it. Vitest loads other packages of TF.js, so that they
    // find the bundle.
    config: () => ({
      test: { server: { deps: { external: [/\/\.cache\/testBundle\//], inline: [/@tensorflow/] } } },
    }),
    configResolved: async () => {
      folder = await bundle();
    },
    resolveId(source) {
      const module = moduleOf(source);
      if (!module) return null;
      const name = Object.entries(modules).find(([, from]) => from === module)?.[0];
      // A second copy would have its own classes and its own engine, which only look alike.
      if (!name) throw new Error(`${source} is not in the bundle of the tests: name it in scripts/testBundle.mjs`);
      return { id: pathToFileURL(path.join(folder, `${name}.mjs`)).href, external: true };
    },
  };
}

/**
 * Returns the module that an import of a bundled package means, or undefined if it means another package.
 * @param {string} source
 */
function moduleOf(source) {
  if (source === 'fast-check') return source;
  const [, name, inside] = /^(@tensorflow\/tfjs-(?:core|backend-\w+))(\/.*)?$/.exec(source) ?? [];
  return name && `${name}${inside?.replace(/(?<!\.js)$/, '.js') ?? '/dist/index.js'}`;
}

/** Writes the bundle if it does not exist for these versions. Returns its folder. */
async function bundle() {
  const sources = ['package-lock.json', 'scripts/testBundle.mjs', 'scripts/unusedKernels.mjs'].map((file) =>
    readFileSync(path.join(root, file)),
  );
  const version = createHash('sha256').update(Buffer.concat(sources)).digest('hex').slice(0, 12);
  const folders = path.join(root, '.cache', 'testBundle');
  const folder = path.join(folders, version);
  if (existsSync(folder)) return folder;
  mkdirSync(folders, { recursive: true });
  // The bundle has a temporary name until it is complete, because two suites may start at the same time.
  const outDir = mkdtempSync(path.join(folders, 'unfinished-'));
  await build({
    ...{ root, configFile: false, publicDir: false, logLevel: 'warn' },
    plugins: [
      withoutUnusedKernels(),
      {
        name: 'modules-of-packages',
        enforce: 'pre',
        resolveId(source, importer) {
          const module = moduleOf(source);
          return module && module !== source ? this.resolve(module, importer, { skipSelf: true }) : null;
        },
      },
    ],
    ssr: { noExternal: true, target: 'node' },
    build: {
      ...{ ssr: true, outDir, target: 'node20', minify: false, chunkSizeWarningLimit: 1e6 },
      rolldownOptions: {
        input: modules,
        onwarn: () => {},
        output: {
          ...{ entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs', banner: nodeGlobals },
          // The core is loaded as a whole, because gradients read flags that only the first module of TF.js imports.
          codeSplitting: {
            groups: [{ name: 'tfjs', test: /tfjs-core\/dist\/(?!gradients\/|register_all_gradients)/ }],
          },
        },
      },
    },
  });
  try {
    renameSync(outDir, folder);
  } catch (error) {
    rmSync(outDir, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
