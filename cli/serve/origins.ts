// Pages of other sites that may use the server (CORS). None may, unless the option --allow-origin names its origin.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ConfigError } from '../../src/base/errors.ts';
import { quoted } from '../../src/base/quote.ts';

/** The time in seconds for which a browser may keep the answer to a preflight request. */
const keptS = 600;
/** The names of headers, as they are listed in a preflight request. */
const headerNames = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+){0,63}$/;

/**
 * The origins in the values of --allow-origin, each of which may be a list with commas. Throws ConfigError for anything
 * that is no origin, also for `*` and `null`, because they would admit any page.
 */
export function originsIn(values: readonly string[]): ReadonlySet<string> {
  return new Set(values.flatMap((value) => value.split(',')).map((value) => originOf(value.trim())));
}

function originOf(written: string): string {
  const url = URL.canParse(written) ? new URL(written) : null;
  const isOrigin =
    url !== null && /^https?:$/.test(url.protocol) && [url.origin, `${url.origin}/`].includes(written.toLowerCase());
  if (isOrigin) return url.origin;
  throw new ConfigError(
    `--allow-origin: expected the origin of a page, such as https://example.org or http://localhost:8888, got ${quoted(written)}; name each origin without a path.`,
  );
}

/**
 * Sets the headers that let an allowed page read the response. Returns true if the request was a preflight request, which
 * is then answered. A request of any other page is left unchanged, and its browser withholds the response.
 */
export function admit(
  origins: ReadonlySet<string>,
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (origins.size === 0) return false;
  // The response depends on the origin, also if it is not allowed.
  response.setHeader('Vary', 'Origin');
  const { origin } = headers;
  if (origin === undefined || !origins.has(origin)) return false;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Expose-Headers', 'Retry-After');
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
  const asked = headers['access-control-request-headers'] ?? '';
  response.writeHead(204, {
    'Access-Control-Allow-Methods': 'GET, POST',
    'Access-Control-Allow-Headers': headerNames.test(asked) ? asked : 'authorization, content-type',
    'Access-Control-Max-Age': String(keptS),
    // A page on the internet may use a server on this machine only if the server agrees.
    ...(headers['access-control-request-private-network'] === 'true' && {
      'Access-Control-Allow-Private-Network': 'true',
    }),
  });
  response.end();
  return true;
}
