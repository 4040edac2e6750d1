// The server: the page, and beside it what the worlds are asked over HTTP and the agents of a stored run. On this machine
// alone anybody may ask; from elsewhere only who has the token.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { folderListener } from '../../scripts/serve.mjs';
import type { World } from '../../src/tasks/world.ts';
import { authorise, posted, Refusal, refuse, send, type Guard } from './http.ts';
import { contextOf, type Models } from './model.ts';
import { answerOf, chunksOf, readAsked, told, type Kind } from './openai.ts';
import { rewardsFor } from './rewards.ts';

const kinds: Readonly<Record<string, Kind>> = { '/v1/chat/completions': 'chat', '/v1/completions': 'text' };

interface Serving {
  /** The page as it was built. */
  folder: string;
  /** Null: none is served. */
  models: Models | null;
  /** A world of somebody's own that the served run was trained in. */
  opened: World | null;
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
  // A client that says nothing holds nothing for long.
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.maxConnections = 256;
  return server;
}

type Answerer = (serving: Serving, asking: Asking) => Promise<void>;

/** What is answered beside the page and the models, by its path. */
const answers: Readonly<Record<string, Answerer>> = {
  '/reward': async ({ opened }, { request, response, pathname }) =>
    send(response, 200, await rewardsFor(await posted(request, pathname), opened)),
};

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
