// Writes licences.txt into dist and dist-cli with the notice of every package of which any part is shipped, as the
// licences require. Workers are separate bundles, so each bundle records its packages, and the bundle of the page,
// which is finished last, writes all notices. The program `cothink` is one bundle.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** @typedef {{ title: string, text: string }} Notice its title: name, version and licence */

const modules = path.resolve('node_modules');
const apache = path.join(modules, 'assemblyscript', 'LICENSE');

/**
 * The packages of bundled code that is in no file of a package: bundler, preloading, the standard library of the
 * kernels.
 */
const makers = /** @type {[sign: RegExp, name: string][]} */ ([
  [/^\0?rolldown\//, 'rolldown'],
  [/^\0vite\//, 'vite'],
  [/\.wasm($|\?)/, 'assemblyscript'],
]);

/** Packages of the service worker, which is bundled after the page has been written. */
const ofServiceWorker = ['core', 'precaching', 'routing', 'strategies'].map((name) => `workbox-${name}`);

/**
 * Returns plugins: `forWorkers` for worker.plugins of the page's build, `forPage` for its plugins, and `forProgram` for
 * those of a program.
 * @returns {{ forWorkers: () => import('vite').Plugin, forPage: import('vite').Plugin, forProgram: import('vite').Plugin }}
 */
export function licenceNotices() {
  const folders = /** @type {Set<string>} */ (new Set());
  /** @param {Record<string, object>} bundle */
  const note = (bundle) => {
    const ids = Object.values(bundle).flatMap((file) =>
      'moduleIds' in file ? /** @type {string[]} */ (file.moduleIds) : [],
    );
    for (const id of [...ids, ...Object.keys(bundle)]) {
      const folder = packageOf(id);
      if (folder) folders.add(folder);
    }
  };
  /**
   * Returns a plugin that writes all notices when its bundle is finished.
   * @param {string[]} others packages that no bundle shows
   * @returns {import('vite').Plugin}
   */
  const writing = (others) => ({
    name: 'licences',
    buildStart: () => folders.clear(),
    generateBundle(_, bundle) {
      note(bundle);
      for (const name of others) folders.add(path.join(modules, name));
      const source = licencesText([...folders].map(noticeOf));
      this.emitFile({ type: 'asset', fileName: 'licences.txt', source });
    },
  });
  return {
    forWorkers: () => ({ name: 'licences-of-workers', generateBundle: (_, bundle) => note(bundle) }),
    forPage: writing(ofServiceWorker),
    forProgram: writing([]),
  };
}

/**
 * Returns the folder of the package that a module belongs to, or undefined for a module of Cothink.
 * @param {string} id
 */
function packageOf(id) {
  const maker = makers.find(([sign]) => sign.test(id));
  if (maker) return path.join(modules, maker[1]);
  const [file = ''] = id.replace(/^\0/, '').split('?');
  return /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replaceAll('\\', '/'))?.[1];
}

/**
 * Returns the notice that the package in `folder` requires to be passed on. Throws if there is none.
 * @param {string} folder
 * @returns {Notice}
 */
export function noticeOf(folder) {
  const about = /** @type {Record<string, string>} */ (
    JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  );
  const { name = folder, version = '', license = 'no licence named' } = about;
  const title = `${name} ${version} (${license})`;
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i.test(file));
  // Licences of packages bundled into a tool itself are not included.
  const own = (/** @type {string} */ text) => (text.split(/^# Licenses of bundled dependencies/m)[0] ?? '').trim();
  const said = files.sort().map((file) => own(readFileSync(path.join(folder, file), 'utf8')));
  if (said.length > 0) return { title, text: said.join('\n\n') };
  // Some packages have the licence at the end of their README. The licences of Apache and MIT are the same for all
  // packages, except for the name in that of MIT.
  const readme = path.join(folder, 'README.md');
  const section = existsSync(readme) && /^(?:#+ *)?licen[cs]e\b[^\n]*\n([-=]*\n)?([^]*permission[^]*)/im;
  const inReadme = section ? section.exec(readFileSync(readme, 'utf8'))?.[2]?.trim() : undefined;
  if (inReadme) return { title, text: inReadme };
  if (license === 'Apache-2.0') return { title, text: readFileSync(apache, 'utf8').trim() };
  const author = about.author;
  if (license === 'MIT' && author) return { title, text: mitText(author) };
  throw new Error(`${name}: its package holds no licence text; say in scripts/licences.mjs where it stands.`);
}

/**
 * Returns the licence of MIT, as in the project's own `LICENSE`, with the name of another author.
 * @param {string} author
 */
function mitText(author) {
  const ours = readFileSync('LICENSE', 'utf8').trim();
  return ours.replace(/^Copyright .*$/m, `Copyright (c) ${author}`);
}

/**
 * Returns the text of licences.txt. Packages with the same licence text are listed together above it.
 * @param {readonly Notice[]} notices
 */
function licencesText(notices) {
  const byText = /** @type {Map<string, string[]>} */ (new Map());
  for (const { title, text } of notices) byText.set(text, [...(byText.get(text) ?? []), title]);
  const sections = [...byText].map(([text, titles]) => `${titles.sort().join('\n')}\n\n${text}\n`).sort();
  const own = readFileSync('LICENSE', 'utf8').trim();
  const intro = 'Cothink is made with the packages named below, parts of which are in its files.';
  return [`Cothink\n\n${own}\n\n${intro}\n`, ...sections].join(`\n${'-'.repeat(80)}\n\n`);
}
