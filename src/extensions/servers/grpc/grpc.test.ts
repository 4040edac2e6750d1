// Tests the gRPC server over real sockets: what clients receive, and that slow, failing or malicious clients do not
// affect the others.
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { status, type Server, type ServiceError } from '@grpc/grpc-js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Draws, streams } from '../../../base/random.ts';
import { presetConfig } from '../../../config/presets.ts';
import { worldOf } from '../../../tasks/registry.ts';
import type { World } from '../../../tasks/world.ts';
import { assembleTeam } from '../../../training/team/team.ts';
import type { RequestGuard } from '../../../../cli/serve/http.ts';
import { WorldClient } from '../../../../cli/serve/worlds/client.ts';
import { Episodes } from '../../../../cli/serve/worlds/episodes.ts';
import { ServedWorlds, type ServedWorld } from '../../../../cli/serve/worlds/servedWorlds.ts';
import { grpcListening, grpcServer } from './grpc.ts';
import { worldService, type EpisodeObservation } from '../../../../cli/serve/worlds/service.ts';

const config = presetConfig('micro');
const servers: Server[] = [];
const clients: WorldClient[] = [];
let port = 0;

/**
 * A world that does not judge the answer “wait” until the test allows it, and that counts all other answers that it
 * judges.
 */
const plain = worldOf(config);
const held: (() => void)[] = [];
let judged = 0;
const world: World = {
  ...plain,
  judge: async (problem, spoken) => {
    if (spoken.text === 'wait') await new Promise<void>((letGo) => held.push(letGo));
    else judged++;
    return plain.judge(problem, spoken);
  },
};
const problem = plain.draw(1, new Draws(11, streams.problems, 1), 'training');
const judge = (text: string) => ({
  call: 'judge',
  given: JSON.stringify({ problem, message: { role: 'reasoning', text, isFinish: false } }),
});
/** A batch with one question that has to wait, and `others` questions that are answered immediately. */
const waiting = (others = 0) => ({ questions: [judge('wait'), ...Array.from({ length: others }, () => judge('5'))] });
const letGo = () => {
  for (const one of held.splice(0)) one();
};

async function serve(guard: RequestGuard = 'thisMachine', limits: Parameters<typeof grpcServer>[1] = {}) {
  const episodes = new Episodes(assembleTeam(config), () => performance.now());
  const server = grpcServer(new ServedWorlds([{ episodes, world, options: null }], guard), limits);
  servers.push(server);
  return { port: await grpcListening(server, 0, '127.0.0.1'), episodes };
}
const clientOf = (at: number, token?: string) => {
  const client = new WorldClient(`127.0.0.1:${at}`, token);
  clients.push(client);
  return client;
};
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => status.OK,
    ({ code }: ServiceError) => code,
  );

beforeAll(async () => void ({ port } = await serve()));
afterAll(() => {
  for (const client of clients) client.close();
  for (const server of servers) server.forceShutdown();
});

/** Runs an episode with this seed for a number of steps, and returns the observations. */
async function play(client: WorldClient, seed: number, steps: number): Promise<Omit<EpisodeObservation, 'episode'>[]> {
  const seen: EpisodeObservation[] = [];
  let episodes = 0;
  let now: EpisodeObservation | null = null;
  for (let step = 0; step < steps; step++) {
    now ??= await client.call('Reset', { seed: seed + episodes++, level: 0, split: '' }, 20_000);
    now = await client.call(
      'Step',
      { episode: now.episode, text: ['2*3', '6', '4+1'][step % 3] ?? '', finish: step % 5 === 4 && now.mayFinish },
      20_000,
    );
    seen.push(now);
    if (now.done) now = null;
  }
  return seen.map(({ episode: _, ...rest }) => rest);
}

