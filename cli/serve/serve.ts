// `cothink serve`: serves the page, a world for external clients, and the agents of a stored run for clients of
// OpenAI's completions API.
import type { Server } from 'node:http';
import { ConfigError } from '../../src/base/errors.ts';
import type { CommandArguments } from '../command.ts';
import { pageFolder } from '../engine.ts';
import { interrupted } from '../exit.ts';
import { openReporter } from '../report.ts';
import { sessionOf } from '../stored/openStored.ts';
import { hostInUrl, type OwnPort } from './door.ts';
import { loadDoors } from './doors.ts';
import type { RequestGuard } from './http.ts';
import { openModels } from './openModels.ts';
import { originsIn } from './origins.ts';
import { serverOf } from './server.ts';
import { worldsAsked } from './worlds/asked.ts';

const usualPort = 4173;
const loopback = new Set(['localhost', '127.0.0.1', '::1']);

/** Serves until a signal arrives. */
export async function serve(given: CommandArguments): Promise<number> {
  const [place] = given.rest;
  const host = given.text('host') ?? 'localhost';
  const token = given.text('token') ?? null;
  const port = given.whole('port') ?? usualPort;
  if (port > 65_535) throw new ConfigError(`--port: expected a number from 0 to 65535, got ${port}.`);
  const doors = await loadDoors();
  for (const door of doors) door.refuse?.(given);
  if (token === '') throw new ConfigError('--token: the token is empty; write a token after --token.');
  const origins = originsIn(given.all('allow-origin'));
  const guard: RequestGuard = token === null ? (loopback.has(host) ? 'thisMachine' : 'nobody') : { token };
  if (guard === 'nobody' && (place !== undefined || given.has('world')))
    throw new ConfigError(
      `--host: other machines can reach ${host}; add --token TEXT, so that only clients that send this token are served.`,
    );
  const folder = pageFolder();
  const { models = null, stored = null } = place === undefined ? {} : await openModels(place, given);
  const worlds = await worldsAsked(given, guard, stored?.checkpoint.config ?? null);
  const session = stored?.checkpoint.verifier ? sessionOf(stored) : null;
  const serving = { models, session, worlds, guard, origins };
  const server = await serverOf({ folder, ...serving });
  const taken = await listening(server, port, host);
  const url = `http://${hostInUrl(host)}:${taken}`;
  const reporter = openReporter(given.has('json') || undefined);
  const ports: [string, OwnPort | null][] = [];
  for (const { name, listen } of doors) if (listen) ports.push([name, await listen(serving, given, host)]);
  const ids = models?.ids ?? [];
  const others = Object.fromEntries(ports.map(([name, own]) => [name, own?.url ?? null]));
  reporter.tell({
    ...{ event: 'serving', url, models: ids, world: worlds?.names[0] ?? null, worlds: worlds?.names ?? [] },
    ...{ ...others, verifier: session !== null },
  });
  const said = doors.map(({ says }) => says?.(serving) ?? '').filter((words) => words !== '');
  const besides = ports.flatMap(([, own]) => (own ? `and ${own.url}` : []));
  reporter.say(`${url}: the page, ${[...said, ...besides].join('; ')}`);
  const code = await new Promise<number>((resolve) => {
    const stop = interrupted(() => resolve(stop.code));
  });
  server.close();
  server.closeAllConnections();
  for (const [, own] of ports) own?.close();
  models?.dispose();
  await session?.dispose();
  return code;
}

/** Starts listening and returns the port. Throws ConfigError if the port is unavailable. */
function listening(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const why =
        code === 'EADDRINUSE'
          ? 'is used by another program'
          : code === 'EACCES'
            ? 'requires permissions that you do not have'
            : `is not available on ${host} (${message})`;
      reject(new ConfigError(`--port: ${port} ${why}; choose another port, or 0 for any free port.`));
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}
