// `cothink serve`: the page, and the agents of a stored run for clients of OpenAI's completions.
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import path from 'node:path';
import { ConfigError, FormatError } from '../../src/base/errors.ts';
import { worldOf } from '../../src/tasks/registry.ts';
import type { World } from '../../src/tasks/world.ts';
import type { Given } from '../command.ts';
import { readLlama } from '../../src/formats/llama/llamaModel.ts';
import { pageFolder, startEngine } from '../engine.ts';
import { interrupted } from '../exit.ts';
import { openReporter } from '../report.ts';
import { labelOf, modelAt } from '../stored/model.ts';
import { openStored, readyFor } from '../stored/openStored.ts';
import { Models } from './model.ts';
import { serverOf } from './server.ts';

const usualPort = 4173;
const loopback = new Set(['localhost', '127.0.0.1', '::1']);

/** Serves until a signal comes. */
export async function serve(given: Given): Promise<number> {
  const [place] = given.rest;
  const host = given.text('host') ?? 'localhost';
  const token = given.text('token') ?? null;
  const port = given.whole('port') ?? usualPort;
  if (port > 65_535) throw new ConfigError(`--port: expected 0 to 65535, got ${port}.`);
  if (token === '') throw new ConfigError('--token: expected a text, got nothing.');
  if (!loopback.has(host) && token === null && place !== undefined)
    throw new ConfigError(`--host: ${host} can be reached by others; add --token TEXT, which they have to send.`);
  if (!existsSync(path.join(pageFolder, 'index.html')))
    throw new FormatError(`${pageFolder}: the page is not there; build it with npm run build.`);
  const served = place === undefined ? null : await openModels(place, given);
  const models = served?.models;
  const guard = token === null ? (loopback.has(host) ? 'thisMachine' : 'nobody') : { token };
  const server = await serverOf({ folder: pageFolder, models: models ?? null, opened: served?.world ?? null, guard }); // prettier-ignore
  const taken = await listening(server, port, host);
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
  const reporter = openReporter(given.has('json') || undefined);
  reporter.tell({ event: 'serving', url, models: models?.list.map(({ id }) => id) ?? [] });
  reporter.say(
    `${url}: the page, /reward${models ? `; ${url}/v1 with ${models.list.map(({ id }) => id).join(', ')}` : ''}`,
  );
  const code = await new Promise<number>((resolve) => {
    const stop = interrupted(() => resolve(stop.code));
  });
  server.close();
  server.closeAllConnections();
  models?.dispose();
  return code;
}

async function openModels(place: string, given: Given): Promise<{ models: Models; world: World | null }> {
  const files = await modelAt(place);
  if (files) {
    const model = await readLlama(files);
    const threads = given.whole('threads', 1);
    await startEngine('auto', threads === undefined ? {} : { threads });
    return { models: Models.ofLlama(model, labelOf(place)), world: null };
  }
  const stored = await openStored(place, given.whole('at'));
  await readyFor(stored, given);
  return { models: Models.open(stored.run, stored.checkpoint), world: worldOf(stored.checkpoint.config) };
}

/** The port that it listens on. Throws ConfigError for one that it cannot have. */
function listening(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const why =
        code === 'EADDRINUSE'
          ? 'is taken by another program'
          : code === 'EACCES'
            ? 'may not be used by you'
            : `cannot be had on ${host} (${message})`;
      reject(new ConfigError(`--port: ${port} ${why}; name another, or 0 for any that is free.`));
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}
