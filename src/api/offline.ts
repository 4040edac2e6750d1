// The page's side of its service worker (workers/service.worker.ts). The service worker makes the page cross-origin
// isolated if the host does not, stores the page for offline use, and installs newer versions when the visitor accepts
// them. The page also works without a service worker, but then it uses only one thread unless the host isolates it, and
// it cannot be opened offline.
import type { ServiceMessage } from './serviceMessage.ts';

/** The maximum time in milliseconds for which the page waits for a service worker before it starts. */
const patienceMs = 4000;
const triedKey = 'cothink-isolation-tried';

// Null if there is no service worker. The development server always serves the current files, so it needs no service
// worker. A browser may not support service workers, for example at an insecure address.
const container = import.meta.env.PROD ? (navigator.serviceWorker as ServiceWorkerContainer | undefined) : undefined;
const register = (from: ServiceWorkerContainer) => from.register(new URL('service.worker.js', document.baseURI));

/**
 * If a reload would isolate the page, reloads it before anything else starts. Returns whether the page is being
 * reloaded. This is tried only once: if the page is still not isolated afterwards, it starts anyway, and its badge
 * shows the consequences.
 */
export async function isolateByReload(): Promise<boolean> {
  try {
    if (crossOriginIsolated || !container) return forgetTrial();
    if (sessionStorage.getItem(triedKey) !== null) return false;
    const isThere = await Promise.race([activated(await register(container)), after(patienceMs)]);
    if (!isThere) return false;
    sessionStorage.setItem(triedKey, '');
    location.reload();
    return true;
  } catch {
    return false; // no storage, or no service worker for this visitor: one thread computes
  }
}

function forgetTrial(): boolean {
  sessionStorage.removeItem(triedKey);
  return false;
}

const after = (ms: number) => new Promise<false>((resolve) => setTimeout(() => resolve(false), ms));

/** Whether a registration has an active service worker. If one is being installed, waits for it. */
async function activated({ active, waiting, installing }: ServiceWorkerRegistration): Promise<boolean> {
  if (active?.state === 'activated') return true;
  const worker = active ?? waiting ?? installing;
  return worker !== null && (await reached(worker, 'activated'));
}

/** Waits until a service worker has reached this state. Returns false if the service worker can no longer reach it. */
const reached = (worker: ServiceWorker, state: ServiceWorkerState) =>
  new Promise<boolean>((resolve) => {
    const look = () => {
      if (worker.state === state) resolve(true);
      if (worker.state === 'redundant') resolve(false);
    };
    worker.addEventListener('statechange', look);
    look();
  });

/** Minimum time in milliseconds between two checks for a newer version on the host. */
const lookEveryMs = 60_000;

/**
 * Calls `onNewer` when the host has another version of the page. The host is checked when a part of the page cannot be
 * loaded. Without a service worker, it is also checked when the visitor returns to the page.
 */
export function watchHost(onNewer: () => void): void {
  if (!import.meta.env.PROD) return;
  let lookedMs = -Infinity;
  const look = async () => {
    if (performance.now() - lookedMs < lookEveryMs) return;
    lookedMs = performance.now();
    if (await isOutdated()) onNewer();
  };
  window.addEventListener('vite:preloadError', () => {
    lookedMs = -Infinity;
    void look();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && !container?.controller) void look();
  });
}

/**
 * Whether the page on the host starts from another script file than the open page; false if the host does not answer.
 */
async function isOutdated(): Promise<boolean> {
  const own = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.getAttribute('src');
  const answer = await fetch(document.baseURI.split(/[?#]/)[0] ?? '', { cache: 'no-store' }).catch(() => null);
  if (!own || !answer?.ok) return false;
  return !(await answer.text().catch(() => own)).includes(own);
}

interface Keeping {
  /** Address of the warm start that was fetched during this visit; null if none was fetched. */
  warmStart: string | null;
  /** Addresses of the other warm starts, which are fetched after everything else is stored. */
  others: readonly string[];
  /**
   * Called when a newer version is stored. `take` reloads the page with that version; the run must be stored before
   * that.
   */
  onNewer: (take: () => void) => void;
  /**
   * Called when another tab has installed a newer version, so that files that this tab has not loaded yet may no longer
   * exist.
   */
  onTaken: () => void;
}

/**
 * Stores the page for use without a connection and watches for newer versions. This function must be called only once,
 * after the page has loaded its first parts.
 */
export async function keepOffline({ warmStart, others, onNewer, onTaken }: Keeping): Promise<void> {
  if (!container) return;
  // If the page had a service worker from the start, everything that the page fetched was fetched through that worker.
  const hadOne = container.controller !== null;
  const registration = await register(container).catch(() => null);
  if (!registration || !(await activated(registration))) return;
  let isTaking = false;
  container.addEventListener('controllerchange', () => {
    if (isTaking) location.reload();
    else if (hadOne) onTaken();
  });
  const tell = (worker: ServiceWorker | null, message: ServiceMessage) => worker?.postMessage(message);
  const offer = () =>
    onNewer(() => {
      isTaking = true;
      tell(registration.waiting, { kind: 'takeOver' });
    });
  registration.addEventListener('updatefound', () => {
    const { installing } = registration;
    if (installing) void reached(installing, 'installed').then((isReady) => isReady && offer());
  });
  if (registration.waiting) offer();
  tell(registration.active, { kind: 'keep', warmStart: hadOne ? null : warmStart, others });
}
