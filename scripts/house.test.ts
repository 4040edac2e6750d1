import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { faultsOf, survey } from './house.mjs';

const trees = mkdtempSync(path.join(tmpdir(), 'house-'));
afterAll(() => rmSync(trees, { recursive: true }));

/** Creates a tree with these files and returns its folder. */
function treeOf(files: Record<string, string>): string {
  const root = mkdtempSync(path.join(trees, 'tree-'));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  return root;
}

/** An order with two layers, one of which has two rooms. */
const order = {
  layers: { low: [], high: ['low'], workers: ['high', 'low'] },
  rooms: { high: ['first', 'second'] },
  folders: { low: 'src/low', high: 'src/high', workers: 'workers' },
};
const lines = (count: number) => 'export {};\n'.repeat(count);
const files: Record<string, string> = {
  'src/low/far.ts': lines(401),
  'src/low/near.ts': `import type { Up } from '../high/first/a.ts';\n`,
  'src/low/near.test.ts': lines(10),
  'src/low/testing/made.ts': lines(5),
  'src/low/reference/slow.ts': lines(6),
  'src/high/first/a.ts': `import { later } from '../second/b.ts';\nexport const up = () => import('../../low/near.ts');\n`,
  'src/high/first/a.test.ts': `import '../second/b.ts';\n`,
  'src/high/second/b.ts': `import '../../low/far';\nimport url from './c.svelte?url';\nexport * from '../first/a.ts';\n`,
  'src/high/second/c.svelte': `<script lang="ts">\n  import '../../../workers/w.ts';\n</script>\n<p>import './b.ts'</p>\n`,
  'src/high/second/look.css': 'p {}\n',
  'src/low/registry.ts': '\n',
  'workers/w.ts': `import '../src/low/registry.ts';\nimport '../src/high/first/a.ts';\n// the end`,
  'bench/apart.ts': lines(7),
  'e2e/page.spec.ts': lines(8),
  ...Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`scripts/many${i}.mjs`, '\n'])),
};
const house = survey(treeOf(files), order);

it('lines in src and workers count as source, but lines of tests do not', () => {
  expect(house.sourceLines).toBe(401 + 1 + 2 + 3 + 4 + 1 + 3);
  expect(house.testLines).toBe(10 + 5 + 6 + 1 + 8);
});

it('a room has its own files and lines, and its siblings are files, styles and folders without tests', () => {
  expect(house.rooms).toEqual([
    { room: 'bench', files: 1, lines: 7, siblings: 1 },
    { room: 'scripts', files: 21, lines: 21, siblings: 21 },
    { room: 'src', files: 0, lines: 0, siblings: 2 },
    { room: 'src/high', files: 0, lines: 0, siblings: 2 },
    { room: 'src/high/first', files: 1, lines: 2, siblings: 1 },
    { room: 'src/high/second', files: 2, lines: 7, siblings: 3 },
    { room: 'src/low', files: 3, lines: 403, siblings: 3 },
    { room: 'workers', files: 1, lines: 3, siblings: 1 },
  ]);
});

it('imports of a later layer or room are found, also of types, dynamic ones, and those in components', () => {
  expect(house.upward).toEqual([
    { from: 'src/high/first/a.ts', to: 'src/high/second/b.ts' },
    { from: 'src/high/second/c.svelte', to: 'workers/w.ts' },
    { from: 'src/low/near.ts', to: 'src/high/first/a.ts' },
  ]);
});

const crowded = survey(
  treeOf({
    'src/extensions/worlds/houseRule/form.ts': `export const form = { name: 'houseRule' };\n`,
    'src/extensions/worlds/houseRule/look/look.css': '',
    'src/extensions/worlds/tools/form.ts': `import '../houseRule/form.ts';\nexport type Twice = 'tools';\n`,
    'src/config/presets.ts': `export const preset = { world: 'houseRule' };\n`,
    'src/config/names.ts': `const world = 'tools';\nconst noWorld = "tool's";\nconst other = 'tools';\nexport interface Twice {}\n`,
    'src/config/names.test.ts': `export interface Twice {}\nconst world = 'houseRule';\n`,
    'cli/program.ts': `const rules = { houseRule: 1 };\nimport '../src/extensions/worlds/tools/form.ts';\n`,
  }),
);

it('an extension is named by its path, as a text next to its kind, or as a text or key that is not a word', () => {
  expect(crowded.extensions).toEqual([
    { kind: 'worlds', name: 'houseRule', files: 2, namedOutside: 1 },
    { kind: 'worlds', name: 'tools', files: 1, namedOutside: 2 },
  ]);
});

it('two exported types with the same name are found, except in tests', () => {
  expect(crowded.duplicateTypes).toEqual(['Twice']);
});

it('a module variable that a function sets is found, but no constant, cache or local variable', () => {
  const { setVariables } = survey(
    treeOf({
      'src/base/set.ts': `let render = null;\nexport function ready() {\n  render = 1;\n}\n`,
      'cli/count.ts': `let sockets = 0;\nexport const next = () =>\n  \`socket \${sockets++}\`;\n`,
      'src/base/cache.ts': `let opened;\nexport function open() {\n  opened ??= 1;\n  return opened === 1;\n}\n`,
      'src/base/own.ts': `export function total() {\n  let sum = 0;\n  sum += 1;\n  return sum;\n}\n`,
      'src/base/set.test.ts': `let seen = 0;\nit('is', () => {\n  seen = 1;\n});\n`,
    }),
    order,
  );
  expect(setVariables.sort()).toEqual(['cli/count.ts sockets', 'src/base/set.ts render']);
});

it('upward imports, extensions named outside, duplicate types and code excluded from Prettier are faults', () => {
  expect(faultsOf(house)).toHaveLength(3);
  expect(faultsOf({ ...crowded, upward: [] })).toHaveLength(2 + 1);
  const clean = { ...house, upward: [] };
  expect(faultsOf(clean)).toEqual([]);
  expect(faultsOf({ ...clean, prettierIgnores: 21, setVariables: ['src/base/set.ts render'] })).toHaveLength(2);
});
