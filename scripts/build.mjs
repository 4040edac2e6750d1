// The first part of `npm run build`, which makes everything that `npm pack` packs: builds the SIMD kernels and the page,
// checks the size budget, and builds the program `cothink`. The second part is lib/build.mjs.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildKernels, buildStamp, root, runOrThrow } from './freshness.mjs';

try {
  buildKernels();
  runOrThrow(process.execPath, [path.join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build']);
  runOrThrow(process.execPath, [path.join(root, 'scripts', 'budget.mjs')]);
  runOrThrow(process.execPath, [path.join(root, 'cli', 'build.mjs')]);
  writeFileSync(path.join(root, 'dist', buildStamp), '');
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exit(1);
}
