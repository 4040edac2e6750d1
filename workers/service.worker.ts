// The service worker, between the page and its host. It keeps the page for use without a connection: all code, then the
// warm starts, one after the other. And it adds the headers that the host does not send, which isolate the page and
// hold it to its policy. The kept files are of one version until the visitor takes a newer one.
import { PrecacheController, PrecacheRoute } from 'workbox-precaching';
import { registerRoute, setDefaultHandler } from 'workbox-routing';
import { NetworkFirst, NetworkOnly } from 'workbox-strategies';
import type { ServiceMessage } from '../src/api/serviceMessage.ts';
import { servedHeaders } from '../scripts/headers.mjs';

type KeepMessage = Extract<ServiceMessage, { kind: 'keep' }>;

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
  else event.waitUntil(keep(event, message));
});

/** Fetches what is not kept yet. A file that cannot be had is asked for again at the next visit. */
async function keep(event: ExtendableMessageEvent, { warmStart, others }: KeepMessage): Promise<void> {
  // Workbox stores only while it is told of an installation.
  const installation = { type: 'install', waitUntil: (work: Promise<unknown>) => event.waitUntil(work) };
  const wanted = warmStart === null ? [] : [warmStarts.handle({ event, request: new Request(warmStart) })];
  await Promise.all([...wanted, kept.install(installation as unknown as ExtendableEvent)]).catch(() => undefined);
  // Presets that nobody has visited yet are to open without a connection too. One at a time leaves the line to the visit.
  for (const other of others) {
    const request = new Request(other);
    if (await caches.match(request)) continue;
    const isThere = await warmStarts.handle({ event, request }).catch(() => null);
    if (!isThere?.ok) return;
  }
}

/** The same answer with the headers that it lacks. */
function isolating(response: Response): Response {
  const { status, statusText, body } = response;
  if (status === 0) return response; // a redirection, which the browser follows by itself
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(servedHeaders)) if (!headers.has(name)) headers.set(name, value);
  return new Response(body, { status, statusText, headers });
}
