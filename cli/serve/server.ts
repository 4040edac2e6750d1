// The server: the page, and beside it what the worlds are asked over HTTP and the agents of a stored run. On this machine
// alone anybody may ask; from elsewhere only who has the token.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { folderListener } from '../../scripts/serve.mjs';
import type { Session } from '../../src/training/run/session.ts';
import { authorise, hungUp, posted, RequestError, refuse, send, type RequestGuard } from './http.ts';
import type { Model, ServedModels } from './model.ts';
import { beliefsIn } from './verify.ts';
import type { Episodes } from './worlds/episodes.ts';
import type { ServedWorld } from './worlds/grpc.ts';
import { openEnvSockets, reset, state, step } from './worlds/openEnv.ts';
import { proto } from './worlds/service.ts';
import { answerOf, Chunks, readAsked, type Kind } from './openai.ts';
import { rewardsFor } from './rewards.ts';

const kinds: Readonly<Record<string, Kind>> = { '/v1/chat/completions': 'chat', '/v1/completions': 'text' };

/** Bytes of an answer that a client leaves unread. */
const mostUnread = 4_000_000;
/** Connections at once, of everybody and of one address; and how often silent ones are looked for, in milliseconds. */
const most = { connections: 512, ofAddress: 256, lookMs: 1000 };

interface Serving {
  /** The page as it was built. */
  folder: string;
  /** Null: none is served. */
  models: ServedModels | null;
  /** The run that the models are of, where it trains a verifier; null: no verifier is served. */
  session: Session | null;
  /** The world that is served; null: none but for rewards. */
  world: ServedWorld | null;
  /** Who may ask for more than the page. */
  guard: RequestGuard;
}

interface Asking {
  request: IncomingMessage;
  response: ServerResponse;
  pathname: string;
  /** For a request that names none. */
  seed: number;
}

/** A server that does not listen yet. */
export async function serverOf(serving: Serving): Promise<Server> {
  const page = await folderListener(serving.folder);
  let asked = 0;
  const server = createServer({ connectionsCheckingInterval: most.lookMs }, (request, response) => {
    const [pathname = '/'] = (request.url ?? '/').split('?');
    const answer = pathname.startsWith('/v1/') ? askModels : answers[pathname];
    if (!answer) {
      page(request, response);
      return;
    }
    const answered = async () => {
      authorise(request.headers, serving.guard);
      await answer(serving, { request, response, pathname, seed: asked++ });
    };
    answered().catch((error: unknown) => refuse(response, error));
  });
  if (serving.world) server.on('upgrade', upgrades(serving.world));
  // A client that says nothing holds nothing for long.
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.maxConnections = most.connections;
  boundAddresses(server, most.ofAddress);
  return server;
}

/** No address holds so many connections that others find none. */
function boundAddresses(server: Server, mostOf: number): void {
  const held = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const before = held.get(address) ?? 0;
    if (before >= mostOf) {
      socket.destroy();
      return;
    }
    held.set(address, before + 1);
    socket.once('close', () => {
      const left = (held.get(address) ?? 1) - 1;
      if (left > 0) held.set(address, left);
      else held.delete(address);
    });
  });
}

type Answerer = (serving: Serving, asking: Asking) => Promise<void>;

interface Posted {
  body: unknown;
  request: IncomingMessage;
  /** Aborted where nobody waits for the answer any more. */
  left: AbortSignal;
}

/** The answer to a posted JSON object. */
const answering =
  (answer: (serving: Serving, posted: Posted) => Promise<object>): Answerer =>
  async (serving, { request, response, pathname }) => {
    const body = await posted(request, pathname);
    send(response, 200, await answer(serving, { body, request, left: hungUp(response) }));
  };

const episodesOf = ({ world }: Serving): Episodes => {
  if (!world) throw new RequestError(404, 'no world is served; start cothink serve with --world NAME, or with a run.');
  return world.episodes;
};

function upgrades({ episodes, guard }: ServedWorld) {
  const open = openEnvSockets(episodes, guard);
  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (request.url?.split('?')[0] === '/ws') open(request, socket, head);
    else socket.destroy();
  };
}

/** The answers beside the page and the models, by path. */
const answers: Readonly<Record<string, Answerer>> = {
  '/reward': answering(({ world }, { body, left }) => rewardsFor(body, world?.world ?? null, left)),
  '/verify': answering(({ session, models }, { body, left }) => {
    const work = () => beliefsIn(body, session);
    return models ? models.line.join(work, left) : work();
  }),
  '/reset': answering((serving, { body, request }) => reset(episodesOf(serving), clientOf(request.socket), body)),
  '/step': answering((serving, { body }) => step(episodesOf(serving), body)),
  '/state': (serving, { request, response }) =>
    Promise.resolve(send(response, 200, state(episodesOf(serving), request.url ?? ''))),
  '/health': (_, { response }) => Promise.resolve(send(response, 200, { status: 'healthy' })),
  '/world.proto': (_, { response }) =>
    Promise.resolve(
      void response
        .writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' })
        .end(proto),
    ),
};

/** Whose episodes are counted together: those of one connection. */
const clientOf = ({ remoteAddress, remotePort }: IncomingMessage['socket']) => `${remoteAddress}:${remotePort}`;

const listed = ({ id, policy }: Model) => ({
  id,
  object: 'model',
  created: 0,
  owned_by: 'cothink',
  max_model_len: policy.maxPositions,
});

async function askModels({ models }: Serving, { request, response, pathname, seed }: Asking): Promise<void> {
  if (!models) throw new RequestError(404, 'no run is served; start cothink serve with one.');
  const { list } = models;
  const named = (id: string) => {
    const found = list.find((model) => model.id === id);
    if (!found) throw new RequestError(404, `model: expected one of ${list.map((model) => model.id).join(', ')}.`);
    return found;
  };
  if (request.method === 'GET' && pathname === '/v1/models') {
    send(response, 200, { object: 'list', data: list.map(listed) });
    return;
  }
  if (request.method === 'GET' && pathname.startsWith('/v1/models/')) {
    send(response, 200, listed(named(decoded(pathname.slice('/v1/models/'.length)))));
    return;
  }
  const kind = kinds[pathname];
  if (!kind) throw new RequestError(404, `${pathname}: expected /v1/models, ${Object.keys(kinds).join(' or ')}.`);
  const asked = readAsked(kind, await posted(request, pathname), seed);
  const model = asked.model === '' ? (list[0] as Model) : named(asked.model);
  const wish = asked.wish(model);
  const head = {
    ...{ kind, model: model.id, hasLogprobs: asked.hasLogprobs, promptTokens: wish.context.length },
    // Names and dates of an answer; nothing that is said depends on them.
    ...{ id: `${kind === 'chat' ? 'chatcmpl' : 'cmpl'}-${randomUUID()}`, created: Math.floor(Date.now() / 1000) },
  };
  const left = hungUp(response);
  if (!asked.isStreamed) {
    send(response, 200, answerOf(head, await models.speak(model, wish, { left, hear: () => undefined })));
    return;
  }
  const chunks = new Chunks(head, asked.hasUsage);
  const tell = (news: Iterable<object>) => {
    if (!response.headersSent)
      response.writeHead(200, {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
      });
    for (const chunk of news) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    // Who does not read is let go.
    if (response.writableLength > mostUnread) response.destroy();
  };
  const texts = await models.speak(model, wish, { left, hear: (said) => tell(chunks.news(said)) });
  tell(chunks.end(texts));
  response.end('data: [DONE]\n\n');
}

/** An id as an address has it. Throws Refusal for what is none. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new RequestError(404, 'model: expected an id as an address has it.');
  }
}
