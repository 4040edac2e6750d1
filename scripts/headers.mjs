// The HTTP headers with which the page is served, in development and in production. The content security policy makes
// the browser enforce the promise that nothing leaves the machine. COOP and COEP isolate the page, which shared memory
// requires.

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

// Allowed sources of scripts: the workers of Cothink (src/base/trustedTypes.ts) and the templates that Svelte compiled.
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
/**
 * The headers of `embed.html`, which other sites may show in a frame.
 * @type {Record<string, string>}
 */
export const embedHeaders = {
  ...isolation,
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Content-Security-Policy': policyText({ ...policy, ...trustedTypes, 'frame-ancestors': ['*'] }),
};
/**
 * The headers of the script that shows the page in a frame of another site.
 * @type {Record<string, string>}
 */
const elementHeaders = { ...servedHeaders, 'Cross-Origin-Resource-Policy': 'cross-origin' };
/** The files that other sites may load, with their headers. @type {Record<string, Record<string, string>>} */
const forOtherSites = { '/embed.html': embedHeaders, '/cothink-run.js': elementHeaders };
/**
 * The headers of a file.
 * @param {string} pathname the path of its address
 */
export const headersFor = (pathname) =>
  Object.entries(forOtherSites).find(([name]) => pathname.endsWith(name))?.[1] ?? servedHeaders;

/**
 * The rules for static hosts, in the form of a `_headers` file. Hosts join the headers of all rules that match a file, so
 * a header that differs between files stands in the rules of these files only.
 */
export function headersFile() {
  const isCommon = (/** @type {string} */ name) => servedHeaders[name] === embedHeaders[name];
  const rule = (/** @type {string} */ at, /** @type {Record<string, string>} */ headers, common = false) =>
    [at, ...Object.keys(headers).flatMap((name) => (isCommon(name) === common ? [`  ${name}: ${headers[name]}`] : []))]
      .map((line) => `${line}\n`)
      .join('');
  const own = ['/', '/index.html', '/assets/*', '/service.worker.js'];
  return [
    rule('/*', servedHeaders, true),
    ...own.map((at) => rule(at, servedHeaders)),
    ...Object.entries(forOtherSites).map(([at, headers]) => rule(at, headers)),
  ].join('');
}
/** @type {Record<string, string>} */
export const developmentHeaders = { ...isolation, 'Content-Security-Policy': policyText(developmentPolicy) };

// If the host sends no headers, the page includes the policy itself, without the rule about framing and without the
// policy of its workers.
const saidByPage = Object.entries({ ...policy, ...trustedTypes }).filter(([name]) => name !== 'frame-ancestors');
/** The content of the `<meta>` element that contains the policy. */
export const metaPolicy = policyText(Object.fromEntries(saidByPage));

/**
 * Turns off features that the page does not use. The clipboard (for links) and the wake lock keep their defaults.
 */
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
