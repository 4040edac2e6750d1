// Compiles the AssemblyScript kernels (`*.assembly.ts`, each next to its operation) to src/engine/simd/kernels.wasm,
// unless that file is newer than every source. The same sources give the same bytes. `--force` always compiles.
import { readdir, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const engine = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'engine');
const config = join(engine, 'simd', 'assembly', 'asconfig.json');
const output = join(engine, 'simd', 'kernels.wasm');

const modified = async (/** @type {string} */ path) => (await stat(path).catch(() => ({ mtimeMs: 0 }))).mtimeMs;

/**
 * Compiles kernels.wasm if it is out of date.
 * @returns true when it compiled, false when nothing had changed
 */
export async function buildSimd(isForced = false) {
  const sources = (await readdir(engine, { recursive: true })).filter((name) => name.endsWith('.assembly.ts'));
  const inputs = [...sources.map((name) => join(engine, name)), config, fileURLToPath(import.meta.url)];
  const newest = Math.max(...(await Promise.all(inputs.map(modified))));
  if (!isForced && (await modified(output)) > newest) return false;
  const { main } = await import('assemblyscript/asc');
  // The compiler writes its output through this callback, so it leaves no half-written file behind.
  const made = { binary: /** @type {string | Uint8Array | undefined} */ (undefined) };
  const { error, stderr } = await main(
    ['simd/assembly/index.assembly.ts', '--config', config, '--baseDir', engine, '--outFile', 'kernels.wasm'],
    { writeFile: (_name, bytes) => void (made.binary = bytes) },
  );
  if (error || !made.binary)
    throw new Error(`buildSimd: the kernels do not compile.\n${stderr.toString()}`, { cause: error });
  // A reader sees the old file or the new one, never a partial one.
  const draft = `${output}.${String(process.pid)}`;
  await writeFile(draft, made.binary);
  await rename(draft, output);
  return true;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  console.log((await buildSimd(process.argv.includes('--force'))) ? 'kernels.wasm compiled' : 'kernels.wasm is fresh');
