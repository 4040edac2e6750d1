// `npm run interop -- ray`: a Ray of two raylets on this machine, each with one core, and a worker of it killed.
import { Check, comes, freePort, launchChecked } from './launched.mjs';
import path from 'node:path';

/**
 * Answers how many checks failed.
 * @param {string} python of an environment that has Ray @param {string} program
 */
export async function rayChecked(python, program) {
  const check = new Check();
  const bin = path.dirname(python);
  Object.assign(check.env, { PATH: `${bin}:${process.env.PATH}`, RAY_USAGE_STATS_ENABLED: '0', RAY_DISABLE_IMPORT_WARNING: '1' }); // prettier-ignore
  const [port, dashboard] = [await freePort(), await freePort()];
  const address = `http://127.0.0.1:${dashboard}`;
  const raylet = (/** @type {string[]} */ ...args) => check.starts(python, ['-m', 'ray.scripts.scripts', 'start', '--block', '--num-cpus=1', '--object-store-memory=100000000', '--node-ip-address=127.0.0.1', ...args]); // prettier-ignore
  try {
    raylet('--head', `--port=${port}`, '--dashboard-host=127.0.0.1', `--dashboard-port=${dashboard}`, `--temp-dir=${check.at('ray')}`); // prettier-ignore
    await comes(() => isAlive(address, 1), 'the first raylet');
    raylet(`--address=127.0.0.1:${port}`);
    check.says('Ray runs with two raylets', await comes(() => isAlive(address, 2), 'the second raylet'));
    // The parent of the program is the worker: Ray's own process.
    await launchChecked(check, program, ['--on', 'ray', '--address', address], ({ parent }) => parent);
  } catch (error) {
    check.says('Ray', false, error);
  }
  return check.ends();
}

/** Whether so many raylets are alive. @param {string} address @param {number} count */
async function isAlive(address, count) {
  const told = await fetch(`${address}/api/v0/nodes`).then((response) => response.json(), () => null); // prettier-ignore
  /** @type {{ state: string }[]} */
  const nodes = told?.data?.result?.result ?? [];
  return nodes.filter(({ state }) => state === 'ALIVE').length === count ? true : undefined;
}
