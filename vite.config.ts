// How the page is built and served while developing. `npm start` and the tests serve `dist` with scripts/serve.mjs;
// both take their headers from scripts/headers.mjs.
import { readFileSync } from 'node:fs';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin, type Rolldown } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { galleryFigures } from './scripts/galleryFigures.mjs';
import { developmentHeaders, headersFile, metaPolicy, servedHeaders } from './scripts/headers.mjs';
import { phraseKey, shortKeys } from './src/base/phraseKey.ts';
import { licenceNotices } from './scripts/licences.mjs';
import { withoutUnusedKernels } from './scripts/unusedKernels.mjs';
import { withoutNotes, withoutUnusedParts, worldsWhenNeeded } from './scripts/lessCode.mjs';

const licences = licenceNotices();

export default defineConfig({
  base: './', // the page works from any folder of any host
  plugins: [
    svelte({ configFile: false }),
    withoutUnusedParts(),
    withoutUnusedKernels(),
    worldsWhenNeeded(),
    shortKeysOfTexts(),
    headersForStaticHosts(),
    policyOfThePage(),
    stillInFrames(),
    measurementsBesideThePage(),
    licences.forPage,
    serviceWorker(),
  ],
  worker: {
    format: 'es',
    plugins: () => [
      withoutNotes(),
      withoutUnusedParts(),
      withoutUnusedKernels(),
      worldsWhenNeeded(),
      licences.forWorkers(),
    ],
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: chunksOfTrainer() }] } } },
  },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0, // the content security policy allows no data: scripts, fonts or wasm
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_000, // scripts/budget.mjs is the judge
    rolldownOptions: {
      input: ['index.html', 'embed.html'],
      // Otherwise a chunk would take over modules that another chunk is named for.
      output: { codeSplitting: { groups: [{ name: chunksOfPage() }], includeDependenciesRecursively: false } },
    },
  },
  server: { headers: developmentHeaders },
  preview: { headers: servedHeaders },
});

/**
 * Bundles workers/service.worker.ts after everything else and tells it what to keep: all but the warm starts, of which a
 * visitor needs one or two. The page comes last, so that a page that is kept finds all of its parts kept.
 */
function serviceWorker() {
  return VitePWA({
    strategies: 'injectManifest',
    srcDir: 'workers',
    filename: 'service.worker.ts',
    injectRegister: false,
    manifest: false, // public/manifest.webmanifest
    injectManifest: {
      globPatterns: ['**/*.{js,css,wasm,svg,webmanifest,json,txt,html}'],
      globIgnores: ['warmstart/**', 'embed.html'],
      dontCacheBustURLsMatching: /^assets\//,
      maximumFileSizeToCacheInBytes: 4_000_000,
      manifestTransforms: [
        (entries) => ({ manifest: entries.sort((a, b) => Number(isPage(a.url)) - Number(isPage(b.url))) }),
      ],
    },
  });
}

const isPage = (url: string) => url === 'index.html';

/** Writes dist/_headers, which many static hosts read: without these headers the page is not isolated. */
function headersForStaticHosts(): Plugin {
  return {
    name: 'headers-for-static-hosts',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: '_headers', source: headersFile() });
    },
  };
}

/** Replaces the English texts by which German texts are found with short keys. Throws if two texts have the same key. */
function shortKeysOfTexts(): Plugin {
  const catalogue = /\/(?:messages\/(?:page\/)?|extensions\/\w+\/\w+\/)de\.json$/;
  const englishBy = new Map<string, string>();
  const keyOf = (english: string) => {
    const key = phraseKey(english);
    const other = englishBy.get(key) ?? english;
    if (other !== english) throw new Error(`phraseKey: “${english}” and “${other}” have the same key`);
    englishBy.set(key, english);
    return key;
  };
  type Texts = Record<string, string | null>;
  const keyed = (texts: Texts) =>
    Object.fromEntries(Object.entries(texts).map(([english, german]) => [keyOf(english), german]));
  return {
    name: 'short-keys-of-texts',
    apply: 'build',
    enforce: 'pre',
    load(id) {
      if (!catalogue.test(id)) return null;
      const { texts, ...rest } = JSON.parse(readFileSync(id, 'utf8')) as { texts?: Texts } & Texts;
      return JSON.stringify(texts ? { texts: keyed(texts) } : { [shortKeys]: '', ...keyed(rest) });
    },
  };
}

