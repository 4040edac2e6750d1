// The rules that all HTTP responses have in common: authorization, limits, and the form of error messages. Requests
// that a page of another site could send are refused: requests whose content type is not JSON, and requests for another
// host.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { runInNewContext } from 'node:vm';
import * as v from 'valibot';
import { ConfigError, isNamedError } from '../../src/base/errors.ts';
import { quoted } from '../../src/base/quote.ts';
import { sha256 } from '../../src/base/sha256.ts';
import { writeError } from '../terminal.ts';

/** Maximum size of a request in bytes. */
export const mostBytes = 1_000_000;
const ofThisMachine = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Timeout after which a request whose body has stalled is dropped. */
export const silentMs = 10_000;

/**
 * Time limit in milliseconds for code that comes with a model: its chat template, and the regular expression that
 * splits a text before tokenization.
 */
const mostMs = 3000;

/** An error that is reported to the client with this HTTP status. */
export class RequestError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Thrown if the queue is full. */
export class BusyError extends Error {}

/**
 * The permitted clients. If there is a token, the clients that send it are permitted, otherwise the clients on this
 * machine. `nobody` is used if other machines can reach the server but there is no token.
 */
export type RequestGuard = { token: string } | 'thisMachine' | 'nobody';

/** The error for a request whose client no longer waits for an answer. */
export class LeftError extends Error {}

/** Whether an authorization header consists of “Bearer”, in any case (RFC 9110), and the token. */
export function bears(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +(.+?) *$/i.exec(authorization ?? '')?.[1] ?? '';
  // Digests have equal lengths, and their comparison takes constant time.
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(token)));
}

/** Throws RequestError if the client is not permitted. */
export function authorise(headers: IncomingHttpHeaders, guard: RequestGuard): void {
  if (guard === 'nobody')
    throw new RequestError(
      403,
      'others can reach this server, so it serves only the page; start it with --token TEXT.',
    );
  if (guard !== 'thisMachine') {
    if (bears(headers.authorization, guard.token)) return;
    throw new RequestError(401, 'authorization: expected “Bearer” and the token that the server was started with.');
  }
  const host = (headers.host ?? '').toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
  if (!ofThisMachine.has(host)) throw new RequestError(403, `host: expected localhost, got ${host.slice(0, 80)}.`);
}

/**
 * Runs `work` and aborts it after the time limit, because all other requests wait until it ends. Throws RequestError if
 * `work` was aborted.
 */
export function inTime<T>(work: () => T, atMostMs = mostMs): T {
  try {
    // `work` was created outside the new context. Node applies the timeout to the call from the context, and this also
    // stops regular expressions.
    return runInNewContext('work()', { work }, { timeout: atMostMs }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new RequestError(
      422,
      `the request: the model’s template or tokenizer takes longer than ${atMostMs / 1000} s for it; shorten the text, or serve another model.`,
    );
  }
}

/** The JSON body of a POST request. Throws RequestError for any other request. */
export async function posted(request: IncomingMessage, pathname: string): Promise<unknown> {
  if (request.method !== 'POST') throw new RequestError(405, `${pathname}: expected POST.`);
  if (!/^application\/json *(?:;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new RequestError(415, 'content-type: expected application/json.');
  const parts: Buffer[] = [];
  let size = 0;
  const { socket } = request;
  // A connection occupies resources, so it is closed if the client sends nothing for ten seconds.
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
    throw new RequestError(400, 'the request: expected a complete body, got only a part of it.');
  } finally {
    clearTimeout(clock);
  }
  return jsonIn('the request', Buffer.concat(parts));
}

/** Parses a JSON body. Throws RequestError if the bytes are not UTF-8 or not JSON. */
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

/**
 * A signal that is aborted when the response is closed, because the client has disconnected or has received the whole
 * response.
 */
export function hungUp(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  response.on('close', () => left.abort());
  if (response.destroyed) left.abort();
  return left.signal;
}

/** Parses a request. Throws ConfigError with the name of the field in the message. */
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

/** Fields that clients may send although the server does not read them. */
export interface Unread {
  /** The prefix of these fields, such as `action.`. */
  at?: string;
  /** Fields that do not affect the answer. */
  aside?: readonly string[];
  /** For some fields, the values that have no effect and are therefore accepted. */
  idle?: Readonly<Record<string, readonly unknown[]>>;
}

const empty = ['null', '[]', '{}'];

/**
 * Throws ConfigError for a field that the server does not support. If the field were silently ignored, the client would
 * assume that it has an effect.
 */
export function refuseUnread(given: object, known: object, { at = '', aside = [], idle = {} }: Unread = {}): void {
  for (const [name, value] of Object.entries(given)) {
    if (Object.hasOwn(known, name) || aside.includes(name)) continue;
    const values = (Object.hasOwn(idle, name) ? idle[name] : undefined)?.map((one) => JSON.stringify(one));
    const asksNothing = [...empty, ...(values ?? [])];
    if (value === undefined || asksNothing.includes(JSON.stringify(value))) continue;
    const expected = values?.join(' or ') ?? 'nothing';
    throw new ConfigError(
      `${at}${name.slice(0, 60)}: expected ${expected}, got ${quoted(value)}; this server does not support this field, so leave it out.`,
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

/** Prints an internal error with its stack trace. Its message may contain text of a client. */
export function reportFault(error: unknown): void {
  const { stack, message } = error as Error;
  writeError(`cothink serve: ${stack ?? message}\n`);
}

export function refuse(response: ServerResponse, error: unknown): void {
  if (error instanceof LeftError) {
    response.destroy();
    return;
  }
  const { message } = error as Error;
  const status =
    error instanceof RequestError ? error.status : error instanceof BusyError ? 503 : isNamedError(error) ? 400 : 500;
  if (status === 500) reportFault(error);
  if (response.headersSent) {
    response.end();
    return;
  }
  if (status === 503) response.setHeader('Retry-After', '1');
  // Closes the connection after a request that is too large or comes from a client without permission.
  if (status === 413 || status === 401) response.setHeader('Connection', 'close');
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  send(response, status, {
    error: { message: status === 500 ? 'internal server error' : message, type, param: null, code: null },
  });
}
