// `npm run build:cli` writes the program `cothink` to dist-cli as plain Node code. It includes all dependencies except
// the page, and the licences of its components. `npm run build` builds the page and the program, and `npm pack`
// packages them.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildKernels, root } from '../scripts/freshness.mjs';
import { licenceNotices } from '../scripts/licences.mjs';
import { wasmBesideBundle } from '../scripts/nodePlugins.mjs';
import { buildForNode } from '../scripts/runTs.mjs';

/** Tests pass another output folder, to build a copy of their own. */
const outDir = path.resolve(process.argv[2] ?? path.join(root, 'dist-cli'));
buildKernels();
await buildForNode({
  file: 'cli/main.ts',
  outDir,
  plugins: [wasmBesideBundle(), licenceNotices().forProgram],
  // Dawn is native and optional: it is used if it is installed.
  external: ['webgpu'],
  sourcemap: false,
  // The Node module of fflate declares the same names as the bundle.
  resolve: { alias: { fflate: path.join(root, 'node_modules', 'fflate', 'esm', 'browser.js') } },
});
const program = path.join(outDir, 'main.mjs');
writeFileSync(program, `#!/usr/bin/env node\n${readFileSync(program, 'utf8')}`);
chmodSync(program, 0o755);
