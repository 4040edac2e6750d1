// Serves a world over HTTP and WebSockets, in the protocol of OpenEnv's clients.
import type { IncomingMessage } from 'node:http';
import { answering, type Door, type Serving } from '../../../../cli/serve/door.ts';
import { RequestError, send } from '../../../../cli/serve/http.ts';
import type { Episodes } from '../../../../cli/serve/worlds/episodes.ts';
import { openEnvSockets, reset, state, step } from './openEnv.ts';

const episodesOf = ({ world }: Serving): Episodes => {
  if (!world) throw new RequestError(404, 'no world is served; start cothink serve with --world NAME or with a run.');
  return world.episodes;
};

/** The key under which the episodes of a client are counted. Each connection counts as one client. */
const clientOf = ({ remoteAddress, remotePort }: IncomingMessage['socket']) => `${remoteAddress}:${remotePort}`;

export const door: Door = {
  routes: {
    '/reset': answering((serving, { body, request }) => reset(episodesOf(serving), clientOf(request.socket), body)),
    '/step': answering((serving, { body }) => step(episodesOf(serving), body)),
    '/state': (serving, { request, response }) =>
      Promise.resolve(send(response, 200, state(episodesOf(serving), request.url ?? ''))),
    '/health': (_, { response }) => Promise.resolve(send(response, 200, { status: 'healthy' })),
  },
  sockets: ({ world }) => (world ? { '/ws': openEnvSockets(world.episodes, world.guard) } : null),
  says: ({ world }) => (world ? `/reset, /step and /state in ${world.world.label}` : ''),
};
