// `npm run build:cli`: the program `cothink` as plain Node, with all it needs but the page, and the licences of what it is
// made of, in dist-cli. `npm run build` builds both, and `npm pack` packs them.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildKernels, root } from '../scripts/freshness.mjs';
import { licenceNotices } from '../scripts/licences.mjs';
import { wasmBesideBundle } from '../scripts/nodePlugins.mjs';
import { buildForNode } from '../scripts/runTs.mjs';

/** Another folder may be named: tests build their own. */
const outDir = path.resolve(process.argv[2] ?? path.join(root, 'dist-cli'));
buildKernels();
await buildForNode({
  file: 'cli/main.ts',
  outDir,
  plugins: [wasmBesideBundle(), licenceNotices().forProgram],
  // Dawn is native and optional: where it is installed it is found.
  external: ['webgpu'],
  sourcemap: false,
  // Its module for Node declares what the bundle declares too.
  resolve: { alias: { fflate: path.join(root, 'node_modules', 'fflate', 'esm', 'browser.js') } },
});
const program = path.join(outDir, 'main.mjs');
writeFileSync(program, `#!/usr/bin/env node\n${readFileSync(program, 'utf8')}`);
chmodSync(program, 0o755);
