// Finds the Vulkan drivers on this machine and chooses the one for WebGPU in Node (Dawn). Only this file contains
// Debian's standard paths. The order is: VK_ICD_FILENAMES if it is set (for example to the driver of a real GPU), then
// Mesa's lavapipe from version 25 on (older versions give Dawn no adapter), which is five times as fast as SwiftShader,
// then the SwiftShader inside Chromium. Tests use SwiftShader first, because lavapipe 25.0 crashes after some 190 tests
// in one process.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const icdFolders = ['/usr/share/vulkan/icd.d', '/etc/vulkan/icd.d'];
const chromiumFolders = ['/usr/lib/chromium', '/usr/lib/chromium-browser', '/usr/lib64/chromium'];
const oldestFitMesa = 25;

export const chromiumCommands = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
];
export const chromiumPlaces = [
  '/usr/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
];

/** Python commands that may have torch: the one in PYTHON, `python3`, and Debian's own. */
export const pythonCommands = [process.env.PYTHON ?? '', 'python3', '/usr/bin/python3'].filter(Boolean);

/**
 * The requirements of `npm test` in addition to Node, as Debian packages, each with a function that checks whether it
 * is installed.
 */
const debianPackages = [
  { name: 'chromium', isPresent: () => findChromium() !== undefined },
  { name: 'libvulkan1', isPresent: () => hasVulkanLoader() },
];

/**
 * Returns the path of Chrome or Chromium: CHROME or CHROMIUM from the environment, or the usual names, or undefined.
 */
export function findChromium() {
  for (const named of [process.env.CHROME, process.env.CHROMIUM]) if (named && existsSync(named)) return named;
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  const candidates = [
    ...chromiumCommands.flatMap((command) => folders.map((folder) => path.join(folder, command))),
    ...chromiumPlaces,
  ];
  return candidates.find((candidate) => existsSync(candidate));
}

/** Returns whether Dawn will find a Vulkan loader. Platforms other than Linux have their own GPU interface. */
export function hasVulkanLoader() {
  if (process.platform !== 'linux') return true;
  const known = spawnSync('ldconfig', ['-p'], { encoding: 'utf8', env: { PATH: '/sbin:/usr/sbin:/bin:/usr/bin' } });
  return (known.stdout ?? '').includes('libvulkan.so.1');
}

/**
 * Returns the Vulkan driver for Dawn as `{ file, name }`, or `{ reason }` if there is none. On platforms other than
 * Linux `file` is undefined, because Dawn uses Metal or Direct3D there.
 * @param {{ isForTests?: boolean }} options
 * @returns {{ file?: string, name?: string, reason?: string }}
 */
export function chooseVulkanDriver({ isForTests = false } = {}) {
  if (process.platform !== 'linux') return { file: undefined, name: `${process.platform}'s own` };
  if (process.env.VK_ICD_FILENAMES) return { file: process.env.VK_ICD_FILENAMES, name: 'from VK_ICD_FILENAMES' };
  if (!hasVulkanLoader()) return { reason: 'no Vulkan loader: install libvulkan1' };
  const found = isForTests ? (findSwiftShader() ?? findLavapipe()) : (findLavapipe() ?? findSwiftShader());
  return found ?? { reason: `no software Vulkan driver: install chromium, or Mesa ${oldestFitMesa} or newer` };
}

function findSwiftShader() {
  const files = chromiumFolders.map((folder) => path.join(folder, 'vk_swiftshader_icd.json'));
  const file = files.find((name) => existsSync(name));
  return file === undefined ? undefined : { file, name: 'SwiftShader from chromium' };
}

function findLavapipe() {
  for (const folder of icdFolders.filter((name) => existsSync(name))) {
    for (const name of readdirSync(folder).filter((entry) => /^lvp_icd.*\.json$/.test(entry))) {
      const file = path.join(folder, name);
      const version = mesaVersion(file);
      if (version >= oldestFitMesa) return { file, name: `lavapipe of Mesa ${version}` };
    }
  }
  return undefined;
}

/**
 * Returns Mesa's major version, or 0 if it is unknown. It is read from the library, because distributions name their
 * packages differently.
 * @param {string} icdFile
 */
function mesaVersion(icdFile) {
  try {
    const library = JSON.parse(readFileSync(icdFile, 'utf8')).ICD.library_path;
    const places = path.isAbsolute(library)
      ? [library]
      : [
          path.resolve(path.dirname(icdFile), library),
          `/usr/lib/x86_64-linux-gnu/${library}`,
          `/usr/lib/aarch64-linux-gnu/${library}`,
          `/usr/lib64/${library}`,
        ];
    const found = places.find((place) => existsSync(place));
    const version = found && /Mesa (\d+)\.\d+\.\d+/.exec(readFileSync(found, 'latin1'));
    return version ? Number(version[1]) : 0;
  } catch {
    return 0;
  }
}

/**
 * Installs missing packages, as root on Debian, from the configured sources; elsewhere it lists the packages to
 * install. Never throws: the suites report missing requirements.
 */
export function installSystemPackages(wanted = debianPackages) {
  const missing = wanted.filter((entry) => !entry.isPresent()).map((entry) => entry.name);
  if (missing.length === 0) return;
  const names = missing.join(' ');
  if (!isDebian()) {
    console.log(
      `Missing on this machine, as Debian names it: ${names}. Install it (a Chrome elsewhere is named with CHROME=PATH).`,
    );
    return;
  }
  if (process.getuid?.() !== 0) {
    console.log(`Missing on this machine: ${names}. Install with: sudo apt-get install ${names}`);
    return;
  }
  console.log(`Installing Debian packages: ${names} …`);
  const isInstalled =
    apt('update', '-qq') && apt('install', '-y', '-qq', '--no-install-recommends', '-o', 'Dpkg::Use-Pty=0', ...missing);
  if (!isInstalled) console.log(`apt-get could not install ${names}: the tests that need them will say so.`);
}

/** @param {string[]} args */
function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env }).status === 0;
}

function isDebian() {
  try {
    return /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8')) && existsSync('/usr/bin/apt-get');
  } catch {
    return false;
  }
}
