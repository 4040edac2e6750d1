// The server: the page, and beside it the agents of a stored run. On this machine alone anybody may ask; from elsewhere only
// who has the token. Requests that a page of another site could send are refused: those without JSON as their type, and
// those for another host.
import { randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { folderListener } from '../../scripts/serve.mjs';
import { isNamedError } from '../../src/base/errors.ts';
import { sha256 } from '../../src/base/sha256.ts';
import { BusyError, type Models } from './model.ts';
import { answerOf, chunksOf, readAsked, told, type Kind } from './openai.ts';

/** Bytes of a request at most. */
const mostBytes = 1_000_000;
const kinds: Readonly<Record<string, Kind>> = { '/v1/chat/completions': 'chat', '/v1/completions': 'text' };
const ofThisMachine = new Set(['localhost', '127.0.0.1', '[::1]']);

interface Serving {
  /** The page as it was built. */
  folder: string;
  /** Null: the page alone. */
  models: Models | null;
  /** What others have to know; null: only this machine can ask. */
  token: string | null;
}

/** What is wrong with a request. */
class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A server that does not listen yet. */
export async function serverOf(serving: Serving): Promise<Server> {
  const page = await folderListener(serving.folder);
  let asked = 0;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (!pathname.startsWith('/v1/')) {
      page(request, response);
      return;
    }
    answer(serving, { request, response, pathname, seed: asked++ }).catch((error: unknown) => refuse(response, error));
  });
  // A client that says nothing holds nothing for long.
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.maxConnections = 256;
  return server;
}

async function answer(
  { models, token }: Serving,
  { request, response, pathname, seed }: { request: IncomingMessage; response: ServerResponse; pathname: string; seed: number }, // prettier-ignore
): Promise<void> {
  authorise(request, token);
  if (!models) throw new Refusal(404, 'no run is served; start cothink serve with one.');
  if (pathname === '/v1/models' && request.method === 'GET') {
    send(response, 200, { object: 'list', data: models.list.map(({ id }) => ({ id, object: 'model', created: 0, owned_by: 'cothink' })) }); // prettier-ignore
    return;
  }
  const kind = kinds[pathname];
  if (!kind) throw new Refusal(404, `${pathname}: expected /v1/models, ${Object.keys(kinds).join(' or ')}.`);
  if (request.method !== 'POST') throw new Refusal(405, `${pathname}: expected POST.`);
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
    throw new Refusal(415, 'content-type: expected application/json.');
  const asked = readAsked(kind, await bodyOf(request), seed);
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
    send(response, 200, answerOf(head, choices, model.tokenizer.encode(wish.prompt).length));
    return;
  }
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }); // prettier-ignore
  for (const chunk of chunksOf(head, choices)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  response.end('data: [DONE]\n\n');
}

/** Throws Refusal for who may not ask. */
function authorise({ headers }: IncomingMessage, token: string | null): void {
  if (token !== null) {
    const given = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    // Digests are of one length, and their comparison takes as long whatever was given.
    if (timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(token)))) return;
    throw new Refusal(401, 'authorization: expected “Bearer” and the token that the server was started with.');
  }
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  if (!ofThisMachine.has(host)) throw new Refusal(403, `host: expected localhost, got ${host.slice(0, 80)}.`);
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > mostBytes) throw new Refusal(413, `the request: expected at most ${mostBytes} bytes.`);
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString()) as unknown;
  } catch {
    throw new Refusal(400, 'the request: expected JSON.');
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  const headers = {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
  response.writeHead(status, headers).end(`${JSON.stringify(body)}\n`);
}

function refuse(response: ServerResponse, error: unknown): void {
  const { message } = error as Error;
  const status = error instanceof Refusal ? error.status : error instanceof BusyError ? 503 : isNamedError(error) ? 400 : 500; // prettier-ignore
  if (status === 500) process.stderr.write(`cothink serve: ${(error as Error).stack ?? message}\n`);
  if (response.headersSent) {
    response.end();
    return;
  }
  if (status === 503) response.setHeader('Retry-After', '1');
  if (status === 413) response.setHeader('Connection', 'close');
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  send(response, status, { error: { message: status === 500 ? 'a fault of the server' : message, type, param: null, code: null } }); // prettier-ignore
}
