// The server: the page, and beside it what the worlds are asked over HTTP and the agents of a stored run. On this machine
// alone anybody may ask; from elsewhere only who has the token.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { folderListener } from '../../scripts/serve.mjs';
import type { Session } from '../../src/training/run/session.ts';
import { authorise, posted, Refusal, refuse, send, type Guard } from './http.ts';
import { contextOf, type Models } from './model.ts';
import { beliefsIn } from './verify.ts';
import type { Episodes } from './worlds/episodes.ts';
import type { ServedWorld } from './worlds/grpc.ts';
import { openEnvSockets, reset, state, step } from './worlds/openEnv.ts';
import { proto } from './worlds/service.ts';
import { answerOf, chunksOf, readAsked, told, type Kind } from './openai.ts';
import { rewardsFor } from './rewards.ts';

const kinds: Readonly<Record<string, Kind>> = { '/v1/chat/completions': 'chat', '/v1/completions': 'text' };

interface Serving {
  /** The page as it was built. */
  folder: string;
  /** Null: none is served. */
  models: Models | null;
  /** The run that the models are of, where it trains a verifier; null: no verifier is served. */
  session: Session | null;
  /** The world that is served; null: none but for rewards. */
  world: ServedWorld | null;
  /** Who may ask for more than the page. */
  guard: Guard;
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
  const server = createServer((request, response) => {
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
  server.maxConnections = 256;
  return server;
}

type Answerer = (serving: Serving, asking: Asking) => Promise<void>;

/** What a JSON object that is posted gets. */
const answering =
  (answer: (serving: Serving, body: unknown, request: IncomingMessage) => Promise<object>): Answerer =>
  async (serving, { request, response, pathname }) =>
    send(response, 200, await answer(serving, await posted(request, pathname), request));

const episodesOf = ({ world }: Serving): Episodes => {
  if (!world) throw new Refusal(404, 'no world is served; start cothink serve with --world NAME, or with a run.');
  return world.episodes;
};

function upgrades({ episodes, guard }: ServedWorld) {
  const open = openEnvSockets(episodes, guard);
  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (request.url?.split('?')[0] === '/ws') open(request, socket, head);
    else socket.destroy();
  };
}

/** What is answered beside the page and the models, by its path. */
const answers: Readonly<Record<string, Answerer>> = {
  '/reward': answering(({ world }, body) => rewardsFor(body, world?.world ?? null)),
  '/verify': answering(({ session, models }, body) => {
    const work = () => beliefsIn(body, session);
    return models ? models.inLine(work) : work();
  }),
  '/reset': answering((serving, body, { socket }) => reset(episodesOf(serving), clientOf(socket), body)),
  '/step': answering((serving, body) => step(episodesOf(serving), body)),
  '/state': (serving, { request, response }) =>
    Promise.resolve(send(response, 200, state(episodesOf(serving), request.url ?? ''))),
  '/health': (_, { response }) => Promise.resolve(send(response, 200, { status: 'healthy' })),
  '/world.proto': (_, { response }) =>
    Promise.resolve(void response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' }).end(proto)), // prettier-ignore
};

/** Whose episodes are counted together: those of one connection. */
const clientOf = ({ remoteAddress, remotePort }: IncomingMessage['socket']) => `${remoteAddress}:${remotePort}`;

async function askModels({ models }: Serving, { request, response, pathname, seed }: Asking): Promise<void> {
  if (!models) throw new Refusal(404, 'no run is served; start cothink serve with one.');
  if (pathname === '/v1/models' && request.method === 'GET') {
    send(response, 200, { object: 'list', data: models.list.map(({ id }) => ({ id, object: 'model', created: 0, owned_by: 'cothink' })) }); // prettier-ignore
    return;
  }
  const kind = kinds[pathname];
  if (!kind) throw new Refusal(404, `${pathname}: expected /v1/models, ${Object.keys(kinds).join(' or ')}.`);
  const asked = readAsked(kind, await posted(request, pathname), seed);
  const model = models.list.find(({ id }) => id === asked.model) ?? (asked.model === '' ? models.list[0] : undefined);
  if (!model) throw new Refusal(404, `model: expected one of ${models.list.map(({ id }) => id).join(', ')}.`);
  const wish = asked.wish(model);
  const choices = (await models.speak(model, wish)).map((said) => told(said, asked.stop));
  const head = {
    ...{ kind, model: model.id, hasLogprobs: asked.hasLogprobs },
    // Names and dates of an answer; nothing that is said depends on them.
    ...{ id: `${kind === 'chat' ? 'chatcmpl' : 'cmpl'}-${randomUUID()}`, created: Math.floor(Date.now() / 1000) },
  };
  if (!asked.isStreamed) {
    send(response, 200, answerOf(head, choices, contextOf(model, wish).length));
    return;
  }
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }); // prettier-ignore
  for (const chunk of chunksOf(head, choices)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  response.end('data: [DONE]\n\n');
}
