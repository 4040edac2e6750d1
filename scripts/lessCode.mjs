// Vite plugins that leave code out of what is shipped to browsers: the page, and the library.
import { Visitor } from 'vite';

/**
 * Leaves out what is not used of TensorFlow.js: its optimisers (src/engine has its own), its storage of models
 * (src/storage), and two packages that it needs only to draw random numbers (src/base/random.ts) and to hash strings.
 * @returns {import('vite').Plugin}
 */
export function withoutUnusedParts() {
  const unused = `() => { throw new Error('TensorFlow.js draws no random numbers here; use src/base/random.ts'); }`;
  const storage = (/** @type {string} */ name) =>
    `export class ${name} { static URL_SCHEME = '${name}://'; } export class ${name}Manager {}`;
  /** @type {Readonly<Record<string, string>>} The replacement of each import, by its end. */
  const parts = {
    seedrandom: `export const alea = ${unused};`,
    long: 'export default { fromString: () => null };',
    register_optimizers: 'export const registerOptimizers = () => undefined;',
    indexed_db: storage('BrowserIndexedDB'),
    local_storage: storage('BrowserLocalStorage'),
  };
  return {
    name: 'without-unused-parts',
    apply: 'build',
    enforce: 'pre',
    resolveId(id, importer = '') {
      const name = id.split('/').at(-1) ?? '';
      return Object.hasOwn(parts, name) && importer.includes('/@tensorflow/') ? `\0unused-${name}` : null;
    },
    load: (id) => (id.startsWith('\0unused-') ? parts[id.replace('\0unused-', '')] : null),
  };
}

/**
 * Leaves out the list of all worlds, so that the code of a world is loaded when it is first needed.
 * @returns {import('vite').Plugin}
 */
export function worldsWhenNeeded() {
  return {
    name: 'worlds-when-needed',
    apply: 'build',
    enforce: 'pre',
    load: { filter: { id: /\/src\/tasks\/worldsAtOnce\.ts$/ }, handler: () => 'export const atOnce = {};' },
  };
}

/** Texts about settings, presets and worlds stand in tables that page, workers and library share; only the page shows them. */
const readOnPage = ['help', 'source', 'group', 'sentence', 'paidOn', 'hint'];

/**
 * Leaves out these texts.
 * @returns {import('vite').Plugin}
 */
export function withoutNotes() {
  return {
    name: 'without-notes',
    enforce: 'post', // once it is JavaScript
    transform: {
      filter: { id: /\/src\/config\// },
      handler(code) {
        /** @type {{ start: number, end: number }[]} */
        const texts = [];
        new Visitor({
          ObjectExpression({ properties }) {
            const texted = properties.flatMap((property) =>
              property.type === 'Property' &&
              property.key.type === 'Identifier' &&
              (property.value.type === 'Literal' || property.value.type === 'TemplateLiteral')
                ? [{ name: property.key.name, value: property.value }]
                : [],
            );
            // A source or a group beside a help or a sentence is one of notes; another may be a value.
            if (!texted.some(({ name }) => name === 'help' || name === 'sentence')) return;
            texts.push(...texted.flatMap(({ name, value }) => (readOnPage.includes(name) ? [value] : [])));
          },
        }).visit(this.parse(code));
        texts.sort((a, b) => a.start - b.start);
        const kept = texts.map(({ start }, i) => code.slice(texts[i - 1]?.end ?? 0, start));
        return { code: [...kept, code.slice(texts.at(-1)?.end ?? 0)].join("''"), map: null };
      },
    },
  };
}
