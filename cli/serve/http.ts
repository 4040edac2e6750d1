// The common part of all HTTP answers: who may ask, how much, and the message to those who are refused. Requests that a
// page of another site could send are refused: those without JSON as their type, and those for another host.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { runInNewContext } from 'node:vm';
import * as v from 'valibot';
import { ConfigError, isNamedError } from '../../src/base/errors.ts';
import { quoted } from '../../src/base/quote.ts';
import { sha256 } from '../../src/base/sha256.ts';

/** Bytes of a request at most. */
export const mostBytes = 1_000_000;
const ofThisMachine = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A body of which nothing comes for so long is let go. */
export const silentMs = 10_000;

/** For what a model's own files decide about a request, in milliseconds: its template, and how its tokenizer cuts a text. */
const mostMs = 3000;

/** The fault of a request. */
export class RequestError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** There is no room in the line. */
export class BusyError extends Error {}

/** Who may ask: with a token whoever sends it, without one this machine; `nobody` where others can reach it and there is none. */
export type RequestGuard = { token: string } | 'thisMachine' | 'nobody';

/** Nobody waits for an answer any more. */
export class LeftError extends Error {}

/** Whether a header is “Bearer”, in any case (RFC 9110), and the token. */
export function bears(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +(.+?) *$/i.exec(authorization ?? '')?.[1] ?? '';
  // Digests are of one length, and their comparison takes as long whatever was given.
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(token)));
}

/** Throws Refusal for who may not ask. */
export function authorise(headers: IncomingHttpHeaders, guard: RequestGuard): void {
  if (guard === 'nobody')
    throw new RequestError(
      403,
      'others can reach this server, so it gives the page alone; start it with --token TEXT.',
    );
  if (guard !== 'thisMachine') {
    if (bears(headers.authorization, guard.token)) return;
    throw new RequestError(401, 'authorization: expected “Bearer” and the token that the server was started with.');
  }
  const host = (headers.host ?? '').toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
  if (!ofThisMachine.has(host)) throw new RequestError(403, `host: expected localhost, got ${host.slice(0, 80)}.`);
}

/** Does work that others decided on, and breaks it off where it takes too long: nobody else is answered meanwhile. Throws Refusal then. */
export function inTime<T>(work: () => T, atMostMs = mostMs): T {
  try {
    // The work is done out here; a context is what node has a clock for, which stops searches for expressions too.
    return runInNewContext('work()', { work }, { timeout: atMostMs }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new RequestError(
      422,
      `the request: the model’s template or tokenizer takes longer than ${atMostMs / 1000} s over it; shorten the text, or serve another model.`,
    );
  }
}

/** The JSON that was posted. Throws Refusal for anything else. */
export async function posted(request: IncomingMessage, pathname: string): Promise<unknown> {
  if (request.method !== 'POST') throw new RequestError(405, `${pathname}: expected POST.`);
  if (!/^application\/json *(?:;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new RequestError(415, 'content-type: expected application/json.');
  const parts: Buffer[] = [];
  let size = 0;
  const { socket } = request;
  // A client that stops in the middle holds nothing for long.
  const clock = setTimeout(() => socket.destroy(), silentMs);
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      clock.refresh();
      size += part.length;
      if (size > mostBytes) throw new RequestError(413, `the request: expected at most ${mostBytes} bytes.`);
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof RequestError || request.complete) throw error;
    throw new RequestError(400, 'the request: expected all of it, got a part.');
  } finally {
    clearTimeout(clock);
  }
  return jsonIn('the request', Buffer.concat(parts));
}

/** JSON that was sent as bytes. Throws Refusal for anything else. */
export function jsonIn(what: string, bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new RequestError(400, `${what}: expected UTF-8, got another encoding.`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new RequestError(400, `${what}: expected JSON.`);
  }
}

/** Tells when nobody waits for an answer any more: the client has hung up, or has what it asked for. */
export function hungUp(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  response.on('close', () => left.abort());
  if (response.destroyed) left.abort();
  return left.signal;
}

/** Reads what was asked. Throws ConfigError, which names the field. */
export function read<T extends v.GenericSchema>(form: T, body: unknown): v.InferOutput<T> {
  const result = v.safeParse(form, body);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const field = v.getDotPath(issue) ?? 'the request';
  const expected = issue.received === 'undefined' ? 'a value' : issue.message;
  throw new ConfigError(
    `${field}: expected ${expected}, got ${issue.received === 'undefined' ? 'nothing' : issue.received.slice(0, 60)}.`,
  );
}

/** Fields that no form reads, as far as they are known. */
export interface Unread {
  /** Where they stand: `action.`. */
  at?: string;
  /** Fields that have no part in the answer. */
  aside?: readonly string[];
  /** Values of a field that ask for nothing. */
  idle?: Readonly<Record<string, readonly unknown[]>>;
}

const empty = ['null', '[]', '{}'];

/** Throws ConfigError for a field that asks for something and is read by nobody: what is left aside in silence is taken for done. */
export function refuseUnread(given: object, known: object, { at = '', aside = [], idle = {} }: Unread = {}): void {
  for (const [name, value] of Object.entries(given)) {
    if (Object.hasOwn(known, name) || aside.includes(name)) continue;
    const values = (Object.hasOwn(idle, name) ? idle[name] : undefined)?.map((one) => JSON.stringify(one));
    const asksNothing = [...empty, ...(values ?? [])];
    if (value === undefined || asksNothing.includes(JSON.stringify(value))) continue;
    const expected = values?.join(' or ') ?? 'nothing';
    throw new ConfigError(
      `${at}${name.slice(0, 60)}: expected ${expected}, got ${quoted(value)}; nothing here obeys it, so leave it out.`,
    );
  }
}

export function send(response: ServerResponse, status: number, body: object): void {
  const headers = {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
  response.writeHead(status, headers).end(`${JSON.stringify(body)}\n`);
}

export function refuse(response: ServerResponse, error: unknown): void {
  if (error instanceof LeftError) {
    response.destroy();
    return;
  }
  const { message } = error as Error;
  const status =
    error instanceof RequestError ? error.status : error instanceof BusyError ? 503 : isNamedError(error) ? 400 : 500;
  if (status === 500) process.stderr.write(`cothink serve: ${(error as Error).stack ?? message}\n`);
  if (response.headersSent) {
    response.end();
    return;
  }
  if (status === 503) response.setHeader('Retry-After', '1');
  // Who may not ask holds no connection.
  if (status === 413 || status === 401) response.setHeader('Connection', 'close');
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  send(response, status, {
    error: { message: status === 500 ? 'a fault of the server' : message, type, param: null, code: null },
  });
}
