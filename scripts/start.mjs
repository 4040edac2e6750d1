// `npm start`: installs missing packages, builds stale outputs, serves the page and opens a browser if there is one.
// PORT is the first port to try; BROWSER=none opens nothing, BROWSER=COMMAND opens with that command.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { buildPage, installPackages, root } from './freshness.mjs';
import { serveFolder } from './serve.mjs';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Cothink needs Node 20.19 or newer, and this is ${process.versions.node}.`);
  process.exit(1);
}
const port = Number(process.env.PORT || 4173);
if (!Number.isInteger(port) || port < 1 || port > 65535) {
  console.error(`PORT must be a whole number from 1 to 65535, got ${process.env.PORT}.`);
  process.exit(1);
}

try {
  installPackages({ isForAll: false });
  buildPage();
  const { url, close } = await serveFolder({ folder: path.join(root, 'dist'), port });
  console.log(`\nCothink is at ${url}/\nStop with Ctrl+C.`);
  openBrowser(`${url}/`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void close().then(() => process.exit(0)));
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exit(1);
}

/** @param {string} url */
function openBrowser(url) {
  const wanted = process.env.BROWSER;
  if (wanted === 'none') return;
  const [command, ...args] = wanted ? [wanted, url] : openerOf(url);
  if (!command) return;
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  child.on('error', () => {}); // a missing browser is no failure, because the address is printed above
  child.unref();
}

/**
 * Returns the words of the command that opens an address in the visitor's browser; none on a machine without a screen.
 * @param {string} url
 */
function openerOf(url) {
  if (process.platform === 'darwin') return ['open', url];
  if (process.platform === 'win32') return ['cmd', '/c', 'start', '', url];
  return process.env.DISPLAY || process.env.WAYLAND_DISPLAY ? ['xdg-open', url] : [];
}
