// Tests health checking and reflection with a client that knows nothing of the server but these two services.
import { Client, credentials, Metadata, Server, ServerCredentials, status, type ServiceError } from '@grpc/grpc-js';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import descriptors from 'protobufjs/ext/descriptor/index.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proto, worldService } from '../../../../cli/serve/worlds/service.ts';
import healthProto from './health.proto?raw';
import { protoFile, serviceIn } from './protoFile.ts';
import reflectionProto from './reflection.proto?raw';
import { addStandardServices, reflected, type ReflectionAsked } from './standard.ts';

const servers: Server[] = [];
const clients: Client[] = [];
let client: Client;

/** Starts a server and connects to it. */
async function served(
  ...given: [permits?: Parameters<typeof addStandardServices>[1], limits?: Parameters<typeof addStandardServices>[2]]
) {
  const server = new Server();
  addStandardServices(server, given[0] ?? (() => true), given[1]);
  servers.push(server);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, taken) =>
      error ? reject(error) : resolve(taken),
    ),
  );
  const own = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  clients.push(own);
  return own;
}

beforeAll(async () => void (client = await served()));
afterAll(() => {
  for (const one of clients) one.close();
  for (const one of servers) one.forceShutdown();
});

const health = serviceIn(healthProto, 'grpc.health.v1.Health');
const serializeOf = ({ requestSerialize, responseDeserialize, path }: (typeof health)[string]) =>
  [path, requestSerialize, responseDeserialize] as const;

const check = (service: string, of = client) =>
  new Promise<unknown>((resolve, reject) => {
    of.makeUnaryRequest(
      ...serializeOf(health['Check'] as never),
      { service },
      new Metadata(),
      (error: ServiceError | null, reply: unknown) => (error ? reject(error) : resolve(reply)),
    );
  });

const watch = (service: string, of = client) =>
  of.makeServerStreamRequest(...serializeOf(health['Watch'] as never), { service }, new Metadata());

/** Asks questions on one stream, and returns the answers when the server has ended the stream. */
function ask(questions: readonly object[], { of = client, version = 'v1' }: { of?: Client; version?: string } = {}) {
  const text = reflectionProto.replace('grpc.reflection.v1;', `grpc.reflection.${version};`);
  const service = serviceIn(text, `grpc.reflection.${version}.ServerReflection`);
  const stream = of.makeBidiStreamRequest(...serializeOf(service['ServerReflectionInfo'] as never), new Metadata());
  const answers: Record<string, never>[] = [];
  for (const question of questions) stream.write(question);
  stream.end();
  return new Promise<Record<string, never>[]>((resolve, reject) => {
    stream.on('data', (answer: Record<string, never>) => answers.push(answer));
    stream.on('error', reject).on('end', () => resolve(answers));
  });
}

describe('health checking', () => {
  it('says that the server and each of its services answer, and that others do not exist', async () => {
    for (const service of ['', 'cothink.world.v1.World', 'grpc.health.v1.Health'])
      expect(await check(service)).toEqual({ status: 1 });
    await expect(check('other')).rejects.toMatchObject({ code: status.NOT_FOUND });
  });

  it('tells a watching client the status at once, and keeps the stream open', async () => {
    for (const [service, told] of [
      ['', 1],
      ['other', 3],
    ] as const) {
      const stream = watch(service);
      expect(await new Promise((resolve) => stream.once('data', resolve))).toEqual({ status: told });
      const ended = new Promise((resolve) => stream.on('error', ({ code }: ServiceError) => resolve(code)));
      stream.cancel();
      expect(await ended).toBe(status.CANCELLED);
    }
  });

  it('has a limited number of streams, and the end of a stream makes room', async () => {
    const own = await served(undefined, { streams: 1 });
    const first = watch('', own).on('error', () => undefined);
    await new Promise((resolve) => first.once('data', resolve));
    const codeOf = (stream: ReturnType<typeof watch>) =>
      new Promise((resolve) =>
        stream.on('error', ({ code }: ServiceError) => resolve(code)).once('data', () => resolve(status.OK)),
      );
    expect(await codeOf(watch('', own))).toBe(status.RESOURCE_EXHAUSTED);
    expect(await check('', own)).toEqual({ status: 1 });
    first.cancel();
    await expect.poll(() => codeOf(watch('', own))).toBe(status.OK);
  });
});

