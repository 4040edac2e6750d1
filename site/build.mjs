// `npm run site` builds dist-site: the page as it is, and beside it the documents of docs/ and of the extensions, the
// examples, and the reference of the library from its descriptions, as plain HTML without scripts. Any static host serves it.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parts } from '../lib/parts.mjs';
import { buildPage, installPackages, root } from '../scripts/freshness.mjs';

/** Tests pass another output folder. */
const outDir = path.resolve(process.argv[2] ?? path.join(root, 'dist-site'));
installPackages();
buildPage();
const { Marked } = await import('marked');
const { Application } = await import('typedoc');

/**
 * A page of the site: its file in the tree (or none), its place in the site without ending, its title, and its Markdown.
 * @typedef {{ file: string, place: string, title: string, group: string, text: string }} Page
 */

const extensions = { worlds: 'Worlds', learners: 'Learners', protocols: 'Protocols' };
/** Documents in the order of the list; the rest follows by name. */
const order = [
  'features',
  'library',
  'cli',
  'worlds',
  'learners',
  'protocols',
  'results',
  'claims',
  'lessons',
  'teach',
];

const pages = [...documents(), examples(), ...(await reference()), ...ofExtensions()];
const byFile = new Map(pages.filter(({ file }) => file !== '').map((page) => [page.file, page]));
/** Links that lead nowhere on the site. @type {string[]} */
const broken = [];

rmSync(outDir, { recursive: true, force: true });
cpSync(path.join(root, 'dist'), outDir, { recursive: true, filter: (name) => !path.basename(name).startsWith('.') });
const docs = path.join(outDir, 'docs');
cpSync(path.join(root, 'docs', 'pictures'), path.join(docs, 'pictures'), { recursive: true });
cpSync(path.join(root, 'bench', 'results', 'growth.svg'), path.join(docs, 'pictures', 'growth.svg'));
cpSync(path.join(root, 'site', 'style.css'), path.join(docs, 'style.css'));
for (const page of pages) write(page.place, page.title, bodyOf(page));
write('index', 'Documents', indexBody());
if (broken.length > 0) {
  console.error(`site: links that lead nowhere:\n${[...new Set(broken)].join('\n')}`);
  process.exit(1);
}
console.log(`${pages.length + 1} documents in ${path.relative(root, docs)}`);

/** @returns {Page[]} */
function documents() {
  const names = readdirSync(path.join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -3));
  const rank = (/** @type {string} */ name) => (order.includes(name) ? order.indexOf(name) : order.length);
  return names
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, 'en'))
    .map((name) => pageOf(`docs/${name}.md`, name, 'Documents'));
}

/** @returns {Page[]} */
function ofExtensions() {
  return Object.entries(extensions).flatMap(([kind, group]) =>
    readdirSync(path.join(root, 'src', 'extensions', kind))
      .map((name) => `src/extensions/${kind}/${name}/about.md`)
      .filter((file) => existsSync(path.join(root, file)))
      .map((file) => pageOf(file, `${kind}/${path.basename(path.dirname(file))}`, group)),
  );
}

