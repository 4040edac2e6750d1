// Tests training in a world that a real server serves over gRPC: the run must be equal to a run in the same world
// without a server.
import type { Server } from '@grpc/grpc-js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { reasonInEnglish } from '../../src/base/spoken.ts';
import type { Config } from '../../src/config/schema.ts';
import type { Checkpoint } from '../../src/records/stored/checkpoint.ts';
import { worldOf } from '../../src/tasks/registry.ts';
import type { Assessment, World } from '../../src/tasks/world.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import { microCheckpoint, microConfig, openRun, startRun } from '../../src/training/testing/microRun.ts';
import { onCpu } from '../../src/training/testing/onCpu.ts';
import { Episodes } from '../serve/worlds/episodes.ts';
import { ServedWorlds } from '../serve/worlds/servedWorlds.ts';
import { grpcListening, grpcServer } from '../../src/extensions/servers/grpc/grpc.ts';
import { liveElsewhere } from './elsewhere.ts';

onCpu();

/** Rewards for parts that only the default world has are switched off for the other worlds. */
const unpaid = { rewrite: 0, legalOperation: 0 };
const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** Serves the world of these settings, or a different world with the same name. */
async function served(
  config: Config,
  { port = 0, world = worldOf(config) } = {},
): Promise<{ url: string; port: number; server: Server }> {
  const episodes = new Episodes(assembleTeam(config), () => performance.now());
  const server = grpcServer(new ServedWorlds([{ episodes, world, options: null }], 'thisMachine'));
  open.push(() => server.forceShutdown());
  const taken = await grpcListening(server, port, '127.0.0.1');
  return { url: `grpc://127.0.0.1:${taken}`, port: taken, server };
}
/** Connects to a server; the connection is closed when the test ends. */
async function connected(config: Config, url: string) {
  const elsewhere = await liveElsewhere(config, url);
  open.push(elsewhere.close);
  return elsewhere;
}
/** A new run in a world that is served at the address `url`. */
const startThere = async (config: Config, url: string) =>
  openRun(await microCheckpoint(config), await connected(config, url));
const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => '',
    (error: Error) => `${error.name}: ${error.message}`,
  );

/** The dialogues of a run with their reasons as text, because a server returns reasons as text. */
const withText = ({ collected }: Awaited<ReturnType<typeof startRun>>) =>
  collected().map((dialogues) =>
    dialogues.map(({ turns, ...rest }) => ({
      ...rest,
      turns: turns.map((turn) => ({ ...turn, reason: reasonInEnglish(turn.reason) })),
    })),
  );

describe('a run in a world that is served elsewhere', () => {
  it.each([
    ['of talk alone', {}],
    ['that answers each message', { world: { name: 'tools' }, agents: { protocol: 'reMA' }, houseRule: unpaid }],
    ['that judges answers on the way', { agents: { protocol: 'debate', count: 2, feedback: true } }],
  ] as const)('%s equals a run in the local world, bit for bit', async (_, settings) => {
    const config = microConfig(settings);
    const here = await startRun(settings);
    await here.session.train(2);
    const { url } = await served(config);
    const there = await startThere(config, url);
    await there.session.train(2);
    expect(withText(there)).toEqual(withText(here));
    expect((await there.session.checkpoint()).networks).toEqual((await here.session.checkpoint()).networks);
    await here.session.dispose();
    await there.session.dispose();
  });

  it('ends with a named error if the server is lost, and resumes from its checkpoint to the same end', async () => {
    const config = microConfig();
    const here = await startRun();
    await here.session.train(2);
    const { url, port, server } = await served(config);
    const first = await startThere(config, url);
    await first.session.train(1);
    const stored = structuredClone(first.store.checkpoint as Checkpoint);
    server.forceShutdown();
    await first.session.train(1);
    const failed = first.events.find(({ kind }) => kind === 'failed');
    expect(failed).toMatchObject({
      name: 'WorldError',
      message: expect.stringContaining(`cothink train --resume --env ${url}`),
    });
    await first.session.dispose();
    await served(config, { port });
    const resumed = openRun(stored, { store: first.store, ...(await connected(config, url)) });
    await resumed.session.train(1);
    expect((await resumed.session.checkpoint()).networks).toEqual((await here.session.checkpoint()).networks);
    await here.session.dispose();
    await resumed.session.dispose();
  }, 30_000);

  it.each([
    ['no turn', (found: Assessment) => ({ ...found, perTurn: [] })],
    ['a potential too few', (found: Assessment) => ({ ...found, potentials: found.potentials.slice(1) })],
  ])('ends by name where an assessment is of %s', async (_, spoil) => {
    const config = microConfig();
    const own = worldOf(config);
    const world: World = { ...own, assess: async (...given) => spoil(await own.assess(...given)) };
    const { url } = await served(config, { world });
    const there = await startThere(config, url);
    await there.session.train(1);
    const failed = there.events.find(({ kind }) => kind === 'failed');
    expect(failed).toMatchObject({
      name: 'WorldError',
      message: expect.stringMatching(/^assess: expected \d+ turns and /),
    });
    await there.session.dispose();
  });

  it('and another run here, at the same time, do not disturb each other', async () => {
    const config = microConfig();
    const alone = await startRun();
    await alone.session.train(2);
    const own = worldOf(config);
    const assess = vi.fn<World['assess']>(async (...given) => ({ ...(await own.assess(...given)), answer: 'there' }));
    const { url } = await served(config, { world: { ...own, assess } });
    const there = await startThere(config, url);
    const here = await startRun();
    await Promise.all([there.session.train(2), here.session.train(2)]);
    expect(here.collected()).toEqual(alone.collected());
    expect((await here.session.checkpoint()).networks).toEqual((await alone.session.checkpoint()).networks);
    expect(assess).toHaveBeenCalled();
    expect(new Set(there.collected().flatMap((all) => all.map(({ answer }) => answer)))).toEqual(new Set(['there']));
    for (const { session } of [alone, there, here]) await session.dispose();
  });

  it('does not start if no server answers, or one with another world', async () => {
    const { url } = await served(microConfig());
    const grid = microConfig({ world: { name: 'grid' }, houseRule: unpaid });
    expect(await messageOf(liveElsewhere(grid, url))).toMatch(
      /^ConfigError: .* serves houseRule, .* start cothink serve --world grid/,
    );
    expect(await messageOf(liveElsewhere(grid, 'grpc://127.0.0.1:1'))).toMatch(
      /^ConfigError: .* does not answer .* start it/,
    );
    expect(await messageOf(liveElsewhere(grid, 'http://x'))).toContain('--env: expected grpc://HOST:PORT');
  });
});