describe.each(['v1', 'v1alpha'])('reflection %s', (version) => {
  it('lists the services', async () => {
    const [answer] = await ask([{ listServices: '*' }], { version });
    expect(answer?.['listServicesResponse']).toEqual({
      service: [
        'cothink.world.v1.World',
        'grpc.health.v1.Health',
        'grpc.reflection.v1.ServerReflection',
        'grpc.reflection.v1alpha.ServerReflection',
      ].map((name) => ({ name })),
    });
  });

  it('gives a descriptor with which messages are encoded as with the .proto file', async () => {
    const symbols = ['cothink.world.v1.World', 'cothink.world.v1.World.Step', 'cothink.world.v1.Observation'];
    const answers = await ask(
      [...symbols.map((one) => ({ fileContainingSymbol: one })), { fileByFilename: 'world.proto' }],
      { version },
    );
    const [first, ...others] = answers.map(
      (answer) =>
        (answer['fileDescriptorResponse'] as unknown as { fileDescriptorProto: Uint8Array[] }).fileDescriptorProto,
    );
    for (const other of others) expect(other).toEqual(first);
    const file = descriptors.FileDescriptorProto.decode(first?.[0] as Uint8Array);
    const root = protobuf.Root as unknown as { fromDescriptor: (set: object) => protobuf.Root };
    const read = root.fromDescriptor({ file: [file] });
    const own = protobuf.parse(proto, { keepCase: true }).root;
    for (const sent of [
      { name: 'ResetRequest', message: { seed: 0, level: 2, split: 'heldOut', world: 'grid' } },
      {
        name: 'StepReply',
        message: {
          observation: { episode: 'a', may_finish: true, rewards: [0.5], is_right: true, seed: 4_000_000_000 },
        },
      },
      { name: 'HealthReply', message: { worlds: ['a', 'b'], levels: 3 } },
    ]) {
      const type = `cothink.world.v1.${sent.name}`;
      const encoded = own.lookupType(type).encode(own.lookupType(type).fromObject(sent.message)).finish();
      expect(read.lookupType(type).toObject(read.lookupType(type).decode(encoded))).toEqual(sent.message);
    }
    // The types of all fields have full names, which stricter readers than protobufjs require.
    const fields = JSON.parse(JSON.stringify(file)) as {
      messageType: { field: { name: string; typeName?: string; proto3Optional?: boolean }[] }[];
    };
    for (const { field } of fields.messageType)
      for (const { typeName = '.cothink.world.v1.' } of field) expect(typeName).toMatch(/^\.cothink\.world\.v1\./);
    expect(
      fields.messageType
        .flatMap(({ field }) => field)
        .filter((one) => one.proto3Optional)
        .map(({ name }) => name),
    ).toEqual(['seed']);
    expect(Object.keys(worldService)).toEqual(
      read.lookupService('cothink.world.v1.World').methodsArray.map(({ name }) => name),
    );
  });

  it('answers with an error for everything that does not exist, and goes on', async () => {
    const answers = await ask(
      [
        { fileByFilename: 'x.proto' },
        { fileContainingSymbol: 'x' },
        { allExtensionNumbersOfType: 'x' },
        { fileContainingExtension: {} },
        {},
        { allExtensionNumbersOfType: 'cothink.world.v1.Observation' },
      ],
      { version },
    );
    expect(answers.map((answer) => (answer['errorResponse'] as { errorCode: number } | undefined)?.errorCode)).toEqual([
      5,
      5,
      5,
      5,
      3,
      undefined,
    ]);
    expect(answers.at(-1)?.['allExtensionNumbersResponse']).toMatchObject({
      baseTypeName: 'cothink.world.v1.Observation',
    });
  });
});

describe('streams of reflection', () => {
  it('are refused without permission, while health checks are answered', async () => {
    const own = await served(() => false);
    await expect(ask([{ listServices: '' }], { of: own })).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
    expect(await check('', own)).toEqual({ status: 1 });
  });

  it('end after a limited number of requests, and after a time without requests', async () => {
    const own = await served(undefined, { requests: 3, silentMs: 100 });
    const questions = Array.from({ length: 4 }, () => ({ listServices: '' }));
    expect(await ask(questions.slice(0, 3), { of: own })).toHaveLength(3);
    await expect(ask(questions, { of: own })).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    const service = serviceIn(reflectionProto, 'grpc.reflection.v1.ServerReflection');
    const silent = own.makeBidiStreamRequest(...serializeOf(service['ServerReflectionInfo'] as never), new Metadata());
    await new Promise<void>((resolve) =>
      silent
        .on('data', () => undefined)
        .on('end', () => resolve())
        .on('error', () => resolve()),
    );
  });

  it('answer any request', () => {
    fc.assert(
      fc.property(
        fc.record(
          {
            messageRequest: fc.string(),
            fileByFilename: fc.string(),
            fileContainingSymbol: fc.string(),
            host: fc.string(),
          },
          { requiredKeys: [] },
        ),
        (request) => {
          expect(Object.keys(reflected(request as ReflectionAsked))).toHaveLength(3);
        },
      ),
    );
  });
});

it('a file with nested enums is described with all of its names', () => {
  const { symbols, services, messages } = protoFile('health.proto', healthProto);
  expect(services).toEqual(['grpc.health.v1.Health']);
  expect([...symbols]).toEqual(
    expect.arrayContaining(['grpc.health.v1.HealthCheckResponse.ServingStatus', 'grpc.health.v1.Health.Watch']),
  );
  expect([...messages]).toEqual(['grpc.health.v1.HealthCheckRequest', 'grpc.health.v1.HealthCheckResponse']);
});
