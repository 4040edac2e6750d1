// Vite plugins for code that was written for the page but runs in Node: tests, benches, scripts and the program.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Makes `import url from './x.wasm?url'` give a file:// address, which `fs`, `new URL` and TF.js' wasm loader
 * understand. The page gets a served path instead. The same holds for a file that a package exports as `…/wasm`.
 * @returns {import('vite').Plugin}
 */
export function wasmUrlForNode() {
  return {
    name: 'wasm-url-for-node',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (!/[./]wasm\?url$/.test(source)) return null;
      const found = await this.resolve(source.slice(0, -'?url'.length), importer, { skipSelf: true });
      const file = found?.id.split('?')[0];
      // The path is encoded, because Node would otherwise load a package in node_modules itself, which it cannot.
      return file ? `\0wasm-url:${encodeURIComponent(path.resolve(file))}.mjs` : null;
    },
    load(id) {
      if (!id.startsWith('\0wasm-url:')) return null;
      const file = decodeURIComponent(id.slice('\0wasm-url:'.length, -'.mjs'.length));
      return `export default ${JSON.stringify(pathToFileURL(file).href)};`;
    },
  };
}

/**
 * Makes Vitest use one copy of TF.js. Otherwise `@tensorflow/tfjs-core` would be its CommonJS bundle and
 * `@tensorflow/tfjs-core/dist/…` its modules: two sets of classes and ops that only look alike.
 * @returns {import('vite').Plugin}
 */
export function oneTensorflow() {
  return {
    name: 'one-tensorflow',
    config: () => ({
      resolve: {
        alias: [{ find: /^(@tensorflow\/tfjs-(?:core|backend-\w+))$/, replacement: '$1/dist/index.js' }],
      },
      test: { server: { deps: { inline: [/@tensorflow/] } } },
    }),
  };
}

/**
 * Leaves the project's own `.mjs` scripts outside a bundle, because they already run in Node and may read their own
 * path.
 * @returns {import('vite').Plugin}
 */
export function plainScriptsOutside() {
  return {
    name: 'plain-scripts-outside',
    enforce: 'pre',
    resolveId(source, importer) {
      if (!importer || !source.startsWith('.') || !source.endsWith('.mjs')) return null;
      const file = path.resolve(path.dirname(importer), source);
      if (file.includes('node_modules')) return null;
      return { id: pathToFileURL(file).href, external: true };
    },
  };
}

/**
 * Makes `?url` imports of wasm give the address of a copy next to the bundle, for a program that is used outside this
 * tree.
 * @returns {import('vite').Plugin}
 */
export function wasmBesideBundle() {
  return {
    name: 'wasm-beside-bundle',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (!/[./]wasm\?url$/.test(source)) return null;
      const found = await this.resolve(source.slice(0, -'?url'.length), importer, { skipSelf: true });
      const file = found?.id.split('?')[0];
      return file ? `\0wasm-beside:${encodeURIComponent(path.resolve(file))}.mjs` : null;
    },
    load(id) {
      if (!id.startsWith('\0wasm-beside:')) return null;
      const file = decodeURIComponent(id.slice('\0wasm-beside:'.length, -'.mjs'.length));
      const fileName = path.basename(file);
      this.emitFile({ type: 'asset', fileName, source: readFileSync(file) });
      return `export default new URL(/* @vite-ignore */ ${JSON.stringify(`./${fileName}`)}, import.meta.url).href;`;
    },
  };
}
