// Writes dist/licences.txt: the notice of every package of which anything is shipped, as their licences ask. Workers are
// bundles of their own, so each bundle notes its packages and the page's, which is finished last, writes them all.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';

interface Notice {
  /** Name, version and licence. */
  title: string;
  text: string;
}

const modules = path.resolve('node_modules');
const apache = path.join(modules, 'assemblyscript', 'LICENSE');

/** Who put code into a bundle that comes from no file of a package: bundler, preloading, the kernels' standard library. */
const makers: [sign: RegExp, name: string][] = [
  [/^\0?rolldown\//, 'rolldown'],
  [/^\0vite\//, 'vite'],
  [/\.wasm($|\?)/, 'assemblyscript'],
];

/** Packages of the service worker, which is bundled after the page has been written. */
const ofServiceWorker = ['core', 'precaching', 'routing', 'strategies'].map((name) => `workbox-${name}`);

/** `forWorkers` goes to worker.plugins, `forPage` to plugins. */
export function licenceNotices(): { forWorkers: () => Plugin; forPage: Plugin } {
  const folders = new Set<string>();
  const note = (bundle: Record<string, object>) => {
    const ids = Object.values(bundle).flatMap((file) => ('moduleIds' in file ? (file.moduleIds as string[]) : []));
    for (const id of [...ids, ...Object.keys(bundle)]) {
      const folder = packageOf(id);
      if (folder) folders.add(folder);
    }
  };
  return {
    forWorkers: () => ({ name: 'licences-of-workers', generateBundle: (_, bundle) => note(bundle) }),
    forPage: {
      name: 'licences',
      buildStart: () => folders.clear(),
      generateBundle(_, bundle) {
        note(bundle);
        for (const name of ofServiceWorker) folders.add(path.join(modules, name));
        const source = licencesText([...folders].map(noticeOf));
        this.emitFile({ type: 'asset', fileName: 'licences.txt', source });
      },
    },
  };
}

/** The folder of the package that a module belongs to; undefined for our own. */
function packageOf(id: string): string | undefined {
  const maker = makers.find(([sign]) => sign.test(id));
  if (maker) return path.join(modules, maker[1]);
  const [file = ''] = id.replace(/^\0/, '').split('?');
  return /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replaceAll('\\', '/'))?.[1];
}

/** The notice that the package in `folder` asks to be passed on. Throws where it says nothing that could be. */
export function noticeOf(folder: string): Notice {
  const about = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Record<string, string>;
  const { name = folder, version = '', license = 'no licence named' } = about;
  const title = `${name} ${version} (${license})`;
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i.test(file));
  // Licences of packages bundled into a tool itself do not come along.
  const own = (text: string) => (text.split(/^# Licenses of bundled dependencies/m)[0] as string).trim();
  const said = files.sort().map((file) => own(readFileSync(path.join(folder, file), 'utf8')));
  if (said.length > 0) return { title, text: said.join('\n\n') };
  // Some have it at the end of what they say of themselves, and that of Apache is the same for all.
  const readme = path.join(folder, 'README.md');
  const section = existsSync(readme) && /^(?:#+ *)?licen[cs]e\b[^\n]*\n([-=]*\n)?([^]*permission[^]*)/im;
  const inReadme = section ? section.exec(readFileSync(readme, 'utf8'))?.[2]?.trim() : undefined;
  if (inReadme) return { title, text: inReadme };
  if (license === 'Apache-2.0') return { title, text: readFileSync(apache, 'utf8').trim() };
  throw new Error(`${name}: its package holds no licence text; say in scripts/licences.ts where it stands.`);
}

/** Packages under one and the same text stand together over it. */
function licencesText(notices: readonly Notice[]): string {
  const byText = new Map<string, string[]>();
  for (const { title, text } of notices) byText.set(text, [...(byText.get(text) ?? []), title]);
  const sections = [...byText].map(([text, titles]) => `${titles.sort().join('\n')}\n\n${text}\n`).sort();
  const own = readFileSync('LICENSE', 'utf8').trim();
  const intro = 'Cothink is made with the packages named below, parts of which are in its files.';
  return [`Cothink\n\n${own}\n\n${intro}\n`, ...sections].join(`\n${'-'.repeat(80)}\n\n`);
}
