// `npm run house` checks the structure of the source tree. It prints every room (a folder that contains code) with its
// files, lines and siblings. It exits with 1 if an import violates the order in layers.js, an extension is named
// outside its own folder, two exported types have the same name, a function sets a module variable, or more than
// `mostIgnores` pieces of code are excluded from Prettier. Lines and siblings have no limit: a reader judges them.
// `-- --json` prints all of it as one JSON object, with the settings on the first screen's form, and exits with 0.
//
// Lines are counted in `.ts` and `.svelte` files (in `.mjs` too in bench and scripts). Tests are `*.test.ts`,
// everything in a folder `testing` or `reference`, and e2e; the rest is source code. `sourceLines` are those of src and
// workers. Siblings are the entries of a room: its source files and styles, and its folders.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
import * as table from '../layers.js';

const homes = ['src', 'workers', 'cli', 'bench', 'interop', 'scripts', 'e2e'];
/** Top-level folders whose lines are counted together. */
const shipped = ['src', 'workers'];
/** Top-level folders that must not name an extension, or export two types with the same name. */
const product = ['src', 'workers', 'cli'];
/**
 * Files that may name extensions: presets and the initial texts of a visitor's worlds name the extensions that they
 * combine, and each registry names its default.
 */
const mayName = [
  'src/config/presets.ts',
  'src/config/learners/registry.ts',
  'src/config/protocols/registry.ts',
  'src/tasks/custom/templates.ts',
  // Names written by earlier versions stay unchanged.
  'src/migrations/problem.ts',
  'src/migrations/settings.ts',
];
/** Module variables that a process has only once: its terminal, its reader, its database, or a cache with one entry. */
const mayBeSet = [
  'cli/terminal.ts isBarShown',
  'src/base/spoken.ts phrases',
  'src/exercises/ownFormula.ts newest',
  'src/state/visitor/language.svelte.ts words',
  'src/storage/database.ts opened',
  'workers/archive.ts opened',
];
const isExtension = (/** @type {string} */ file) => file.startsWith('src/extensions/');
/** Matrices may be formatted by hand. */
const mostIgnores = 20;
const ignore = `prettier${'-'}ignore`;

/**
 * @typedef {{ layers: Record<string, string[]>, rooms: Record<string, string[]>, folders: Record<string, string>, extensions?: Record<string, [string, string][]> }} Order
 * @typedef {{ room: string, files: number, lines: number, siblings: number }} Room
 * @typedef {{ kind: string, name: string, files: number, namedOutside: number }} Extension
 * @typedef {{ sourceLines: number, testLines: number, rooms: Room[], upward: { from: string, to: string }[], extensions: Extension[], duplicateTypes: string[], setVariables: string[], prettierIgnores: number }} House
 * @typedef {{ file: string, text: string, lines: number, isTest: boolean, imports: string[] }} Code
 */

/**
 * Examines the tree under `root` with the order of `layers`, `rooms` and `folders` (layers.js).
 * @param {string} root
 * @param {Order} order
 * @returns {House}
 */
export function survey(root, order = table) {
  const files = homes.flatMap((home) => filesUnder(root, home));
  const codes = files.filter((file) => /\.(ts|svelte|mjs)$/.test(file)).map((file) => read(root, file));
  const sources = codes.filter(({ isTest }) => !isTest);
  const sum = (/** @type {Code[]} */ of) => of.reduce((total, { lines }) => total + lines, 0);
  return {
    sourceLines: sum(sources.filter(({ file }) => shipped.includes(homeOf(file)))),
    testLines: sum(codes.filter(({ isTest }) => isTest)),
    rooms: roomsOf(files.filter((file) => !isTest(file))).map(({ room, siblings }) => {
      const own = sources.filter(({ file }) => path.posix.dirname(file) === room);
      return { room, files: own.length, lines: sum(own), siblings };
    }),
    // AssemblyScript is compiled separately, from an index of all kernels, so the order does not apply to it.
    upward: codes
      .filter(({ file }) => !file.endsWith('.assembly.ts'))
      .flatMap(({ file, imports }) =>
        imports.filter((target) => isUpward(file, target, order)).map((target) => ({ from: file, to: target })),
      ),
    extensions: extensionsOf(files, sources),
    duplicateTypes: duplicateTypes(sources),
    setVariables: setVariables(sources),
    prettierIgnores: codes.reduce((total, { text }) => total + text.split(ignore).length - 1, 0),
  };
}

