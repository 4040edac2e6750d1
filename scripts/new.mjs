// `npm run new -- world|learner|protocol|carrier NAME [LABEL]` makes the folder of a new extension as a starting point.
// The extension passes every check unchanged and already does something. Texts without a German translation have null
// in `de.json`.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { format, getFileInfo, resolveConfig } from 'prettier';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const templates = path.join(root, 'scripts', 'templates');
const kinds = readdirSync(templates);

/**
 * Creates an extension from the template of its kind and formats its files for the given name and label. Returns the
 * folder, from the root. Throws if it already exists.
 * @param {string} kind
 * @param {string} name
 * @param {string} label
 */
async function makeExtension(kind, name, label) {
  const siblings = path.join(root, 'src', 'extensions', `${kind}s`);
  const folder = path.join(siblings, name);
  if (existsSync(folder)) throw new Error(`${kind} ${name}: there is one already in ${path.relative(root, folder)}.`);
  mkdirSync(folder, { recursive: true });
  const order = String(nextOrder(siblings));
  for (const file of readdirSync(path.join(templates, kind))) {
    const text = readFileSync(path.join(templates, kind, file), 'utf8');
    const filled = text.replaceAll('NAME', name).replaceAll('LABEL', label).replaceAll('ORDER', order);
    const made = path.join(folder, file.replace(/\.txt$/, ''));
    const { inferredParser } = await getFileInfo(made);
    const options = { ...(await resolveConfig(made)), filepath: made };
    writeFileSync(made, inferredParser ? await format(filled, options) : filled);
  }
  return path.relative(root, folder);
}

/**
 * Returns the place after all others in lists.
 * @param {string} siblings
 */
function nextOrder(siblings) {
  const orders = readdirSync(siblings, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => /^ {2}order: (\d+),$/m.exec(readFileSync(path.join(siblings, file), 'utf8'))?.[1] ?? []);
  return Math.max(0, ...orders.map(Number)) + 10;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [kind = '', name = '', label = name.replace(/^./, (sign) => sign.toUpperCase())] = process.argv.slice(2);
  // A label is inserted into texts in code, and `own` is the prefix of a visitor's own extensions.
  const isPossible = /^(?!own$)[a-z][A-Za-z0-9]*$/.test(name) && /^[\p{L}\p{N}][\p{L}\p{N} ,.’-]*$/u.test(label);
  if (!kinds.includes(kind) || !isPossible) {
    console.error(
      `expected npm run new -- ${kinds.join('|')} NAME [LABEL], with a NAME such as signpost and a LABEL of letters, digits and spaces.`,
    );
    process.exit(2);
  }
  try {
    const folder = await makeExtension(kind, name, label);
    console.log(`${folder} is ready. Next: npm run docs:renew, npm run verify, and npm run dev to see it.`);
  } catch (error) {
    console.error(/** @type {Error} */ (error).message);
    process.exit(1);
  }
}
