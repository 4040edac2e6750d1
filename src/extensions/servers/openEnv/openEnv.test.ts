// Tests the HTTP server of a world over real sockets, with the same kinds of requests as OpenEnv's clients send.
import type { IncomingMessage, Server } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { presetConfig } from '../../../config/presets.ts';
import { worldOf } from '../../../tasks/registry.ts';
import { assembleTeam } from '../../../training/team/team.ts';
import { servedHere } from '../../../../cli/serve/testing/served.ts';
import { ServedWorlds } from '../../../../cli/serve/worlds/servedWorlds.ts';
import { Episodes } from '../../../../cli/serve/worlds/episodes.ts';
import { actionForm, openEnvSockets, resetForm } from './openEnv.ts';

const config = presetConfig('micro');
let server: Server;
let url = '';

interface Seen {
  observation: { episode_id: string; seed: number; heard: string; agent: number | null; reasons: string[] };
  reward: number;
  done: boolean;
  error?: { message: string };
}

const post = async (place: string, body: unknown) => {
  const response = await fetch(`${url}${place}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, seen: (await response.json()) as Seen };
};

beforeAll(async () => {
  const episodes = new Episodes(assembleTeam(config), () => performance.now());
  const other = presetConfig('grid');
  const worlds = new ServedWorlds(
    [
      { episodes, world: worldOf(config), options: null },
      { episodes: new Episodes(assembleTeam(other), () => performance.now()), world: worldOf(other), options: null },
    ],
    'thisMachine',
  );
  ({ server, url } = await servedHere({ worlds, origins: new Set(['https://allowed.example']) }));
});
afterAll(() => {
  server.close().closeAllConnections();
});

/** Connects to the WebSocket of a server. `ask` sends a message and resolves with the answer. */
function socketTo(place: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`${place.replace('http', 'ws')}/ws`, { headers });
  const heard: ((answer: { type: string; data: Seen & { code?: string } }) => void)[] = [];
  socket.on('message', (bytes: Buffer) => heard.shift()?.(JSON.parse(bytes.toString()) as never));
  const opened = new Promise<void>((resolve, reject) => socket.on('open', resolve).on('error', reject));
  const ask = (message: unknown) =>
    new Promise<{ type: string; data: Seen & { code?: string } }>((resolve) => {
      heard.push(resolve);
      socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    });
  return { socket, opened, ask };
}

describe('a world over HTTP', () => {
  it('draws a new problem for each reset without a seed, and returns the seed that repeats it', async () => {
    const begun = [];
    for (const body of [{}, {}, { seed: null }, {}]) begun.push((await post('/reset', body)).seen.observation);
    expect(new Set(begun.map(({ heard }) => heard)).size).toBe(begun.length);
    for (const { seed, heard } of begun)
      expect((await post('/reset', { seed })).seen.observation).toMatchObject({ seed, heard });
    const { socket, opened, ask } = socketTo(url);
    await opened;
    const told = await Promise.all([ask({ type: 'reset', data: {} }), ask({ type: 'reset', data: {} })]);
    expect(new Set(told.map(({ data }) => data.observation.heard)).size).toBe(2);
    socket.close();
  });

  it('can be reset, played and asked for its state by the id of the episode', async () => {
    const begun = await post('/reset', { seed: 3 });
    expect(begun).toMatchObject({
      status: 200,
      seen: { reward: 0, done: false, observation: { heard: '<bos><leftToRight>0*3+8<eot><meta>' } },
    });
    const { episode_id } = begun.seen.observation;
    for (const text of ['0*3', '0+8', '0+8', '8']) await post('/step', { episode_id, action: { text } });
    const state = (await (await fetch(`${url}/state?episode_id=${episode_id}`)).json()) as object;
    expect(state).toEqual({ episode_id, step_count: 4, done: false, reward: 0 });
    const over = await post('/step', { episode_id, action: { text: '', finish: true } });
    expect(over.seen).toMatchObject({ done: true, observation: { answer: '8', is_right: true } });
    expect(over.seen.reward).toBeGreaterThan(0);
  });

  it.each([
    ['/reset', { seed: -1 }, 'seed: expected'],
    ['/reset', { level: 99 }, 'level: expected a level from 1 to'],
    ['/reset', { world: 'algebra' }, 'world: expected houseRule or grid, got "algebra"'],
    ['/reset', { world: 3 }, 'world: expected a text'],
    ['/reset', { episode_id: 'mine' }, 'episode_id: expected nothing, got "mine"'],
    ['/step', { episode_id: 'x', action: { text: '', tool: 'f' } }, 'action.tool: expected nothing'],
    ['/step', { action: { text: '' } }, 'episode_id: expected'],
    ['/step', { episode_id: 'none', action: { text: '' } }, 'the episode none does not exist'],
    ['/reward', { problem: 3, completions: [] }, 'problem: expected'],
    ['/verify', {}, 'no verifier is served'],
  ])('refuses a request to %s with %j by a 4xx status and a sentence', async (place, body, words) => {
    const { status, seen } = await post(place, body);
    expect([400, 404]).toContain(status);
    expect(seen.error?.message).toContain(words);
  });

  it('is one of several worlds, which a reset selects by name', async () => {
    const first = (await post('/reset', { seed: 3 })).seen.observation;
    expect((await post('/reset', { seed: 3, world: 'houseRule' })).seen.observation).toMatchObject({
      heard: first.heard,
    });
    const other = (await post('/reset', { seed: 3, world: 'grid' })).seen.observation;
    expect(other.heard).not.toBe(first.heard);
    const { episode_id } = other;
    const moved = await post('/step', { episode_id, action: { text: '' } });
    expect(moved).toMatchObject({ status: 200, seen: { observation: { episode_id, turns: 1 } } });
    expect(await (await fetch(`${url}/state?episode_id=${episode_id}`)).json()).toMatchObject({ step_count: 1 });
    const { socket, opened, ask } = socketTo(url);
    await opened;
    expect(await ask({ type: 'reset', data: { world: 'grid', seed: 3 } })).toMatchObject({
      data: { observation: { heard: other.heard } },
    });
    socket.close();
  });

  it('is described by everything that OpenEnv’s validation requests', async () => {
    const get = async (place: string) => (await (await fetch(`${url}${place}`)).json()) as Record<string, never>;
    expect(await get('/openapi.json')).toMatchObject({
      info: { version: expect.stringMatching(/^1\./) as string },
      paths: { '/reset': { post: {} }, '/step': { post: {} }, '/state': { get: {} } },
    });
    const { sentence: description } = worldOf(config);
    expect(await get('/metadata')).toMatchObject({
      name: 'houseRule',
      description,
      worlds: [{ vocabulary: expect.arrayContaining(['<eot>', '7']) as string[] }, { name: 'grid' }],
    });
    const {
      action,
      observation,
      state,
      reset: resets,
    } = (await get('/schema')) as Record<string, { properties: object; required?: string[] }>;
    // Clients that know nothing else fill in the only required field of an action.
    expect(action?.required).toEqual(['text']);
    expect(Object.keys(action?.properties ?? {})).toEqual(Object.keys(actionForm.entries));
    expect(Object.keys(resets?.properties ?? {}).sort()).toEqual(Object.keys(resetForm.entries).sort());
    const begun = (await post('/reset', {})).seen.observation;
    expect(Object.keys(begun).sort()).toEqual(Object.keys(observation?.properties ?? {}).sort());
    const now = await get(`/state?episode_id=${begun.episode_id}`);
    expect(Object.keys(now).sort()).toEqual(Object.keys(state?.properties ?? {}).sort());
    expect((await post('/mcp', {})).seen).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
  });

  it('is open to pages of an allowed origin, which can read errors too, and to no others', async () => {
    const asked = (origin: string, method: string) =>
      fetch(`${url}/reset`, { method, headers: { origin, 'access-control-request-method': 'POST' } });
    const allowed = await asked('https://allowed.example', 'OPTIONS');
    expect([allowed.status, allowed.headers.get('access-control-allow-methods')]).toEqual([204, 'GET, POST']);
    const refused = await asked('https://allowed.example', 'POST');
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([
      415,
      'https://allowed.example',
    ]);
    const other = await asked('https://elsewhere.example', 'OPTIONS');
    expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([405, null]);
  });

  it('serves the .proto file from which clients are generated', async () => {
    expect(await (await fetch(`${url}/world.proto`)).text()).toContain('service World {');
  });
});

describe('a world over a WebSocket', () => {
  it('is a separate episode, which ends with the socket', async () => {
    const { socket, opened, ask } = socketTo(url);
    await opened;
    expect(await ask({ type: 'step', data: { text: '1' } })).toMatchObject({
      type: 'error',
      data: { code: 'SESSION_ERROR' },
    });
    const begun = await ask({ type: 'reset', data: { seed: 3 } });
    expect(begun).toMatchObject({
      type: 'observation',
      data: { observation: { heard: '<bos><leftToRight>0*3+8<eot><meta>' } },
    });
    expect(await ask({ type: 'step', data: { text: '0*3' } })).toMatchObject({ data: { observation: { agent: 1 } } });
    expect(await ask({ type: 'state' })).toMatchObject({ type: 'state', data: { step_count: 1 } });
    expect(await ask('{')).toMatchObject({ type: 'error', data: { code: 'INVALID_JSON' } });
    expect(await ask({ type: 'jump' })).toMatchObject({ type: 'error', data: { code: 'VALIDATION_ERROR' } });
    const { episode_id } = begun.data.observation;
    await new Promise((resolve) => socket.on('close', resolve).close());
    await expect.poll(async () => (await fetch(`${url}/state?episode_id=${episode_id}`)).status).toBe(404);
  });

  it('is not opened for a page of another site, and a too long message closes only its own socket', async () => {
    await expect(socketTo(url, { origin: 'https://elsewhere.example' }).opened).rejects.toThrow('403');
    const allowed = socketTo(url, { origin: 'https://allowed.example' });
    await allowed.opened;
    allowed.socket.close();
    const { socket, opened } = socketTo(url);
    await opened;
    socket.send('x'.repeat(1_100_000));
    expect(await new Promise((resolve) => socket.on('close', resolve))).toBe(1009);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('that is refused ends with its answer, and an aborted client does not affect other sockets', async () => {
    const open = openEnvSockets(
      new ServedWorlds(
        [{ episodes: new Episodes(assembleTeam(config), () => 0), world: worldOf(config), options: null }],
        { token: 'secret' },
      ),
    );
    const refused = () => {
      const socket = new PassThrough();
      open({ headers: {} } as IncomingMessage, socket, Buffer.alloc(0));
      return socket;
    };
    const broken = refused();
    broken.emit('error', new Error('read ECONNRESET'));
    expect(broken.destroyed).toBe(true);
    const answered = refused();
    const answer = String(answered.read());
    await expect.poll(() => answered.destroyed).toBe(true);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });
});
