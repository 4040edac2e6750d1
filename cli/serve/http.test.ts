// Requests that end before they are whole.
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { expect, it, vi } from 'vitest';
import { posted, refuse } from './http.ts';

it('a client that breaks off while it posts is no fault of the server, which says nothing of it', async () => {
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
    client.write('POST /reward HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"world":'); // prettier-ignore
    server.on('request', () => client.resetAndDestroy());
    expect([await refused, said.mock.calls]).toEqual([400, []]);
  } finally {
    said.mockRestore();
    server.close().closeAllConnections();
  }
});
