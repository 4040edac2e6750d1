// `npm run interop -- ray` starts Ray on this machine with one raylet and then with two, each with one core, and kills
// one of its workers.
import path from 'node:path';
import { pinned, readyPython, together } from '../tools.mjs';
import { Check, comes, freePort, launchChecked } from './launched.mjs';

const list = 'ray.txt';

/** @param {string} program @returns {Promise<import('../tools.mjs').Counts>} */
export async function rayChecked(program) {
  const python = readyPython(list);
  if (!python) return {};
  return together(await nodesChecked(python, program, 1), await nodesChecked(python, program, 2));
}

/** @param {string} python @param {string} program @param {1 | 2} nodes */
async function nodesChecked(python, program, nodes) {
  const check = new Check(nodes === 1 ? 'Ray, one node' : 'Ray, two nodes', pinned(list, 'ray'));
  const bin = path.dirname(python);
  Object.assign(check.env, {
    PATH: `${bin}:${process.env.PATH}`,
    RAY_USAGE_STATS_ENABLED: '0',
    RAY_DISABLE_IMPORT_WARNING: '1',
  });
  const [port, dashboard] = [await freePort(), await freePort()];
  const address = `http://127.0.0.1:${dashboard}`;
  const raylet = (/** @type {string[]} */ ...args) =>
    check.starts(python, [
      '-m',
      'ray.scripts.scripts',
      'start',
      '--block',
      '--num-cpus=1',
      '--object-store-memory=100000000',
      '--node-ip-address=127.0.0.1',
      ...args,
    ]);
  try {
    raylet(
      '--head',
      `--port=${port}`,
      '--dashboard-host=127.0.0.1',
      `--dashboard-port=${dashboard}`,
      `--temp-dir=${check.at('ray')}`,
    );
    const isFirst = await comes(() => isAlive(address, 1), 'the first raylet');
    if (nodes === 2) raylet(`--address=127.0.0.1:${port}`);
    const isWhole = nodes === 1 ? isFirst : await comes(() => isAlive(address, 2), 'the second raylet');
    check.says(`Ray runs with ${nodes} of its nodes`, isWhole);
    // The parent of the program is the worker, which is Ray's own process.
    await launchChecked(check, program, ['--on', 'ray', '--address', address], ({ parent }) => parent);
  } catch (error) {
    check.says('Ray', false, error);
  }
  return check.ends();
}

/** Returns whether this number of raylets is alive. @param {string} address @param {number} count */
async function isAlive(address, count) {
  const told = await fetch(`${address}/api/v0/nodes`).then(
    (response) => response.json(),
    () => null,
  );
  /** @type {{ state: string }[]} */
  const nodes = told?.data?.result?.result ?? [];
  return nodes.filter(({ state }) => state === 'ALIVE').length === count ? true : undefined;
}
