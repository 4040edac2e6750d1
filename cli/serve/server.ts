// The server: the page, and beside it what its doors answer. On this machine alone anybody may ask; from elsewhere only who has
// the token.
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { folderListener } from '../../scripts/serve.mjs';
import type { RouteAnswer, Serving } from './door.ts';
import { loadDoors } from './doors.ts';
import { authorise, refuse } from './http.ts';

/** Connections at once, of everybody and of one address; and how often silent ones are looked for, in milliseconds. */
const most = { connections: 512, ofAddress: 256, lookMs: 1000 };

/** A server that does not listen yet. `folder`: the page as it was built. */
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
  // A client that says nothing holds nothing for long.
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.maxConnections = most.connections;
  boundAddresses(server, most.ofAddress);
  return server;
}

/** Finds who answers at a path, by all of it or by how it begins. */
function answererBy(routes: Readonly<Record<string, RouteAnswer>>): (pathname: string) => RouteAnswer | undefined {
  const exact = new Map(Object.entries(routes));
  const beginnings = [...exact].filter(([path]) => path.endsWith('/'));
  return (pathname) => exact.get(pathname) ?? beginnings.find(([path]) => pathname.startsWith(path))?.[1];
}

/** No address holds so many connections that others find none. */
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
