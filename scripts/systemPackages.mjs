// What the tests need of the machine beside Node: a Chrome for the e2e tests, a Vulkan loader for WebGPU in Node.
// As root on Debian they are installed from the sources the machine already has; elsewhere they are named.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { debianPackages } from './vulkan.mjs';

/** Installs what is missing, or says what to install. Never throws: the suites report what they lack. */
export function installSystemPackages() {
  const missing = debianPackages.filter((entry) => !entry.isPresent()).map((entry) => entry.name);
  if (missing.length === 0) return;
  const names = missing.join(' ');
  if (!isDebian()) {
    console.log(
      `Missing on this machine: ${names}. Install Chrome or Chromium (or name one with CHROME=PATH) and a Vulkan loader.`,
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