describe('a world over gRPC', () => {
  it('reports the served world, level and protocol', async () => {
    const health = await clientOf(port).call('Health', {}, 5_000);
    expect(health).toMatchObject({
      world: 'houseRule',
      level: 1,
      levels: 5,
      protocol: 'reMA',
      roles: ['metaThinking', 'reasoning'],
    });
    expect(health.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('lets a client play each agent, and gives the rewards of a run', async () => {
    const client = clientOf(port);
    const begun = await client.call('Reset', { seed: 3, level: 1, split: 'training' }, 5_000);
    expect(begun).toMatchObject({ turns: 0, done: false, agent: 0, role: 'metaThinking', mayFinish: true });
    expect(begun.heard).toBe('<bos><leftToRight>0*3+8<eot><meta>');
    const { episode } = begun;
    const planned = await client.call('Step', { episode, text: '0*3', finish: false }, 5_000);
    expect(planned).toMatchObject({ agent: 1, heard: '<bos>0*3+8<eot><meta>0*3<eot><reason>', mayFinish: false });
    await client.call('Step', { episode, text: '0+8', finish: false }, 5_000);
    await client.call('Step', { episode, text: '0+8<eot>', finish: false }, 5_000);
    await client.call('Step', { episode, text: '8', finish: false }, 5_000);
    const over = await client.call('Step', { episode, text: '', finish: true }, 5_000);
    expect(over).toMatchObject({ done: true, answer: '8', isRight: true });
    expect(over.rewards).toHaveLength(5);
    expect(over.reward).toBeGreaterThan(0);
    expect(await codeOf(client.call('Step', { episode, text: '8', finish: false }, 5_000))).toBe(
      status.INVALID_ARGUMENT,
    );
  });

  it('is one of several worlds, which a request selects by name', async () => {
    const other = presetConfig('grid');
    const list = [config, other].map((one) => ({
      ...{ episodes: new Episodes(assembleTeam(one), () => 0), world: worldOf(one), options: null },
    })) as [ServedWorld, ServedWorld];
    const server = grpcServer(new ServedWorlds(list, 'thisMachine'));
    servers.push(server);
    const client = clientOf(await grpcListening(server, 0, '127.0.0.1'));
    expect(await client.call('Health', {}, 5_000)).toMatchObject({ world: 'houseRule', worlds: ['houseRule', 'grid'] });
    const health = await client.call('Health', { world: 'grid' }, 5_000);
    expect(health.world).toBe('grid');
    expect(health.digest).not.toBe((await client.call('Health', {}, 5_000)).digest);
    const { episode } = await client.call('Reset', { seed: 3, level: 0, split: '', world: 'grid' }, 5_000);
    expect(await client.call('Step', { episode, text: '', finish: false }, 5_000)).toMatchObject({ turns: 1 });
    const [drawn] = worldOf(other).heldOut(1, 1);
    const message = { role: 'reasoning', text: '', isFinish: false };
    const given = JSON.stringify({ problem: drawn, message });
    const { answers } = await client.call('Ask', { questions: [{ call: 'judge', given }, judge('5')] }, 5_000);
    expect(answers.map((one) => JSON.parse(one) as object)).toMatchObject([{ isRight: false }, { answer: '5' }]);
    const strange = client.call('Reset', { level: 0, split: '', world: 'algebra' }, 5_000);
    await expect(strange).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('expected houseRule or grid, got "algebra"') as string,
    });
  });

  it('draws a new problem if the request has no seed, which differs from a seed of 0', async () => {
    const client = clientOf(port);
    const asked = { level: 1, split: '' };
    const drawn = [];
    for (let i = 0; i < 3; i++) drawn.push(await client.call('Reset', asked, 5_000));
    expect(new Set(drawn.map(({ heard }) => heard)).size).toBe(3);
    for (const { seed, heard } of drawn)
      expect(await client.call('Reset', { seed, ...asked }, 5_000)).toMatchObject({ seed, heard });
    const zero = await client.call('Reset', { seed: 0, ...asked }, 5_000);
    expect(await client.call('Reset', { seed: 0, ...asked }, 5_000)).toMatchObject({ seed: 0, heard: zero.heard });
  });

  it('gives 64 simultaneous clients separate episodes, and the same answers for the same seed', async () => {
    const alone = await play(clientOf(port), 11, 12);
    const together = await Promise.all(
      Array.from({ length: 64 }, (_, i) => play(clientOf(port), i % 2 === 0 ? 11 : 1000 + i, 30)),
    );
    for (const [i, seen] of together.entries())
      if (i % 2 === 0) expect(seen.slice(0, 12)).toEqual(alone);
      else expect(seen).toHaveLength(30);
  }, 60_000);

  it('answers a batch in its order, and a refused step does not affect the others', async () => {
    const client = clientOf(port);
    const begun = await Promise.all(
      [1, 2, 3].map((seed) => client.call('Reset', { seed, level: 0, split: '' }, 5_000)),
    );
    const steps = begun.map(({ episode }) => ({ episode, text: '1+1', finish: false }));
    steps[1] = { episode: 'none', text: '', finish: false };
    const { replies } = await client.call('BatchStep', { steps }, 5_000);
    expect(replies).toMatchObject([
      { observation: { episode: begun[0]?.episode, turns: 1 } },
      { fault: { code: status.NOT_FOUND } },
      { observation: { episode: begun[2]?.episode, turns: 1 } },
    ]);
  });

  it.each([
    ['a level that is none', 'Reset', { seed: 1, level: 99, split: '' }, status.INVALID_ARGUMENT],
    ['a split that is none', 'Reset', { seed: 1, level: 1, split: 'constructor' }, status.INVALID_ARGUMENT],
    ['an episode that is none', 'Step', { episode: 'x', text: '', finish: false }, status.NOT_FOUND],
    [
      'a batch that is too long',
      'BatchStep',
      { steps: Array.from({ length: 1025 }, () => ({ episode: 'x', text: '', finish: false })) },
      status.INVALID_ARGUMENT,
    ],
    [
      'a call that the world does not have',
      'Ask',
      { questions: [{ call: 'draw', given: '{}' }] },
      status.INVALID_ARGUMENT,
    ],
    ['a question that is no JSON', 'Ask', { questions: [{ call: 'judge', given: '{' }] }, status.INVALID_ARGUMENT],
    ['a question without its problem', 'Ask', { questions: [{ call: 'judge', given: '{}' }] }, status.INVALID_ARGUMENT],
  ] as const)('refuses %s with a code and a sentence', async (_, name, asked, code) => {
    const error: unknown = await clientOf(port)
      .call(name, asked as never, 5_000)
      .catch((thrown: unknown) => thrown);
    expect((error as ServiceError).code).toBe(code);
    expect((error as ServiceError).details).toMatch(/^[a-z].*\.$/);
  });

  it('requires the token if it has one', async () => {
    const guarded = await serve({ token: 'secret' });
    const codes = [undefined, 'other', 'secret'].map((token) =>
      codeOf(clientOf(guarded.port, token).call('Health', {}, 5_000)),
    );
    expect(await Promise.all(codes)).toEqual([status.UNAUTHENTICATED, status.UNAUTHENTICATED, status.OK]);
  });
});

describe('calls beyond the limits', () => {
  const twoAreHeld = () => expect.poll(() => held.length, { timeout: 60_000 }).toBe(2);

  it('get RESOURCE_EXHAUSTED at the limit of the server, and are accepted after other calls have ended', async () => {
    const { port: own } = await serve('thisMachine', { calls: 2 });
    const [first, second] = [clientOf(own), clientOf(own)];
    const both = [first, second].map((client) => client.call('Ask', waiting(), 60_000));
    await twoAreHeld();
    const refused: unknown = await first.call('Health', {}, 60_000).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      details: 'the maximum of 2 active calls is reached; try again in a moment.',
    });
    letGo();
    await Promise.all(both);
    expect(await codeOf(first.call('Health', {}, 60_000))).toBe(status.OK);
  });

  it('wait at the limit of their connection, and calls of other connections do not', async () => {
    const { port: own } = await serve('thisMachine', { ofConnection: 2 });
    const greedy = clientOf(own);
    const three = Array.from({ length: 3 }, () => greedy.call('Ask', waiting(), 60_000));
    await twoAreHeld();
    expect(await codeOf(clientOf(own).call('Health', {}, 60_000))).toBe(status.OK);
    expect(held).toHaveLength(2);
    held.shift()?.();
    await twoAreHeld();
    letGo();
    expect(await Promise.all(three.map(codeOf))).toEqual([status.OK, status.OK, status.OK]);
  });

  it.each([
    ['that the server takes', { ms: 200 }, 60_000, 'the call: expected to end within 0.2 s; request less in one call.'],
    ['that the client has', {}, 200, 'Deadline exceeded'],
  ])(
    'get DEADLINE_EXCEEDED after the time %s, and no further part of them is started',
    async (_, limits, deadlineMs, words) => {
      const { port: own } = await serve('thisMachine', { calls: 1, ...limits });
      const client = clientOf(own);
      await client.call('Health', {}, 60_000);
      judged = 0;
      const late: unknown = await client.call('Ask', waiting(31), deadlineMs).catch((thrown: unknown) => thrown);
      expect(late).toMatchObject({ code: status.DEADLINE_EXCEEDED, details: expect.stringContaining(words) as string });
      // The question that has to wait is still in progress, so a further call is refused. Once that question is
      // answered, calls are accepted again.
      expect(await codeOf(client.call('Health', {}, 60_000))).toBe(status.RESOURCE_EXHAUSTED);
      letGo();
      await expect.poll(() => codeOf(client.call('Health', {}, 60_000)), { timeout: 60_000 }).toBe(status.OK);
      // Only the first 16 of the 32 questions were handled: the question that has to wait, and the 15 that were judged.
      expect(judged).toBe(15);
    },
  );
});