/**
 * Returns every extension in `src/extensions/KIND/NAME`, with the number of its files and of the source lines outside
 * its folder that name it.
 * @param {string[]} files
 * @param {Code[]} sources
 * @returns {Extension[]}
 */
function extensionsOf(files, sources) {
  const folders = new Set(files.flatMap((file) => /^src\/extensions\/\w+\/\w+(?=\/)/.exec(file) ?? []));
  // An extension may name compatible extensions of another kind, as a world names its protocols.
  const lines = sources
    .filter(({ file }) => product.includes(homeOf(file)) && !mayName.includes(file) && !isExtension(file))
    .flatMap(({ text }) => text.split('\n'));
  return [...folders].sort().map((folder) => {
    const [, , kind = '', name = ''] = folder.split('/');
    const namedOutside = lines.filter((line) => line.includes(name) && names(line, kind, name)).length;
    return { kind, name, files: files.filter((file) => file.startsWith(`${folder}/`)).length, namedOutside };
  });
}

/**
 * Returns whether a line of code names an extension: by its path; as a text, which must be next to the kind if the name
 * is an ordinary word; or as a key, if it is not an ordinary word.
 * @param {string} line
 * @param {string} kind
 * @param {string} name
 */
function names(line, kind, name) {
  if (line.includes(`extensions/${kind}/${name}/`)) return true;
  const isText = (/** @type {string} */ after) => new RegExp(`['"\`]${name}['"\`${after}]`).test(line);
  if (/[A-Z]/.test(name)) return isText('.') || new RegExp(`(?<![\\w#.])${name}:`).test(line);
  return isText('') && line.toLowerCase().includes(kind.replace(/(ies|es|s)$/, ''));
}

/**
 * Returns the exported types, interfaces, classes and enums whose name another file of the product exports as well.
 * @param {Code[]} sources
 */
function duplicateTypes(sources) {
  const named = sources
    .filter(({ file }) => product.includes(homeOf(file)))
    .flatMap(({ text }) =>
      [...text.matchAll(/^export (?:declare )?(?:abstract )?(?:type|interface|class|enum) (\w+)/gm)].map(
        ([, name = '']) => name,
      ),
    );
  return [...new Set(named.filter((name, i) => named.indexOf(name) !== i))].sort();
}

/**
 * Returns the module variables that code assigns after the module was loaded, so that two runs in one process may
 * differ. A cache that is assigned only once by `??=` does not count.
 * @param {Code[]} sources
 */
function setVariables(sources) {
  return sources
    .filter(({ file }) => product.includes(homeOf(file)) && file.endsWith('.ts') && !file.endsWith('.assembly.ts'))
    .flatMap(({ file, text }) =>
      [...text.matchAll(/^(?:export )?let (\w+)/gm)]
        .filter(([, name]) =>
          new RegExp(`^ +.*(?<![\\w.'])(${name}(\\+\\+|--| [-+*|&/]?= )|(\\+\\+|--)${name}\\b)`, 'm').test(text),
        )
        .map(([, name]) => `${file} ${name}`),
    )
    .filter((variable) => !mayBeSet.includes(variable));
}

/**
 * Returns the faults that make `npm run house` fail, as text.
 * @param {House} house
 * @returns {string[]}
 */
export function faultsOf({ upward, extensions, duplicateTypes, setVariables, prettierIgnores }) {
  return [
    ...upward.map(({ from, to }) => `${from} imports ${to}, which comes later in layers.js`),
    ...extensions
      .filter(({ namedOutside }) => namedOutside > 0)
      .map(({ kind, name, namedOutside }) => `${kind}/${name} is named on ${namedOutside} lines outside its folder`),
    ...duplicateTypes.map((name) => `two files export a type called ${name}`),
    ...setVariables.map((variable) => `${variable} is a module variable that functions set: pass it as a value`),
    ...(prettierIgnores > mostIgnores ? [`${prettierIgnores} pieces of code are kept from Prettier`] : []),
  ];
}

/** @param {string} file */
const homeOf = (file) => file.split('/')[0] ?? '';

