// Clients that connect and send no complete request: nothing at all, half a header, or a body that never arrives. From
// one address they hold all connections allowed per address. Meanwhile, another address must be answered every second,
// and each client must be disconnected within the server's time limit, so that the first address is answered again.
import { spawn, type ChildProcess } from 'node:child_process';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { AttackRow } from './report.ts';

const program = path.resolve('dist-cli/main.mjs');
/** The number of clients, which is above the limit for one address. */
const clients = 300;
/** The server's limit of twelve seconds in milliseconds, and an allowance for a loaded machine. */
const promisedMs = 12_000;
const lateMs = 6000;
const pauseMs = 1000;

const kinds = {
  'connections that say nothing': '',
  'connections with half a header': 'POST /reward HTTP/1.1\r\nHost: localhost\r\nX-Long: ',
  'connections whose body never comes':
    'POST /reward HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"world":',
};

export async function* attackHalfOpen(): AsyncGenerator<AttackRow> {
  const server = spawn(process.execPath, [program, 'serve', '--port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const port = await portOf(server);
    for (const [what, said] of Object.entries(kinds)) yield await hold(port, what, said);
  } finally {
    server.kill('SIGKILL');
  }
}

async function hold(port: number, kind: string, said: string): Promise<AttackRow> {
  const faults: string[] = [];
  const begun = performance.now();
  const held: { socket: Socket; closedMs: number | null }[] = Array.from({ length: clients }, () => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.1' }, () => socket.write(said));
    const one = { socket, closedMs: null as number | null };
    // A client that never reads does not notice that it was disconnected.
    socket
      .resume()
      .on('error', () => undefined)
      .on('close', () => (one.closedMs = performance.now() - begun));
    return one;
  });
  let [asked, unanswered] = [0, 0];
  const isOpen = () => held.some(({ closedMs }) => closedMs === null);
  while (isOpen() && performance.now() - begun < promisedMs + lateMs) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    asked++;
    if (!(await isAnswered(port, '127.0.0.2'))) unanswered++;
  }
  const longest = Math.max(...held.map(({ closedMs }) => closedMs ?? Infinity));
  const left = held.filter(({ closedMs }) => closedMs === null).length;
  if (left > 0) faults.push(`${left} are held after ${(promisedMs + lateMs) / 1000} s`);
  if (unanswered > 0) faults.push(`another address was not answered ${unanswered} of ${asked} times`);
  for (const { socket } of held) socket.destroy();
  if (!(await isAnswered(port, '127.0.0.1'))) faults.push('the same address is not answered afterwards');
  const note = `the last is let go after ${(longest / 1000).toFixed(1)} s; another address was answered ${asked - unanswered} of ${asked} times`;
  return { part: 'served', what: `half-open: ${kind}`, count: clients, note, faults };
}

/** Whether the server reports within some seconds that it is healthy. */
function isAnswered(port: number, localAddress: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request(
      { port, host: '127.0.0.1', localAddress, path: '/health', agent: false, timeout: lateMs },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    asked
      .on('timeout', () => asked.destroy())
      .on('error', () => resolve(false))
      .end();
  });
}

const portOf = (server: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    server.on('exit', (code) => reject(new Error(`cothink serve ended with ${code}`)));
    if (server.stdout)
      createInterface({ input: server.stdout }).once('line', (line) =>
        resolve(Number(new URL((JSON.parse(line) as { url: string }).url).port)),
      );
  });
