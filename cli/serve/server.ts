// The server, which serves the page and the responses of its doors. If the server listens on this machine alone, every
// local client may use it; remote clients need the token.
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { folderListener } from '../../scripts/serve.mjs';
import type { RouteAnswer, Serving } from './door.ts';
import { loadDoors } from './doors.ts';
import { authorise, refuse } from './http.ts';
import { admit } from './origins.ts';

/**
 * Maximum number of connections, in total and per address. `lookMs` is the interval in milliseconds between checks for
 * silent connections.
 */
const most = { connections: 512, ofAddress: 256, lookMs: 1000 };

/** Creates a server that is not listening yet. `folder` contains the built page. */
export async function serverOf({ folder, ...serving }: Serving & { folder: string }): Promise<Server> {
  const [page, doors] = [await folderListener(folder), await loadDoors()];
  const answererOf = answererBy(Object.assign({}, ...doors.map(({ routes }) => routes ?? {})));
  let asked = 0;
  const server = createServer({ connectionsCheckingInterval: most.lookMs }, (request, response) => {
    const [pathname = '/'] = (request.url ?? '/').split('?');
    const answer = answererOf(pathname);
    if (!answer) {
      page(request, response);
      return;
    }
    if (admit(serving.origins, request, response)) return;
    const answered = async () => {
      authorise(request.headers, serving.guard);
      await answer(serving, { request, response, pathname, seed: asked++ });
    };
    answered().catch((error: unknown) => refuse(response, error));
  });
  const sockets = new Map(doors.flatMap((door) => Object.entries(door.sockets?.(serving) ?? {})));
  if (sockets.size > 0)
    server.on('upgrade', (request, socket, head) => {
      const open = sockets.get(request.url?.split('?')[0] ?? '');
      if (open) open(request, socket, head);
      else socket.destroy();
    });
  // Connections of clients that send nothing are closed after a short time, because they occupy resources.
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.maxConnections = most.connections;
  boundAddresses(server, most.ofAddress);
  return server;
}

/** Finds the function that answers requests for a path, by the whole path or by the beginning of the path. */
function answererBy(routes: Readonly<Record<string, RouteAnswer>>): (pathname: string) => RouteAnswer | undefined {
  const exact = new Map(Object.entries(routes));
  const beginnings = [...exact].filter(([path]) => path.endsWith('/'));
  return (pathname) => exact.get(pathname) ?? beginnings.find(([path]) => pathname.startsWith(path))?.[1];
}

/** Limits the connections of each address, so that one client cannot use up all connections. */
function boundAddresses(server: Server, mostOf: number): void {
  const held = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const before = held.get(address) ?? 0;
    if (before >= mostOf) {
      socket.destroy();
      return;
    }
    held.set(address, before + 1);
    socket.once('close', () => {
      const left = (held.get(address) ?? 1) - 1;
      if (left > 0) held.set(address, left);
      else held.delete(address);
    });
  });
}