/** @param {string} file @param {string} place @param {string} group @returns {Page} */
function pageOf(file, place, group) {
  const text = readFileSync(path.join(root, file), 'utf8').replaceAll(/<!--[\s\S]*?-->\n?/g, '');
  return { file, place, group, text, title: /^# (.+)$/m.exec(text)?.[1] ?? place };
}

/** All examples on one page, each with the sentence at its beginning. @returns {Page} */
function examples() {
  const files = readdirSync(path.join(root, 'examples')).filter((name) => name.endsWith('.mjs'));
  const parts = files.map((name) => {
    const code = readFileSync(path.join(root, 'examples', name), 'utf8');
    const [said = ''] = code.split('\n');
    return `## ${name}\n\n${said.slice('// '.length)}\n\n\`\`\`js\n${code}\`\`\`\n`;
  });
  return {
    file: 'examples',
    place: 'examples',
    title: 'Examples',
    group: 'Library',
    text: `# Examples\n\n${parts.join('\n')}`,
  };
}

/** The reference of each part of the library, from the descriptions in its files. @returns {Promise<Page[]>} */
async function reference() {
  const folder = path.join(root, '.cache', 'reference');
  const app = await Application.bootstrapWithPlugins({
    entryPoints: parts.map((part) => path.join(root, 'lib', `${part}.ts`)),
    tsconfig: path.join(root, 'tsconfig.json'),
    plugin: ['typedoc-plugin-markdown'],
    ...{ skipErrorChecking: true, excludeInternal: true, excludePrivate: true, excludeExternals: true },
    ...{ disableSources: true, readme: 'none', name: 'cothink', logLevel: 'Error' },
    .../** @type {object} */ ({
      outputFileStrategy: 'modules',
      hideBreadcrumbs: true,
      hidePageHeader: true,
      out: folder,
      outputs: [{ name: 'markdown', path: folder }],
    }),
  });
  const project = await app.convert();
  if (!project) throw new Error('site: the library could not be read');
  await app.generateOutputs(project);
  return parts.map((part) => {
    const text = readFileSync(path.join(folder, `${part}.md`), 'utf8')
      .replace(/^# .*$/m, `# cothink/${part}`)
      // Initial values of schemas are no information about the library.
      .replaceAll(' = `...`', '');
    return { file: '', place: `api/${part}`, title: `cothink/${part}`, group: 'Library', text };
  });
}

/** @param {Page} page */
function bodyOf({ file, place, text }) {
  const ids = new Map();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${idOf(inner, ids)}">${inner}</h${depth}>\n`;
      },
      table(token) {
        const cell = (/** @type {import('marked').Tokens.TableCell} */ one, /** @type {string} */ tag) =>
          `<${tag}>${this.parser.parseInline(one.tokens)}</${tag}>`;
        const row = (/** @type {import('marked').Tokens.TableCell[]} */ cells, /** @type {string} */ tag) =>
          `<tr>${cells.map((one) => cell(one, tag)).join('')}</tr>`;
        const rows = token.rows.map((cells) => row(cells, 'td')).join('\n');
        return `<div class="table" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${rows}</tbody></table></div>\n`;
      },
      code({ text: code }) {
        return `<pre tabindex="0"><code>${escaped(code)}</code></pre>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = addressOf(href, file, place);
        return target === null ? inner : `<a href="${escaped(target)}">${namedFor(inner, href, file)}</a>`;
      },
      image({ href, text: said }) {
        const name = path.basename(href);
        const found = existsSync(path.join(docs, 'pictures', name)) ? name : `screens/${name}`;
        if (!existsSync(path.join(docs, 'pictures', found))) broken.push(`${file}: ${href}`);
        return `<img src="${upFrom(place)}pictures/${found}" alt="${escaped(said)}" loading="lazy" />`;
      },
    },
  });
  return /** @type {string} */ (marked.parse(text));
}

/**
 * The file in the tree to which a link of a file leads, the heading in it, and its page if it has one.
 * @param {string} href @param {string} file
 */
function targetOf(href, file) {
  const [target = '', hash] = href.split('#');
  const wanted = path.posix.normalize(path.posix.join(path.posix.dirname(file), target));
  return { wanted, hash, found: byFile.get(wanted) };
}

/**
 * Where a link leads on the site; null for a file of the source code, which is not part of the site.
 * @param {string} href @param {string} file @param {string} place
 */
function addressOf(href, file, place) {
  if (/^(https?:|#)/.test(href)) return href;
  // The pages of the reference link to each other.
  if (file === '') return href.replace(/\.md(?=#|$)/, '.html');
  const { wanted, hash, found } = targetOf(href, file);
  if (!found) {
    if (!existsSync(path.join(root, wanted))) broken.push(`${file}: ${href}`);
    return null;
  }
  return `${upFrom(place)}${found.place}.html${hash === undefined ? '' : `#${hash}`}`;
}

/**
 * The words of a link: the title of a document whose file name is the text of the link.
 * @param {string} inner @param {string} href @param {string} file
 */
function namedFor(inner, href, file) {
  const { found } = targetOf(href, file);
  return found && /^<code>[\w/.-]+\.md<\/code>$/.test(inner) ? `“${escaped(found.title)}”` : inner;
}

/** The way from a page to the folder of all documents. @param {string} place */
function upFrom(place) {
  return '../'.repeat(place.split('/').length - 1) || './';
}

/** The anchor of a heading, as GitHub makes it. @param {string} inner @param {Map<string, number>} ids */
function idOf(inner, ids) {
  const plain = inner.replaceAll(/<[^>]+>/g, '').replaceAll(/&[^;]+;/g, '');
  const id = plain
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
  const before = ids.get(id) ?? 0;
  ids.set(id, before + 1);
  return before === 0 ? id : `${id}-${before}`;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function indexBody() {
  const first = (/** @type {Page} */ { text }) =>
    text
      .split('\n\n')
      .find((part) => /^[A-Z“`[]/.test(part))
      ?.replaceAll('\n', ' ')
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[`*_]/g, '') ?? '';
  const sentence = (/** @type {string} */ words) =>
    /^.{20,200}?[.:](?= |$)/.exec(words)?.[0].replace(/:$/, '.') ?? words.slice(0, 160);
  const cards = (/** @type {string} */ group) =>
    pages
      .filter((page) => page.group === group)
      .map(
        (page) =>
          `<li><a href="${page.place}.html"><b>${escaped(page.title)}</b><span>${escaped(sentence(first(page)))}</span></a></li>`,
      )
      .join('\n');
  const groups = [...new Set(pages.map(({ group }) => group))];
  return `<h1>Documents</h1>
<p>Two small language models learn to think together, in a browser tab. These documents describe the page, the command line and the library.</p>
${groups.map((group) => `<h2>${group}</h2>\n<ul class="cards">\n${cards(group)}\n</ul>`).join('\n')}`;
}

/** @param {string} place @param {string} title @param {string} body */
function write(place, title, body) {
  const up = upFrom(place);
  const groups = [...new Set(pages.map(({ group }) => group))];
  const link = (/** @type {Page} */ page) =>
    `<li><a href="${up}${page.place}.html"${page.place === place ? ' aria-current="page"' : ''}>${escaped(page.title)}</a></li>`;
  const list = groups
    .map(
      (group) =>
        `<h2>${group}</h2><ul>${pages
          .filter((page) => page.group === group)
          .map(link)
          .join('')}</ul>`,
    )
    .join('\n');
  const html = `<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>${escaped(title)} · Cothink</title>
<link rel="icon" href="${up}../favicon.svg" type="image/svg+xml" />
<link rel="stylesheet" href="${up}style.css" />
</head>
<body>
<header><b><i></i>Cothink</b><a href="${up}../index.html">The page</a><a href="${up}index.html">Documents</a><a href="${up}../index.html?lesson=twoMinds">Lessons</a></header>
<nav aria-label="Documents">${list}</nav>
<main>
${body}
</main>
</body>
</html>
`;
  const file = path.join(docs, `${place}.html`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, html);
}
