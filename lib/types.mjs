// Writes the types of the library: one bundle of declarations for each part. Worlds, learners and protocols add their names
// and settings by declarations in their own folders, so a file that imports all of these folders stands before each part.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { root } from '../scripts/freshness.mjs';

/**
 * For each table to which extensions add entries: the folder of the extensions, and the file that adds the entry.
 * @type {Record<string, [kind: string, file: string]>}
 */
const tables = {
  WorldForms: ['worlds', 'form.ts'],
  LearnerTable: ['learners', 'facts.ts'],
  ProtocolTable: ['protocols', 'facts.ts'],
  AnalysisTable: ['analyses', 'facts.ts'],
};

/**
 * @param {string} outDir
 * @param {Record<string, string>} entry the file of each part
 */
export async function writeTypes(outDir, entry) {
  const folder = path.join(root, '.cache', 'library');
  mkdirSync(folder, { recursive: true });
  const added = Object.entries(tables).flatMap(([, [kind, file]]) =>
    namesIn(kind).map((name) => `${kind}/${name}/${file}`),
  );
  const imports = added.map((file) => `import type {} from '../../src/extensions/${file}';\n`).join('');
  const input = Object.fromEntries(
    Object.keys(entry).map((part) => {
      const file = path.join(folder, `${part}.ts`);
      writeFileSync(file, `${imports}export * from '../../lib/${part}.ts';\n`);
      return [part, file];
    }),
  );
  const bundle = await rollup({
    input,
    // The types of one part are also used in others, but need no name there.
    onwarn: ({ code, message }) => void (code === 'PLUGIN_WARNING' || console.error(message)),
    plugins: [
      dts({
        tsconfig: path.join(root, 'tsconfig.json'),
        compilerOptions: { stripInternal: true },
        respectExternal: true,
        includeExternal: ['valibot'],
      }),
    ],
  });
  const { output } = await bundle.generate({ format: 'es', chunkFileNames: 'types-[hash].d.ts' });
  await bundle.close();
  rmSync(folder, { recursive: true });
  for (const file of output)
    if (file.type === 'chunk') writeFileSync(path.join(outDir, file.fileName), withEntries(file.code));
}

/** @param {string} kind */
const namesIn = (kind) => readdirSync(path.join(root, 'src', 'extensions', kind));

/**
 * Adds the entries of the tables to their declarations, of which only the names matter here.
 * @param {string} code
 */
const withEntries = (code) =>
  Object.entries(tables).reduce(
    (text, [table, [kind]]) =>
      text.replace(
        new RegExp(`interface ${table} \\{\\s*\\}`),
        () =>
          `interface ${table} {\n${namesIn(kind)
            .map((name) => `    ${name}: any;\n`)
            .join('')}}`,
      ),
    code,
  );
