// Which tests quote a text that was reworded? `npm run quotes [-- COMMIT]` lists the parts of strings and regular
// expressions in tests that occurred in the program's texts at COMMIT (default: HEAD) and no longer occur. This takes
// seconds, while running the tests takes minutes. A test's own words may also be listed, if a text had the same words.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const [commit = 'HEAD'] = process.argv.slice(2);
const mostBytes = 500_000_000;

/** @param {string[]} args */
const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: mostBytes });
/** @param {string[]} patterns */
const filesOf = (...patterns) =>
  git('ls-files', '-z', '--', ...patterns)
    .split('\0')
    .filter(Boolean);

const isTest = /\.(test|spec)\.(ts|mjs)$|^(e2e|interop|attack)\/|\/testing\//;
const sources = ['src', 'workers', 'cli', 'messages'];
const isText = /\.(ts|svelte|json|mjs|md)$/;

/**
 * Returns a text with single spaces and without placeholders.
 * @param {string} said
 */
const plain = (said) =>
  said
    .replace(/\\'/g, "'")
    .replace(/\$?\{[^{}]*\}/g, '\0')
    .replace(/\s+/g, ' ');

const isOfProgram = (/** @type {string} */ file) => isText.test(file) && !isTest.test(file);
const readNow = (/** @type {string} */ file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
const readThen = (/** @type {string} */ file) => {
  try {
    return execFileSync('git', ['show', `${commit}:${file}`], {
      encoding: 'utf8',
      maxBuffer: mostBytes,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return ''; // the file is new
  }
};
const changed = git('diff', '--name-only', '-z', commit, '--', ...sources)
  .split('\0')
  .filter(Boolean);
const then = plain(changed.filter(isOfProgram).map(readThen).join('\n'));
const now = plain(
  filesOf(...sources)
    .filter(isOfProgram)
    .map(readNow)
    .join('\n'),
);

const literal = /'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"|\/(?![/*])(?:[^/\\\n]|\\.)+\//g;
const escaped = /\\([.()[\]+*?/^$|'])/g;
const betweenParts = /\.\*|\.\+|\\d\S*|\\w\S*|\\S\S*|\$\{[^}]*\}|\{[^}]*\}|[\^$|]|\d+(?:\.\d+)?|\[[^\]]*\][+*]?|\\n/;

let found = 0;
for (const file of filesOf('*.test.ts', '*.test.mjs', 'e2e', 'interop', 'attack', 'src/**/testing/**')) {
  if (!/\.(ts|mjs)$/.test(file) || file.includes('/former/')) continue;
  const code = readNow(file);
  for (const { 0: quoted, index } of code.matchAll(literal)) {
    const parts = quoted
      .slice(1, -1)
      .split(betweenParts)
      .map((part) => plain(part.replace(escaped, '$1')).trim())
      .filter((part) => part.length >= 9 && part.includes(' '));
    for (const part of parts) {
      if (!then.includes(part) || now.includes(part)) continue;
      found++;
      console.log(`${file}:${code.slice(0, index).split('\n').length}: “${part}”`);
    }
  }
}
console.log(`${found} quotes of texts that have changed since ${commit}`);
