// Tests which pages of other sites may read the responses of the server.
import { createServer, request, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/base/errors.ts';
import { admit, originsIn } from './origins.ts';

const allowed = 'https://notebook.example';
let server: Server;
let port = 0;

beforeAll(async () => {
  const origins = originsIn([`${allowed}, http://localhost:8888/`]);
  server = createServer((asked, response) => {
    if (!admit(origins, asked, response)) response.writeHead(200, { 'Content-Type': 'text/plain' }).end('answer');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close().closeAllConnections());

const asked = (method: string, headers: Record<string, string>) =>
  new Promise<{ status: number; headers: IncomingHttpHeaders }>((resolve, reject) => {
    request({ port, host: '127.0.0.1', method, headers }, (response) => {
      response.resume().on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
    })
      .on('error', reject)
      .end();
  });
const preflight = (origin: string, more: Record<string, string> = {}) =>
  asked('OPTIONS', { origin, 'access-control-request-method': 'POST', ...more });

describe('the pages of other sites', () => {
  it('that are named may read responses and send JSON', async () => {
    for (const origin of [allowed, 'http://localhost:8888']) {
      const { headers } = await asked('GET', { origin });
      expect(headers['access-control-allow-origin']).toBe(origin);
      expect(headers.vary).toBe('Origin');
      const before = await preflight(origin, {
        'access-control-request-headers': 'content-type,x-client-version',
        'access-control-request-private-network': 'true',
      });
      expect(before).toMatchObject({
        status: 204,
        headers: {
          'access-control-allow-origin': origin,
          'access-control-allow-methods': 'GET, POST',
          'access-control-allow-headers': 'content-type,x-client-version',
          'access-control-allow-private-network': 'true',
        },
      });
    }
  });

  it.each(['https://elsewhere.example', 'https://notebook.example.evil', 'http://notebook.example', 'null', '', '*'])(
    'that are not named get no permission: %j',
    async (origin) => {
      for (const { status, headers } of [await asked('GET', { origin }), await preflight(origin)]) {
        expect(status).toBe(200);
        expect(headers['access-control-allow-origin']).toBeUndefined();
        expect(headers['access-control-allow-methods']).toBeUndefined();
        expect(headers.vary).toBe('Origin');
      }
    },
  );

  it('get a list of usual headers if they request something that is no list of headers', async () => {
    const { headers } = await preflight(allowed, { 'access-control-request-headers': 'a b; c' });
    expect(headers['access-control-allow-headers']).toBe('authorization, content-type');
  });
});

describe('the option --allow-origin', () => {
  it.each(['*', 'null', '', 'example.org', 'https://example.org/path', 'file:///x', 'https://u:p@example.org', 'x,y'])(
    'refuses %j by name, because it is no origin',
    (value) => {
      expect(() => originsIn([value])).toThrow(ConfigError);
      expect(() => originsIn([value])).toThrow('--allow-origin: expected the origin of a page');
    },
  );

  it('is read, or refused by a named error, whatever is given', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl({ withFragments: true })), (value) => {
        try {
          for (const origin of originsIn([value])) expect(new URL(origin).origin).toBe(origin);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
        }
      }),
    );
  });
});
