// The HTTP headers the page is served with, in development and for real. The content security policy is the promise
// that nothing leaves the machine, in a form the browser enforces; COOP and COEP isolate the page, which shared memory needs.

const policy = {
  'default-src': ["'self'"],
  'script-src': ["'self'", "'wasm-unsafe-eval'"],
  'style-src': ["'self'"],
  'worker-src': ["'self'"],
  'connect-src': ["'self'"],
  'img-src': ["'self'", 'data:', 'blob:'],
  'base-uri': ["'none'"],
  'object-src': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'self'"],
};

// Sources of script: workers of our own (src/base/trustedTypes.ts) and the templates that Svelte compiled.
const trustedTypes = {
  'require-trusted-types-for': ["'script'"],
  'trusted-types': ['default', 'svelte-trusted-html'],
};

// Vite's development client adds <style> elements and keeps a WebSocket open.
const developmentPolicy = {
  ...policy,
  'style-src': [...policy['style-src'], "'unsafe-inline'"],
  'connect-src': [...policy['connect-src'], 'ws:'],
};

const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': permissionsText(),
};

/** @type {Record<string, string>} */
export const servedHeaders = { ...isolation, 'Content-Security-Policy': policyText({ ...policy, ...trustedTypes }) };
/** @type {Record<string, string>} */
export const developmentHeaders = { ...isolation, 'Content-Security-Policy': policyText(developmentPolicy) };

// A page may say it too, where its host sends no headers: all but who may frame it, and not what its workers are held to.
const saidByPage = Object.entries({ ...policy, ...trustedTypes }).filter(([name]) => name !== 'frame-ancestors');
/** The policy as the page's own `<meta>`. */
export const metaPolicy = policyText(Object.fromEntries(saidByPage));

/** Nothing that the page does not use: the clipboard, for links, and the screen's wake lock are left as they are. */
function permissionsText() {
  const refused = ['camera', 'microphone', 'geolocation', 'display-capture', 'payment', 'usb', 'serial', 'hid', 'midi'];
  return refused.map((name) => `${name}=()`).join(', ');
}

/** @param {Record<string, string[]>} directives */
function policyText(directives) {
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ');
}
