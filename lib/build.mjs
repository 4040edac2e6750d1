// `npm run build:library`, the last part of `npm run build`, writes the library to dist-lib: one ES module for each part with its types, chunks that several
// parts share, the kernels for the CPU, and the licences of the components. The same files run in Node and in browsers.
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { buildKernels, installPackages, root } from '../scripts/freshness.mjs';
import { parts } from './parts.mjs';
import { licenceNotices } from '../scripts/licences.mjs';
import { withoutNotes, withoutUnusedParts, worldsWhenNeeded } from '../scripts/lessCode.mjs';
import { wasmBesideBundle } from '../scripts/nodePlugins.mjs';
import { withoutUnusedKernels } from '../scripts/unusedKernels.mjs';

/** Tests pass another output folder, to build a copy of their own. */
const outDir = path.resolve(process.argv[2] ?? path.join(root, 'dist-lib'));
installPackages();
buildKernels();
const [{ build }, { writeTypes }] = await Promise.all([import('vite'), import('./types.mjs')]);
rmSync(outDir, { recursive: true, force: true });
mkdirSync(outDir, { recursive: true });
const entry = Object.fromEntries(['index', ...parts].map((part) => [part, path.join(root, 'lib', `${part}.ts`)]));
await build({
  ...{ root, base: './', configFile: false, publicDir: false, logLevel: 'warn' },
  plugins: [
    wasmBesideBundle(),
    withoutRequire(),
    forOtherBundlers(),
    withoutUnusedParts(),
    withoutUnusedKernels(),
    worldsWhenNeeded(),
    withoutNotes(),
    licenceNotices().forProgram,
  ],
  build: {
    ...{ outDir, target: 'es2022', minify: false, emptyOutDir: true },
    ...{ assetsInlineLimit: 0, modulePreload: false },
    rolldownOptions: {
      input: entry,
      preserveEntrySignatures: 'strict',
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', assetFileNames: '[name][extname]' },
    },
  },
});
copyFileSync(path.join(root, 'lib', 'README.md'), path.join(outDir, 'README.md'));
await writeTypes(outDir, entry);

/**
 * Lets TF.js load Node's own modules where there is no `require`, which is the case in an ES module.
 * @returns {import('vite').Plugin}
 */
function withoutRequire() {
  return {
    name: 'without-require',
    transform(code, id) {
      if (!/platform_node\.js$/.test(id)) return null;
      return code.replaceAll(/\brequire\((['"])util\1\)/g, `globalThis.process.getBuiltinModule('node:util')`);
    },
  };
}

/**
 * Undoes two changes of Vite that are meant for pages, so that another bundler can include these files in a page: addresses
 * of files next to the bundle get the form by which bundlers recognise them, and the function that loads a chunk gets a
 * name that the code of such a page does not have.
 * @returns {import('vite').Plugin}
 */
function forOtherBundlers() {
  const address = /new URL\(\s*(?:\/\*[^*]*\*\/\s*)?("[^"]+"),\s*import\.meta\.url\s*\)/g;
  return {
    name: 'for-other-bundlers',
    enforce: 'post',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === 'chunk')
          file.code = file.code
            .replaceAll('"" + import.meta.url', 'import.meta.url')
            .replaceAll(address, 'new URL($1, import.meta.url)')
            .replaceAll('__vitePreload', 'loadedChunk');
    },
  };
}
