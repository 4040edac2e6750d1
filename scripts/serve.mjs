// A small static server for the built page: each response has the headers of scripts/headers.mjs, each file is compressed
// once and cached, and nothing outside the folder is served. Used by `npm start`, `cothink serve`, the e2e tests and the page
// bench.
import { readFile, realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { headersFor } from './headers.mjs';

/**
 * @typedef {import('node:http').IncomingMessage} Request
 * @typedef {import('node:http').ServerResponse} Response
 * @typedef {{ name: string, extension: string, tag: string }} Found
 * @typedef {Map<string, Promise<Buffer>>} Cache
 * @typedef {(pathname: string) => Record<string, string>} HeadersOf
 */

/** @type {Record<string, string>} */
const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.yaml': 'text/yaml; charset=utf-8',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};
const compressedAlready = new Set(['.png', '.jpg', '.webp', '.ico', '.woff2', '.zip']);
const hashedName = /^\/assets\/.*-[\w-]{8}\.\w+$/;
const portsTried = 50;

/** @type {Record<string, (bytes: Buffer) => Promise<Buffer>>} */
const encoders = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
};

/**
 * Serves `folder` on `port`, or on the next free port. Resolves with `{ url, port, close }`. `host` is a name of this
 * machine; without TLS, browsers offer WebGPU only on localhost. The headers are those of scripts/headers.mjs unless
 * others are given.
 * @param {{ folder: string, port?: number, host?: string, headersOf?: HeadersOf }} options
 * @returns {Promise<{ url: string, port: number, close: () => Promise<void> }>} `url` without a trailing slash
 */
export async function serveFolder({ folder, port = 4173, host = 'localhost', headersOf = headersFor }) {
  const server = createServer(await folderListener(folder, headersOf));
  const taken = await listen(server, port, host);
  return {
    url: `http://${host}:${taken}`,
    port: taken,
    close: () =>
      new Promise((/** @type {(value: void) => void} */ resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Answers requests for files of `folder`, and no others.
 * @param {string} folder
 * @param {HeadersOf} headersOf
 * @returns {Promise<(request: Request, response: Response) => void>}
 */
export async function folderListener(folder, headersOf = headersFor) {
  const root = await realpath(folder);
  /** @type {Cache} */
  const cache = new Map();
  return (request, response) => {
    answer({ request, response, root, cache, headersOf }).catch((error) => {
      if (!response.headersSent) response.writeHead(500, headersOf('/'));
      response.end();
      console.error(error);
    });
  };
}

/**
 * @param {import('node:http').Server} server
 * @param {number} port
 * @param {string} host
 */
async function listen(server, port, host) {
  for (let candidate = port; candidate < port + portsTried; candidate++) {
    const isFree = await new Promise((resolve, reject) => {
      /** @param {NodeJS.ErrnoException} error */
      const onError = (error) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error));
      server.once('error', onError);
      server.listen(candidate, host, () => {
        server.off('error', onError);
        resolve(true);
      });
    });
    if (isFree) return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
  }
  throw new Error(`ports ${port} to ${port + portsTried - 1} are all taken; choose another one with PORT=…`);
}

/** @param {{ request: Request, response: Response, root: string, cache: Cache, headersOf: HeadersOf }} given */
async function answer({ request, response, root, cache, headersOf }) {
  const address = pathOf(request.url ?? '');
  const common = headersOf(address ?? '/');
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { ...common, Allow: 'GET, HEAD' }).end();
    return;
  }
  const file = address && (await findFile(root, address));
  if (!file) {
    response.writeHead(404, { ...common, 'Content-Type': types['.txt'] });
    response.end(request.method === 'HEAD' ? undefined : 'not found\n');
    return;
  }
  /** @type {Record<string, string | number>} */
  const headers = {
    ...common,
    'Content-Type': types[file.extension] ?? 'application/octet-stream',
    'Cache-Control': hashedName.test(address ?? '') ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: file.tag,
    Vary: 'Accept-Encoding',
  };
  if (request.headers['if-none-match'] === file.tag) {
    response.writeHead(304, headers).end();
    return;
  }
  const encoding = chooseEncoding(String(request.headers['accept-encoding'] ?? ''), file.extension);
  const body = await encoded(file, encoding, cache);
  if (encoding) headers['Content-Encoding'] = encoding;
  headers['Content-Length'] = body.length;
  response.writeHead(200, headers);
  response.end(request.method === 'HEAD' ? undefined : body);
}

/**
 * Returns the decoded path of a request, or undefined if it is not a plain absolute path. With `view=embed`, the page is
 * the file that other sites may show in a frame.
 * @param {string} url
 */
function pathOf(url) {
  try {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const address = decodeURIComponent(pathname);
    if (address.includes('\0') || address.includes('\\')) return undefined;
    return address.endsWith('/') && searchParams.get('view') === 'embed' ? `${address}embed.html` : address;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} root
 * @param {string} address
 * @returns {Promise<Found | undefined>}
 */
async function findFile(root, address) {
  const wanted = path.join(root, address.endsWith('/') ? `${address}index.html` : address);
  try {
    const real = await realpath(wanted); // follows links, so that no link leads outside the folder
    const details = await stat(real);
    if (!real.startsWith(root + path.sep) || !details.isFile()) return undefined;
    if (
      path
        .relative(root, real)
        .split(path.sep)
        .some((part) => part.startsWith('.'))
    )
      return undefined;
    const tag = `"${details.size.toString(36)}-${Math.round(details.mtimeMs).toString(36)}"`;
    return { name: real, extension: path.extname(real), tag };
  } catch (error) {
    const { code = '' } = /** @type {NodeJS.ErrnoException} */ (error);
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EACCES', 'ELOOP'].includes(code)) return undefined;
    throw error;
  }
}

/**
 * @param {string} accepted
 * @param {string} extension
 */
function chooseEncoding(accepted, extension) {
  if (compressedAlready.has(extension)) return undefined;
  const offered = accepted.split(',').map((part) => part.trim());
  const isOffered = (/** @type {string} */ name) =>
    offered.some((part) => part.split(';')[0] === name && !/;\s*q=0(\.0*)?$/.test(part));
  return ['br', 'gzip'].find(isOffered);
}

/**
 * @param {Found} file
 * @param {string | undefined} encoding
 * @param {Cache} cache
 */
async function encoded(file, encoding, cache) {
  const key = `${file.name} ${file.tag} ${encoding}`;
  let body = cache.get(key);
  if (!body) {
    body = readFile(file.name).then((bytes) => (encoding ? (encoders[encoding]?.(bytes) ?? bytes) : bytes));
    body.catch(() => cache.delete(key));
    cache.set(key, body);
  }
  return await body;
}