/**
 * Puts a still picture and a link into embed.html, which stand there until the page is loaded. A frame that forbids
 * scripts, or files of its own origin, keeps them, so the picture is part of the file.
 */
function stillInFrames(): Plugin {
  const place = '<div id="app"></div>';
  const link =
    '<a href="./" target="_blank" rel="noopener">Cothink: small language models learn to think together.</a>';
  return {
    name: 'still-in-frames',
    transformIndexHtml(html, { filename }) {
      if (!filename.endsWith('embed.html')) return html;
      if (!html.includes(place)) throw new Error(`embed.html: expected ${place}, where the still picture is put`);
      const still = readFileSync('src/ui/embed/still.svg', 'utf8');
      return html.replace(place, () => `<div id="app">${still}<p>${link}</p></div>`);
    },
  };
}

/** Holds the page to its policy also where its host sends no headers; in development it has another, by header. */
function policyOfThePage(): Plugin {
  const charset = '<meta charset="utf-8" />';
  return {
    name: 'policy-of-the-page',
    apply: 'build',
    transformIndexHtml(html) {
      if (!html.includes(charset)) throw new Error(`expected ${charset} in the page, which the policy follows`);
      return html.replace(
        charset,
        `${charset}\n    <meta http-equiv="Content-Security-Policy" content="${metaPolicy}" />`,
      );
    },
  };
}

/**
 * Names the chunk of a module that the trainer shares with another part of workers/page.worker.ts: `common` with one that
 * needs no engine, otherwise `learning`. Left to itself the bundler makes twenty chunks of it, which compress worse, and a
 * first visit waits for all of them.
 */
function chunksOfTrainer(): ChunkName {
  const part = /\/workers\/(?:\w+\/)?(trainer|archive|experiment|importing|interventions|readModel|worldBench)\.ts$/;
  const withoutEngine = ['archive', 'importing', 'worldBench'];
  return (id, modules) => {
    const needing = partsNeeding(id, part, modules);
    if (!needing.has('trainer') || needing.size === 1) return null;
    return withoutEngine.some((name) => needing.has(name)) ? 'common' : 'learning';
  };
}

/**
 * Names the chunk of a module of the page: `base` if the cover in a frame needs it too, `page` if every view needs it,
 * `laboratory` if the laboratory needs it when it is shown, and `views` if the stage needs it too. Left to itself the
 * bundler makes sixty chunks of it, for which a visit waits longer than for five.
 */
function chunksOfPage(): ChunkName {
  const part = /\/src\/(?:ui\/(?:first\/)?)?(embed|cover|begin|Laboratory|FirstMinute)\.(?:ts|svelte)$/;
  return (id, modules) => {
    const needing = partsNeeding(id, part, modules);
    if (needing.has('begin')) return needing.has('cover') || needing.has('embed') ? 'base' : 'page';
    if (!needing.has('Laboratory')) return null;
    return needing.has('FirstMinute') ? 'views' : 'laboratory';
  };
}

type ChunkName = (id: string, modules: Rolldown.ChunkingContext) => string | null;

/** Returns the names of the parts that import a module, directly or through others. A pattern captures the name of a part. */
function partsNeeding(id: string, part: RegExp, modules: Rolldown.ChunkingContext): ReadonlySet<string> {
  const needing = new Set<string>();
  const seen = new Set<string>();
  const look = [id];
  for (let at = look.pop(); at !== undefined; at = look.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const [, name] = part.exec(at) ?? [];
    if (name) needing.add(name);
    else look.push(...(modules.getModuleInfo(at)?.importers ?? []));
  }
  return needing;
}

/** Measurements lie beside the page: those of claims for the board, and the gains of presets for the gallery. */
function measurementsBesideThePage(): Plugin {
  const files = {
    'claims.json': () => JSON.stringify(JSON.parse(readFileSync('bench/results/claims.json', 'utf8'))),
    'gallery.json': () => JSON.stringify(galleryFigures()),
  };
  return {
    name: 'measurements-beside-the-page',
    configureServer({ middlewares }) {
      for (const [name, source] of Object.entries(files))
        middlewares.use(`/${name}`, (_, response) => {
          response.setHeader('content-type', 'application/json').end(source());
        });
    },
    generateBundle() {
      for (const [fileName, source] of Object.entries(files))
        this.emitFile({ type: 'asset', fileName, source: source() });
    },
  };
}
