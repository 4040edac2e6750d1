// The service worker, between the page and its host. It keeps the page for use without a connection: all code, but of the
// warm starts only those that were fetched. And it adds the headers that the host does not send, which isolate the page and
// hold it to its policy. What is kept is one version and stays it until the visitor takes a newer one.
import { PrecacheController, PrecacheRoute } from 'workbox-precaching';
import { registerRoute, setDefaultHandler } from 'workbox-routing';
import { NetworkFirst, NetworkOnly } from 'workbox-strategies';
import type { ServiceMessage } from '../src/api/serviceMessage.ts';
import { servedHeaders } from '../scripts/headers.mjs';

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: { url: string; revision: string | null }[] };

/** A host that does not answer for so long, in seconds, is one that is not there. */
const patienceS = 5;

const plugins = [{ handlerWillRespond: async ({ response }: { response: Response }) => isolating(response) }];
const kept = new PrecacheController({ plugins });
kept.addToCacheList(self.__WB_MANIFEST);
const warmStarts = new NetworkFirst({ cacheName: 'warm-starts', networkTimeoutSeconds: patienceS, plugins });

registerRoute(
  new PrecacheRoute(kept, { directoryIndex: 'index.html', cleanURLs: false, ignoreURLParametersMatching: [/./] }),
);
registerRoute(({ url }) => url.href.startsWith(`${self.registration.scope}warmstart/`), warmStarts);
setDefaultHandler(new NetworkOnly({ plugins }));

// The first one is there at once, so that the page is isolated before anything begins, and fetches nothing until the page
// asks. A later one is whole before it is offered.
self.addEventListener('install', (event) => {
  if (self.registration.active) void kept.install(event);
});
self.addEventListener('activate', (event) => {
  void kept.activate(event);
  event.waitUntil(self.clients.claim());
});
self.addEventListener('message', (event) => {
  const message = event.data as ServiceMessage;
  if (message.kind === 'takeOver') event.waitUntil(self.skipWaiting());
  else event.waitUntil(keep(event, message.warmStart));
});

/** Fetches what is not kept yet. What cannot be had is asked for again at the next visit. */
async function keep(event: ExtendableMessageEvent, warmStart: string | null): Promise<void> {
  // Workbox stores only while it is told of an installation.
  const installation = { type: 'install', waitUntil: (work: Promise<unknown>) => event.waitUntil(work) };
  const wanted = warmStart === null ? [] : [warmStarts.handle({ event, request: new Request(warmStart) })];
  await Promise.all([...wanted, kept.install(installation as unknown as ExtendableEvent)]).catch(() => undefined);
}

/** The same answer with the headers that it lacks. */
function isolating(response: Response): Response {
  const { status, statusText, body } = response;
  if (status === 0) return response; // a redirection, which the browser follows by itself
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(servedHeaders)) if (!headers.has(name)) headers.set(name, value);
  return new Response(body, { status, statusText, headers });
}
