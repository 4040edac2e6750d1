// Tests the rules of all HTTP responses: authorization, input limits, and requests that end before they are complete.
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { authorise, bears, jsonIn, posted, refuse, RequestError } from './http.ts';

it('a client that disconnects during a request is no fault of the server, which prints nothing', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  let hear: (status: number) => void;
  const refused = new Promise<number>((resolve) => (hear = resolve));
  const server = createServer((request, response) => {
    posted(request, '/reward').catch((error: unknown) => {
      refuse(response, error);
      hear(response.statusCode);
    });
  });
  try {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write(
      'POST /reward HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"world":',
    );
    server.on('request', () => client.resetAndDestroy());
    expect([await refused, said.mock.calls]).toEqual([400, []]);
  } finally {
    said.mockRestore();
    server.close().closeAllConnections();
  }
});

describe('words of the protocol', () => {
  it.each(['Bearer SECRET', 'bearer SECRET', 'BEARER SECRET', 'Bearer   SECRET', 'Bearer SECRET '])(
    'that send a token are read in upper and lower case: %j',
    (header) => {
      expect(bears(header, 'SECRET')).toBe(true);
    },
  );

  it.each([undefined, '', 'Bearer', 'Bearer secret', 'Basic SECRET', 'BearerSECRET', 'SECRET'])(
    'that send no token are distinguished: %j',
    (header) => {
      expect(bears(header, 'SECRET')).toBe(false);
    },
  );

  it.each(['localhost', 'LocalHost:4173', 'LOCALHOST', 'localhost.', '127.0.0.1:1', '[::1]:80'])(
    'that name this machine are read in any case: %s',
    (host) => {
      expect(() => authorise({ host }, 'thisMachine')).not.toThrow();
    },
  );

  it.each(['elsewhere.example', 'localhost.evil.example', 'localhost..', ''])(
    'that name another machine are not accepted: %j',
    (host) => {
      expect(() => authorise({ host }, 'thisMachine')).toThrow(RequestError);
    },
  );

  it.each([
    ['Application/JSON', 200],
    ['application/json; Charset=UTF-8', 200],
    ['APPLICATION/JSON;charset=utf-8', 200],
    ['text/plain', 415],
    ['application/jsonp', 415],
  ])('that name the type %s are answered with %i', async (type, status) => {
    const server = createServer((request, response) => {
      posted(request, '/').then(
        () => response.end(),
        (error: unknown) => refuse(response, error),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: '{}',
    });
    server.close().closeAllConnections();
    expect(response.status).toBe(status);
  });
});

it('a body in another encoding is refused and not misread', () => {
  expect(jsonIn('the request', Buffer.from('{"prompt":"Zoë"}', 'utf8'))).toEqual({ prompt: 'Zoë' });
  expect(() => jsonIn('the request', Buffer.from('{"prompt":"Zoë"}', 'latin1'))).toThrow(/UTF-8/);
});
