// A door of `cothink serve` is a protocol through which clients access the server. Each door is in
// src/extensions/servers/NAME: `facts.ts` is plain data for the help, and `door.ts` answers requests.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Session } from '../../src/training/run/session.ts';
import type { CommandArguments, CommandOption } from '../command.ts';
import { hungUp, posted, send, type RequestGuard } from './http.ts';
import type { ServedModels } from './model.ts';
import type { ServedWorlds } from './worlds/servedWorlds.ts';

export interface DoorFacts {
  name: string;
  /** The sort key in lists. */
  order: number;
  /** Options that only this door accepts; they can only be used if a world is served. */
  options?: Readonly<Record<string, CommandOption>>;
  example?: readonly [line: string, does: string];
}

/** Everything that the server serves. */
export interface Serving {
  /** The models that are served; null if there are none. */
  models: ServedModels | null;
  /**
   * The session of the run whose models are served, if a verifier is trained in this run. If it is null, no verifier is
   * served.
   */
  session: Session | null;
  /** The worlds that are served. If it is null, no world is served, except for rewards. */
  worlds: ServedWorlds | null;
  /** The clients that are allowed to use more than the page. */
  guard: RequestGuard;
  /** The origins of other sites whose pages may use the server. */
  origins: ReadonlySet<string>;
}

interface Asking {
  request: IncomingMessage;
  response: ServerResponse;
  pathname: string;
  /** The seed that is used if a request contains no seed. */
  seed: number;
}

/** Answers a request of a permitted client. */
export type RouteAnswer = (serving: Serving, asking: Asking) => Promise<void>;
type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** A separate port on which a door listens. */
export interface OwnPort {
  url: string;
  close: () => void;
}

export interface Door {
  /**
   * The function that answers requests for each path; a path that ends with a slash matches all paths that begin with
   * it.
   */
  routes?: Readonly<Record<string, RouteAnswer>>;
  /** WebSockets by path, each of which checks permissions itself; null if none are served. */
  sockets?: (serving: Serving) => Readonly<Record<string, Upgrade>> | null;
  /** The available paths, in words; empty if there are none. */
  says?: (serving: Serving) => string;
  /** Throws ConfigError for an unusable option before anything is opened. */
  refuse?: (given: CommandArguments) => void;
  /** Listens on a separate port; null if no option requests one. Throws ConfigError if the port is unavailable. */
  listen?: (serving: Serving, given: CommandArguments, host: string) => Promise<OwnPort | null>;
}

interface Posted {
  body: unknown;
  request: IncomingMessage;
  /** Aborted when the client no longer waits for the response. */
  left: AbortSignal;
}

/** A route that responds to a posted JSON object. */
export const answering =
  (answer: (serving: Serving, posted: Posted) => Promise<object>): RouteAnswer =>
  async (serving, { request, response, pathname }) => {
    const body = await posted(request, pathname);
    send(response, 200, await answer(serving, { body, request, left: hungUp(response) }));
  };

/** A host in the form that a URL needs: IPv6 addresses are in brackets. */
export const hostInUrl = (host: string) => (host.includes(':') ? `[${host}]` : host);
