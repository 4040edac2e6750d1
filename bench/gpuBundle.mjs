// Packs the step bench for a bare Linux machine with a GPU: `node bench/gpuBundle.mjs [LIBRARY.so …]` writes
// .cache/gpu/bench.tar.gz (the bundled benches, this Node, Dawn, the Vulkan loader and the input of the workloads) and
// run.sh. There `sh run.sh [parts and options of the bench]` prints step.json, which `npm run bench -- --add FILE`
// imports, and `sh run.sh models [parts and options of gpuModels.ts]` prints gpuModels.json. Libraries given as
// arguments are included, for drivers that need more than the loader.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildKernels, root } from '../scripts/freshness.mjs';
import { bundleForNode } from '../scripts/runTs.mjs';

const folder = path.join(root, '.cache', 'gpu');
const content = path.join(folder, 'content');
const largestBytes = 60 * 2 ** 20;

/** The default workloads of the bench there. */
const usual = 'A B C rollout growth --backends webgpu';

const runScript = `#!/bin/sh
# Unpacks the bench beside this script into a folder of its own, runs it, and prints what it measured as JSON.
# Arguments are those of the bench; VK_DRIVER_FILES names a driver that the Vulkan loader does not find by itself.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gzip -dc "$here/bench.tar.gz" | tar -xf - -C "$work"
cd "$work"
export LD_LIBRARY_PATH="$work/lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
./node --version >/dev/null 2>&1 || export LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$work/spare"
if [ "\${1:-}" = models ]; then
  shift
  ./node --expose-gc models/main.mjs "$@" >&2
  cat bench/results/gpuModels.json
  exit
fi
[ $# -gt 0 ] || set -- ${usual}
./node --expose-gc main.mjs "$@" >&2
cat bench/results/step.json
`;

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.error(
    `gpuBundle: packs this machine's own Node and libraries for Linux on x64, but this is ${process.platform} ${process.arch}.`,
  );
  process.exit(1);
}
rmSync(folder, { recursive: true, force: true });
buildKernels();
const bundle = path.dirname(await bundleForNode('bench/step.ts'));
const copied = { recursive: true, filter: (/** @type {string} */ file) => !file.endsWith('.map') };
cpSync(bundle, content, copied);
cpSync(path.dirname(await bundleForNode('bench/gpuModels.ts')), path.join(content, 'models'), copied);
add(process.execPath, 'node');
for (const name of ['index.js', 'package.json', 'LICENSE.md', 'dist/linux-x64/dawn.node'])
  add(`node_modules/webgpu/${name}`);
add('src/engine/simd/kernels.wasm');
for (const name of readdirSync(path.join(root, 'public', 'warmstart'))) add(`public/warmstart/${name}`);
const loaded = loadedLibraries();
add(loaded('libvulkan.so.1'), 'lib/libvulkan.so.1');
for (const name of ['libstdc++.so.6', 'libgcc_s.so.1']) add(loaded(name), `spare/${name}`);
for (const file of process.argv.slice(2)) add(path.resolve(file), `lib/${path.basename(file)}`);

const sizes = filesUnder(content).map((name) => ({ name, bytes: statSync(path.join(content, name)).size }));
run('tar', ['-czf', path.join(folder, 'bench.tar.gz'), '-C', content, '.']);
rmSync(content, { recursive: true });
writeFileSync(path.join(folder, 'run.sh'), runScript);
const packed = statSync(path.join(folder, 'bench.tar.gz')).size;
const large = sizes.filter(({ bytes }) => bytes >= 2 ** 20).sort((a, b) => b.bytes - a.bytes);
const small = sizes.filter(({ bytes }) => bytes < 2 ** 20);
for (const { name, bytes } of large) console.log(`${mebibytes(bytes)}  ${name}`);
console.log(`${mebibytes(small.reduce((sum, { bytes }) => sum + bytes, 0))}  ${small.length} smaller files`);
console.log(`${mebibytes(packed)}  packed, in .cache/gpu beside run.sh`);
if (packed > largestBytes) {
  console.error(`gpuBundle: more than ${mebibytes(largestBytes).trim()}.`);
  process.exit(1);
}

/**
 * Copies a file, named from the root, to its place in the bundle.
 * @param {string} from
 */
function add(from, to = from) {
  mkdirSync(path.dirname(path.join(content, to)), { recursive: true });
  copyFileSync(path.resolve(root, from), path.join(content, to));
}

/**
 * Finds libraries by observing which ones the system loads when Dawn looks for an adapter: this needs no list of paths.
 */
function loadedLibraries() {
  const probe = `
    import { readFileSync } from 'node:fs';
    import { create } from 'webgpu';
    await create([]).requestAdapter();
    process.stdout.write(readFileSync('/proc/self/maps', 'utf8'), () => process.exit(0));`;
  const maps = run(process.execPath, ['--input-type=module', '--eval', probe]).stdout;
  const files = [...new Set(maps.match(/\/\S+\.so\b\S*/g))];
  return (/** @type {string} */ name) => {
    const file = files.find((candidate) => path.basename(candidate).startsWith(name));
    if (file) return file;
    console.error(`gpuBundle: Dawn loads no ${name} here; is libvulkan1 installed?`);
    process.exit(1);
  };
}

/** @param {string} parent */
function filesUnder(parent) {
  return readdirSync(parent, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(path.join(parent, name)).isFile(),
  );
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args) {
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (result.status === 0) return result;
  console.error(result.stderr);
  console.error(`gpuBundle: ${command} ended with ${result.error?.message ?? result.status}.`);
  process.exit(1);
}

/** @param {number} bytes */
function mebibytes(bytes) {
  return `${(bytes / 2 ** 20).toFixed(1).padStart(6)} MiB`;
}