describe('slow, failing and malicious clients', () => {
  const raw = () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    return socket;
  };

  it('get an error or nothing, and other clients are not affected', async () => {
    const harm = [raw(), raw(), raw()] as const;
    // Three connections send random bytes, an incomplete HTTP/2 preface, and nothing at all.
    harm[0].write(Buffer.from(Array.from({ length: 4_000 }, (_, i) => (i * 37) % 256)));
    harm[1].write('PRI * HTTP/2.0\r\n');
    // This client sends many requests and never reads a response.
    const deaf = connectHttp2(`http://127.0.0.1:${port}`);
    deaf.on('error', () => undefined);
    deaf.on('connect', (_, socket) => socket.pause());
    for (let i = 0; i < 200; i++) {
      const stream = deaf.request({
        ':method': 'POST',
        ':path': worldService.Reset.path,
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      stream.on('error', () => undefined);
      stream.end(Buffer.from([0, 0, 0, 0, 0]));
    }
    // This client disconnects in the middle of a batch.
    const dying = clientOf(port);
    const { episode } = await dying.call('Reset', { seed: 1, level: 0, split: '' }, 5_000);
    const lost = codeOf(dying.call('Ask', waiting(1_023), 50));
    // This client sends a message that is too long.
    const long = codeOf(clientOf(port).call('Step', { episode, text: 'x'.repeat(5_000_000), finish: false }, 10_000));
    const good = await Promise.all(Array.from({ length: 8 }, (_, i) => play(clientOf(port), i, 30)));
    expect(good.every((seen) => seen.length === 30)).toBe(true);
    expect(await long).toBe(status.RESOURCE_EXHAUSTED);
    expect(await lost).toBe(status.DEADLINE_EXCEEDED);
    letGo();
    deaf.destroy();
    for (const socket of harm) socket.destroy();
    expect((await clientOf(port).call('Health', {}, 5_000)).world).toBe('houseRule');
  }, 60_000);

  it('get INVALID_ARGUMENT for bytes that are not a message', async () => {
    const session = connectHttp2(`http://127.0.0.1:${port}`).on('error', () => undefined);
    const sent = (bytes: Uint8Array) =>
      new Promise<string>((resolve, reject) => {
        const stream = session.request({
          ':method': 'POST',
          ':path': worldService.BatchStep.path,
          'content-type': 'application/grpc',
          te: 'trailers',
        });
        let code = '';
        const take = (headers: Record<string, unknown>) => (code = String(headers['grpc-status'] ?? code));
        stream
          .on('response', take)
          .on('trailers', take)
          .on('error', reject)
          .on('close', () => resolve(code))
          .resume();
        const head = Buffer.alloc(5);
        head.writeUInt32BE(bytes.length, 1);
        stream.end(Buffer.concat([head, bytes]));
      });
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        expect(['0', '3']).toContain(await sent(bytes));
      }),
      { numRuns: 60 },
    );
    session.close();
  });
});
