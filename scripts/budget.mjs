// Checks the size budget: the gzipped files that a first visit loads before the first training step can start. Counts
// the page's entry point, the view for the first minute and the trainer worker with everything that they import
// statically, their styles, the code of one world, the wasm, the texts of one language and the weights of one warm
// start. The largest world, language and warm start count, because a visit fetches only one of each. Chunks that are loaded later are listed but not counted. Each warm start
// has a limit of its own, because the visitor waits for it. Files that the service worker caches for offline use come
// after the first step and have a separate limit. Exits with 1 if a limit is exceeded.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from './freshness.mjs';

/** The limit of the code, which includes the English texts of the page. */
const codeLimit = 480_000;
const dataLimit = 880_000;
const keptLimit = 1_700_000;
/** The uncompressed size limit of each warm start. */
const warmStartLimit = 300_000;
/** The entry of all workers, and the part of it that a first visit starts. */
const workerEntry = /(^|\/)page\.worker-[\w-]+\.js$/;
const trainerPart = /\bimport\(\s*["'`]\.\/(trainer-[\w-]+\.js)["'`]\s*\)/;
const styleOf = /\.css$/;
const staticImport = /(?:\bfrom|\bimport)\s*["'](\.{1,2}\/[^"']+)["']/g;
/** Binary files under dist that are not needed for the first training step. */
const laterData = /(quickjs|emscripten-module|threaded)/i;

const dist = path.join(root, 'dist');
if (!existsSync(path.join(dist, 'index.html'))) {
  console.error('dist does not exist: run `npm run build`.');
  process.exit(1);
}
const files = listFiles(dist).map((name) => path.relative(dist, name).split(path.sep).join('/'));
const entry = files.find((name) => workerEntry.test(name)) ?? '';
const trainer = entry && trainerPart.exec(readFileSync(path.join(dist, entry), 'utf8'))?.[1];
if (!trainer) {
  console.error('budget: expected one worker entry in dist (…/page.worker-HASH.js) that loads trainer-HASH.js.');
  process.exit(1);
}

/** The scripts and styles of a part of the page that is loaded when it is shown. @param {string} name */
const partOf = (name) =>
  files.filter((file) => /\.(js|css)$/.test(file) && path.posix.basename(file).startsWith(`${name}-`));
const [largestWorld = ''] = partOf('world').sort((a, b) => sizeOf(b) - sizeOf(a));
const code = withImports([
  ...partOf('FirstMinute'),
  largestWorld,
  ...entriesOf('index.html'),
  entry,
  path.posix.join(path.posix.dirname(entry), trainer),
]);
const isWarmStart = (/** @type {string} */ name) => name.startsWith('warmstart/');
const warmStarts = files
  .filter((name) => isWarmStart(name) && !/\.(md|txt)$/.test(name))
  .sort((a, b) => sizeOf(b) - sizeOf(a));
const kernels = files.filter((name) => name.endsWith('.wasm') && !laterData.test(name));
const later = files.filter((name) => /\.(js|css)$/.test(name) && !code.includes(name));

const codeSize = report('Scripts and styles before the first training step', code, codeLimit);
/**
 * The texts of each language, which the page loads as a chunk with the name of the language: `assets/german-HASH.js`.
 */
const words = ['en', 'german']
  .map((language) => later.filter((name) => path.posix.basename(name).startsWith(`${language}-`)))
  .sort((a, b) => sum(b) - sum(a));
const dataSize = report(
  'Wasm, words and warm-start weights',
  [...kernels, ...(words[0] ?? []), ...warmStarts.slice(0, 1)],
  dataLimit,
);
report('Loaded later (not counted)', [...later.filter((name) => !words[0]?.includes(name)), ...warmStarts.slice(1)]);
const kept = files.filter((name) => /\.(js|css|wasm|svg|webmanifest|json|txt|html)$/.test(name) && !isWarmStart(name));
const keptSize = report('Kept by the service worker after the first training step', kept, keptLimit);
const tooLarge = warmStarts.filter((name) => sizeOf(name) > warmStartLimit);
for (const name of tooLarge) console.log(`${name}: ${kilobytes(sizeOf(name))} of ${kilobytes(warmStartLimit)} allowed`);
const isWithin = codeSize < codeLimit && dataSize < dataLimit && keptSize < keptLimit;
process.exit(isWithin && tooLarge.length === 0 ? 0 : 1);

/** @param {string[]} names */
function sum(names) {
  return names.reduce((bytes, name) => bytes + sizeOf(name), 0);
}

/** @param {string} name */
function sizeOf(name) {
  return statSync(path.join(dist, name)).size;
}

/**
 * Returns the scripts, preloads and styles that index.html names.
 * @param {string} page
 */
function entriesOf(page) {
  const html = readFileSync(path.join(dist, page), 'utf8');
  const named = [...html.matchAll(/(?:src|href)="\/?(?:\.\/)?([^"]+\.(?:js|css))"/g)].map(([, name = '']) => name);
  return named.filter((name) => files.includes(name));
}

/**
 * Returns the given files and, for scripts, everything that they import statically.
 * @param {string[]} names
 */
function withImports(names) {
  /** @type {Set<string>} */
  const seen = new Set();
  const visit = (/** @type {string} */ name) => {
    if (seen.has(name) || !files.includes(name)) return;
    seen.add(name);
    if (styleOf.test(name)) return;
    const text = readFileSync(path.join(dist, name), 'utf8');
    for (const [, specifier = ''] of text.matchAll(staticImport))
      visit(path.posix.join(path.posix.dirname(name), specifier));
  };
  names.forEach(visit);
  return [...seen];
}

/**
 * Prints the files with their sizes, largest first; returns their gzipped sum in bytes.
 * @param {string} title
 * @param {string[]} names
 * @param {number} [limit]
 */
function report(title, names, limit) {
  const sized = names
    .map((name) => {
      const bytes = readFileSync(path.join(dist, name));
      return { name, rawBytes: bytes.length, gzipBytes: gzipSync(bytes, { level: 9 }).length };
    })
    .sort((a, b) => b.gzipBytes - a.gzipBytes);
  const gzipBytes = sized.reduce((sum, file) => sum + file.gzipBytes, 0);
  const rawBytes = sized.reduce((sum, file) => sum + file.rawBytes, 0);
  const verdict = limit
    ? ` of ${kilobytes(limit)} allowed: ${gzipBytes < limit ? 'within budget' : 'OVER BUDGET'}`
    : '';
  console.log(`\n${title}: ${kilobytes(gzipBytes)} gzipped (${kilobytes(rawBytes)} raw)${verdict}`);
  for (const file of sized) console.log(`  ${kilobytes(file.gzipBytes).padStart(9)}  ${file.name}`);
  return gzipBytes;
}

/** @param {number} bytes */
function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function listFiles(folder) {
  return readdirSync(folder).flatMap((entry) => {
    const name = path.join(folder, entry);
    return statSync(name).isDirectory() ? listFiles(name) : [name];
  });
}
