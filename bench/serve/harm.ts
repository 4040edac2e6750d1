// Harmful clients of a served world, in a separate process that runs until it is ended: one client sends requests and
// never reads, one dies while sending, and malicious ones send garbage, messages that are too long, messages that never
// end, and batches of the maximum size one after the other. Each restarts as soon as the server has disconnected it.
import { connect as connectHttp2, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { WorldClient } from '../../cli/serve/worlds/client.ts';
import { worldService, type Calls } from '../../cli/serve/worlds/service.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const [soonMs, dyingMs, tricklingMs] = [100, 5, 20];
const mostSteps = 1_024;

/** Attacks the world at this address forever. */
export async function harm(address: string): Promise<never> {
  await Promise.all([
    slow(address),
    dying(address),
    nonsense(address),
    tooLong(address),
    endless(address),
    greedy(address),
  ]);
  throw new Error('harm has no end');
}

function session(address: string): ClientHttp2Session {
  return connectHttp2(`http://${address}`).on('error', () => undefined);
}

function request(of: ClientHttp2Session, name: keyof Calls): ClientHttp2Stream {
  const stream = of.request({
    ':method': 'POST',
    ':path': worldService[name].path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  return stream.on('error', () => undefined);
}

/** Returns a message in gRPC framing; `announced` may be a larger length. */
function framed(bytes: Uint8Array, announced = bytes.length): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(announced, 1);
  return Buffer.concat([head, bytes]);
}

const closed = (of: ClientHttp2Session | Socket): Promise<void> =>
  new Promise((resolve) => (of.destroyed ? resolve() : of.once('close', resolve)));

/** Sends requests without a pause and never reads a response, until it is disconnected. */
async function slow(address: string): Promise<void> {
  for (;;) {
    const deaf = session(address);
    deaf.on('connect', (_, socket) => socket.pause());
    for (let i = 0; i < mostSteps && !deaf.destroyed; i++) request(deaf, 'Reset').end(framed(new Uint8Array()));
    await closed(deaf);
    await pause(soonMs);
  }
}

/** Ends its process or its connection while a batch is being sent, twenty times a second. */
async function dying(address: string): Promise<void> {
  const batch = await batchOf(address);
  for (;;) {
    const dies = session(address);
    const stream = request(dies, 'BatchStep');
    stream.write(framed(batch, batch.length).subarray(0, batch.length / 2));
    const whole = request(dies, 'BatchStep');
    whole.end(framed(batch));
    await pause(dyingMs);
    dies.destroy();
    await closed(dies);
    await pause(soonMs / 2);
  }
}

/** Sends bytes that are not HTTP, and half of the preface of HTTP/2. */
async function nonsense(address: string): Promise<void> {
  const [host = '', port = ''] = address.split(':');
  const bytes = Buffer.from(Array.from({ length: 64_000 }, (_, i) => (i * 37) % 256));
  for (let round = 0; ; round++) {
    const socket = connect(Number(port), host).on('error', () => undefined);
    socket.write(round % 2 === 0 ? bytes : 'PRI * HTTP/2.0\r\n');
    await Promise.race([closed(socket), pause(soonMs)]);
    socket.destroy();
  }
}

/** Sends a message above the size limit and undecodable messages, ten times a second. */
async function tooLong(address: string): Promise<void> {
  const [long, none] = [new Uint8Array(5_000_000), Buffer.from('\u0007\u00ff never a message')];
  for (;;) {
    const harms = session(address);
    request(harms, 'Step').end(framed(long));
    for (let i = 0; i < 20; i++) request(harms, 'BatchStep').end(framed(none));
    await pause(soonMs);
    harms.destroy();
    await closed(harms);
  }
}

/** Sends batches byte by byte whose end never arrives, on as many calls as one connection may have. */
async function endless(address: string): Promise<void> {
  for (;;) {
    const harms = session(address);
    const streams = Array.from({ length: 64 }, () => request(harms, 'BatchStep'));
    for (const stream of streams) stream.write(framed(new Uint8Array(1), 3_900_000));
    while (!harms.destroyed && streams.some(({ destroyed }) => !destroyed)) {
      for (const stream of streams) if (!stream.destroyed) stream.write(new Uint8Array(1));
      await pause(tricklingMs);
    }
    harms.destroy();
    await pause(soonMs);
  }
}

/** Sends the largest accepted batch, and the next one as soon as it is answered. */
async function greedy(address: string): Promise<void> {
  for (;;) {
    const client = new WorldClient(address);
    try {
      for (;;) await client.call('BatchStep', { steps: await stepsOf(client) }, 30_000);
    } catch {
      await pause(soonMs);
    } finally {
      client.close();
    }
  }
}

/** Returns a batch of real steps: sixteen for each of several dialogues. */
async function stepsOf(client: WorldClient): Promise<Calls['BatchStep'][0]['steps']> {
  const seeds = Array.from({ length: mostSteps / 16 }, (_, seed) => seed);
  const begun = await Promise.all(seeds.map((seed) => client.call('Reset', { seed, level: 0, split: '' }, 30_000)));
  return begun.flatMap(({ episode }) => Array.from({ length: 16 }, () => ({ episode, text: '1+1', finish: false })));
}

async function batchOf(address: string): Promise<Uint8Array> {
  const client = new WorldClient(address);
  const steps = await stepsOf(client);
  client.close();
  return worldService.BatchStep.requestSerialize({ steps });
}
