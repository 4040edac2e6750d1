// The service worker, which handles the requests of the page to its server. The service worker caches the page for
// offline use: first all code, then the warm starts, one after another. The worker also adds headers that the server
// does not send. These headers isolate the page and enforce its content security policy. All cached files belong to the
// same version of the page until the visitor accepts a newer version.
import { PrecacheController, PrecacheRoute } from 'workbox-precaching';
import { registerRoute, setDefaultHandler } from 'workbox-routing';
import { NetworkFirst, NetworkOnly } from 'workbox-strategies';
import type { ServiceMessage } from '../src/api/serviceMessage.ts';
import { headersFor } from '../scripts/headers.mjs';

type KeepMessage = Extract<ServiceMessage, { kind: 'keep' }>;

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: { url: string; revision: string | null }[] };

/** If a server does not answer within this number of seconds, it counts as unreachable. */
const patienceS = 5;

const plugins = [
  {
    handlerWillRespond: async ({ request, response }: { request: Request; response: Response }) =>
      isolating(request, response),
  },
];
const kept = new PrecacheController({ plugins });
kept.addToCacheList(self.__WB_MANIFEST);
const warmStarts = new NetworkFirst({ cacheName: 'warm-starts', networkTimeoutSeconds: patienceS, plugins });

registerRoute(
  new PrecacheRoute(kept, { directoryIndex: 'index.html', cleanURLs: false, ignoreURLParametersMatching: [/./] }),
);
registerRoute(({ url }) => url.href.startsWith(`${self.registration.scope}warmstart/`), warmStarts);
setDefaultHandler(new NetworkOnly({ plugins }));

// If no version is active yet, this version becomes active immediately, so that the page is isolated before it starts.
// In this case, files are cached only when the page requests this. A later version is first cached completely, and then
// offered to the visitor.
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

/** Fetches files that are not cached yet. Files that cannot be fetched now are requested again at the next visit. */
async function keep(event: ExtendableMessageEvent, { warmStart, others }: KeepMessage): Promise<void> {
  // Workbox only stores files if it receives an install event.
  const installation = { type: 'install', waitUntil: (work: Promise<unknown>) => event.waitUntil(work) };
  const wanted = warmStart === null ? [] : [warmStarts.handle({ event, request: new Request(warmStart) })];
  await Promise.all([...wanted, kept.install(installation as unknown as ExtendableEvent)]).catch(() => undefined);
  // The warm starts of all presets are cached, so that presets that were never opened also work offline. They are
  // fetched one at a time, so that the visitor's own requests are not slowed down.
  for (const other of others) {
    const request = new Request(other);
    if (await caches.match(request)) continue;
    const isThere = await warmStarts.handle({ event, request }).catch(() => null);
    if (!isThere?.ok) return;
  }
}

/** A copy of the response to which the missing headers are added. */
function isolating(request: Request, response: Response): Response {
  const { status, statusText, body } = response;
  if (status === 0) return response; // a redirection, which the browser follows
  const headers = new Headers(response.headers);
  const { pathname } = new URL(request.url);
  for (const [name, value] of Object.entries(headersFor(pathname))) if (!headers.has(name)) headers.set(name, value);
  return new Response(body, { status, statusText, headers });
}
