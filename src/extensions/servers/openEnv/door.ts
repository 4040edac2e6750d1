// Serves worlds over HTTP and WebSockets, in the protocol of OpenEnv's clients.
import type { IncomingMessage } from 'node:http';
import { answering, type Door, type RouteAnswer, type Serving } from '../../../../cli/serve/door.ts';
import { posted, RequestError, send } from '../../../../cli/serve/http.ts';
import type { ServedWorlds } from '../../../../cli/serve/worlds/servedWorlds.ts';
import { metadata, openApi, schemas } from './described.ts';
import { mcpAnswer } from './mcp.ts';
import { openEnvSockets, reset, state, step } from './openEnv.ts';

const worldsOf = ({ worlds }: Serving): ServedWorlds => {
  if (!worlds) throw new RequestError(404, 'no world is served; start cothink serve with --world NAME or with a run.');
  return worlds;
};

/** The key under which the episodes of a client are counted. Each connection counts as one client. */
const clientOf = ({ remoteAddress, remotePort }: IncomingMessage['socket']) => `${remoteAddress}:${remotePort}`;

/** A route that describes the served worlds. */
const describing =
  (describe: (worlds: ServedWorlds) => object): RouteAnswer =>
  (serving, { response }) =>
    Promise.resolve().then(() => send(response, 200, describe(worldsOf(serving))));

export const door: Door = {
  routes: {
    '/reset': answering((serving, { body, request }) => reset(worldsOf(serving), clientOf(request.socket), body)),
    '/step': answering((serving, { body }) => step(worldsOf(serving), body)),
    '/state': (serving, { request, response }) =>
      Promise.resolve(send(response, 200, state(worldsOf(serving), request.url ?? ''))),
    '/health': (_, { response }) => Promise.resolve(send(response, 200, { status: 'healthy' })),
    '/metadata': describing(metadata),
    '/schema': describing(schemas),
    '/openapi.json': describing(openApi),
    '/mcp': async (serving, { request, response, pathname }) => {
      worldsOf(serving);
      const answer = mcpAnswer(await posted(request, pathname));
      if (answer) send(response, 200, answer);
      else response.writeHead(202, { 'Cache-Control': 'no-store' }).end();
    },
  },
  sockets: ({ worlds, origins }) => (worlds ? { '/ws': openEnvSockets(worlds, (one) => origins.has(one)) } : null),
  says: ({ worlds }) =>
    worlds ? `/reset, /step and /state in ${worlds.list.map(({ world }) => world.label).join(', ')}` : '',
};
