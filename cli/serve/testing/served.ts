// Servers for tests, and the events of streamed responses.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Serving } from '../door.ts';
import { serverOf } from '../server.ts';

/** The parts of a server that serves only the page. */
export const nothing: Serving = {
  models: null,
  session: null,
  worlds: null,
  guard: 'thisMachine',
  origins: new Set<string>(),
};

/** Serves on a free port of this machine. Everything that is not given is absent. */
export async function servedHere(parts: Partial<Serving>): Promise<{ server: Server; url: string }> {
  const server = await serverOf({ folder: 'public', ...nothing, ...parts });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** The data of the server-sent events in the text of a response, without the last event, which must be [DONE]. */
export function eventsIn(text: string): unknown[] {
  const events = text
    .trimEnd()
    .split('\n\n')
    .map((line) => line.slice('data: '.length));
  if (events.pop() !== '[DONE]') throw new Error(`the stream has no end: ${text.slice(-200)}`);
  return events.map((event) => JSON.parse(event) as unknown);
}
