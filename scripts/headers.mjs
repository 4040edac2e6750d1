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
};

export const servedHeaders = { ...isolation, 'Content-Security-Policy': policyText(policy) };
export const developmentHeaders = { ...isolation, 'Content-Security-Policy': policyText(developmentPolicy) };

function policyText(directives) {
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ');
}
