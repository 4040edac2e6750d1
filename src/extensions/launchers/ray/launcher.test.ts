// Tests a Ray job with a fake server instead of Ray's dashboard.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { FormatError } from '../../../base/errors.ts';
import { launch as launchOn } from '../../../../cli/launch/launch.ts';
import { asked, given } from '../../../../cli/launch/testing/launched.ts';
import { collectedIn, onRay } from './launcher.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cothink-ray-'));
const servers: Server[] = [];
afterAll(() => {
  rmSync(folder, { recursive: true });
  for (const server of servers) server.close().closeAllConnections();
});

describe('a job of Ray', () => {
  it('is sent with its package, again if necessary, followed, and its archives are read from its log', async () => {
    const calls: string[] = [];
    const log = `noise\ncothink-archive seed-1 ${btoa('abc')}\ncothink-archive seed-1 ${btoa('def')}\ncothink-done {"name":"seed-1","error":null}\ncothink-done {"name":"seed-2","error":"lost"}\n`;
    const server = createServer((request, response) => {
      calls.push(`${request.method} ${request.url}`);
      request.resume().on('end', () => {
        const body =
          request.url === '/api/jobs/'
            ? { submission_id: 'j' }
            : request.url === '/api/jobs/j'
              ? { status: calls.length > 6 ? 'SUCCEEDED' : 'RUNNING', message: '' }
              : { logs: log };
        response.writeHead(calls.length === 2 ? 500 : 200).end(JSON.stringify(body));
      });
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const launch = await asked('--preset', 'micro', '--seeds', '2');
    const collected = await onRay({
      address,
      launch,
      program: 'cothink',
      hear: () => undefined,
      isStopped: () => false,
    });
    expect(calls.slice(0, 4)).toEqual([
      expect.stringMatching(/^PUT \/api\/packages\/gcs\/_ray_pkg_\w+\.zip$/),
      'POST /api/jobs/',
      'POST /api/jobs/',
      'GET /api/jobs/j',
    ]);
    expect(
      collected.map(({ name, error, archive }) => [name, error, archive && Buffer.from(archive).toString()]),
    ).toEqual([
      ['seed-1', null, 'abcdef'],
      ['seed-2', 'lost', null],
    ]);
  });

  it('names the cluster that does not answer', async () => {
    const launch = await asked('--preset', 'micro');
    const work = onRay({
      address: 'http://127.0.0.1:1',
      launch,
      program: 'cothink',
      hear: () => undefined,
      isStopped: () => false,
    });
    await expect(work).rejects.toThrow('--address: http://127.0.0.1:1 does not answer');
    const out = path.join(folder, 'nowhere');
    const args = ['--on', 'ray', '--address', 'http://127.0.0.1:1', '--preset', 'micro', '--out', out];
    await expect(launchOn(given(...args))).rejects.toThrow('does not answer');
    expect(existsSync(out)).toBe(false);
  });

  it('reads any log without a fault', () => {
    fc.assert(fc.property(fc.string(), (log) => void collectedIn(log)));
  });

  it.each(['{"name": 5, "error": null}', '{}', '{"name": "a"', '{}}'])(
    'refuses by name a line that no driver writes: %s',
    (told) => {
      const read = () => collectedIn(`cothink-done ${told}`);
      // A line without its closing brace is incomplete, so it is ignored.
      if (told.endsWith('}')) expect(read).toThrow(FormatError);
      else expect(read()).toEqual([]);
    },
  );
});