/** @param {string} file */
const isTest = (file) => /^e2e\/|\.test\.ts$|\/(testing|reference)\//.test(file);

/**
 * Returns every file under a folder, by its path from the root.
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
function filesUnder(root, folder) {
  if (!existsSync(path.join(root, folder))) return [];
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesUnder(root, name) : [name];
  });
}

/**
 * Returns the folders that contain source, with their visible entries.
 * @param {string[]} files
 */
function roomsOf(files) {
  /** @type {Map<string, Set<string>>} */
  const seen = new Map();
  for (const file of files.filter((name) => /\.(ts|svelte|mjs|css)$/.test(name))) {
    for (let inside = file; inside.includes('/'); inside = path.posix.dirname(inside)) {
      const room = path.posix.dirname(inside);
      if (room !== '.') seen.set(room, (seen.get(room) ?? new Set()).add(inside));
    }
  }
  return [...seen]
    .map(([room, inside]) => ({ room, siblings: inside.size }))
    .sort((a, b) => (a.room < b.room ? -1 : 1));
}

/**
 * @param {string} root
 * @param {string} file
 * @returns {Code}
 */
function read(root, file) {
  const text = readFileSync(path.join(root, file), 'utf8');
  const scripts = file.endsWith('.svelte')
    ? [...text.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, script]) => script).join('\n')
    : text;
  const { importedFiles } = ts.preProcessFile(scripts, true, true);
  const targets = importedFiles.flatMap(({ fileName }) => targetOf(root, file, fileName) ?? []);
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return { file, text, lines, isTest: isTest(file), imports: [...new Set(targets)] };
}

/**
 * Returns the file of this tree that an import means, or undefined for packages and for files that are not code.
 * @param {string} root
 * @param {string} file
 * @param {string} specifier
 */
function targetOf(root, file, specifier) {
  if (!specifier.startsWith('.')) return undefined;
  const [plain = ''] = specifier.split('?');
  const wanted = path.posix.join(path.posix.dirname(file), plain);
  return [wanted, `${wanted}.ts`].find((name) => /\.(ts|svelte|mjs)$/.test(name) && existsSync(path.join(root, name)));
}

/**
 * Returns whether an import violates the order: it goes into a layer that may not be imported, or into a later room of
 * its own layer.
 * @param {string} from
 * @param {string} to
 * @param {Order} order
 */
function isUpward(from, to, order) {
  const { layers, rooms, folders } = order;
  const [own, other] = [table.layerOf(from, order), table.layerOf(to, order)];
  if (own === '' || other === '') return false;
  if (own !== other) return !layers[own]?.includes(other);
  const inOrder = rooms[own] ?? [];
  const roomOf = (/** @type {string} */ file) =>
    inOrder.findIndex((room) => file.startsWith(`${folders[own]}/${room}/`));
  return !from.endsWith('.test.ts') && roomOf(from) >= 0 && roomOf(to) > roomOf(from);
}

/** @param {House} house */
function describe({ sourceLines, testLines, rooms }) {
  const width = Math.max(...rooms.map(({ room }) => room.length));
  const line = (/** @type {string} */ name, /** @type {(string | number)[]} */ cells) =>
    name.padEnd(width) + cells.map((cell) => String(cell).padStart(10)).join('');
  const share = (100 * testLines) / (sourceLines + testLines);
  return [
    line('room', ['files', 'lines', 'siblings']),
    ...rooms.map(({ room, files, lines, siblings }) => line(room, [files, lines, siblings])),
    '',
    `source of ${shipped.join(' and ')}: ${sourceLines} lines; tests: ${testLines} lines, ${share.toFixed(0)} % of both`,
  ].join('\n');
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const house = survey(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..'));
  if (process.argv.includes('--json')) {
    const { bundleForNode } = await import('./runTs.mjs');
    const { settingsOnFirstForm } = await import(await bundleForNode('scripts/firstForm.ts'));
    console.log(JSON.stringify({ ...house, settingsOnFirstForm: settingsOnFirstForm() }));
  } else {
    const faults = faultsOf(house);
    console.log(describe(house));
    for (const fault of faults) console.error(`  ${fault}`);
    console.log(faults.length === 0 ? 'The house is in order.' : `${faults.length} things are out of order.`);
    process.exitCode = faults.length === 0 ? 0 : 1;
  }
}
