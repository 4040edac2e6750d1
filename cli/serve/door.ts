// A door of `cothink serve`: a protocol by which clients reach what is served. Each lies in src/extensions/servers/NAME:
// `facts.ts` is plain data for the help, `door.ts` answers.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { World } from '../../src/tasks/world.ts';
import type { Session } from '../../src/training/run/session.ts';
import type { CommandArguments, CommandOption } from '../command.ts';
import { hungUp, posted, send, type RequestGuard } from './http.ts';
import type { ServedModels } from './model.ts';
import type { Episodes } from './worlds/episodes.ts';

export interface DoorFacts {
  name: string;
  /** Its place in lists. */
  order: number;
  /** Options that it alone takes; they ask for a world. */
  options?: Readonly<Record<string, CommandOption>>;
  example?: readonly [line: string, does: string];
}

export interface ServedWorld {
  episodes: Episodes;
  /** As configured by the settings. */
  world: World;
  /** The options that the settings leave enabled, if they may disable some. */
  options: unknown;
  guard: RequestGuard;
}

/** All that is served. */
export interface Serving {
  /** Null: no page is served. */
  models: ServedModels | null;
  /** The run of the models, if it trains a verifier; null: no verifier is served. */
  session: Session | null;
  /** Null: none but for rewards. */
  world: ServedWorld | null;
  /** The clients that may use more than the page. */
  guard: RequestGuard;
}

interface Asking {
  request: IncomingMessage;
  response: ServerResponse;
  pathname: string;
  /** The default for a request that names none. */
  seed: number;
}

/** Answers a request of somebody who may ask. */
export type RouteAnswer = (serving: Serving, asking: Asking) => Promise<void>;
type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** A port of its own that a door listens at. */
export interface OwnPort {
  url: string;
  close: () => void;
}

export interface Door {
  /** By path; one that ends with a slash stands for all that begin with it. */
  routes?: Readonly<Record<string, RouteAnswer>>;
  /** WebSockets by path, each of which checks itself who may ask; null where nothing is served by them. */
  sockets?: (serving: Serving) => Readonly<Record<string, Upgrade>> | null;
  /** The paths that have something to answer, in words; empty where there are none. */
  says?: (serving: Serving) => string;
  /** Throws ConfigError for an option that cannot be used, before anything is opened. */
  refuse?: (given: CommandArguments) => void;
  /** Listens at a port of its own; null where no option asks for it. Throws ConfigError where it cannot be had. */
  listen?: (serving: Serving, given: CommandArguments, host: string) => Promise<OwnPort | null>;
}

interface Posted {
  body: unknown;
  request: IncomingMessage;
  /** Aborted when no client waits for the response any more. */
  left: AbortSignal;
}

/** The response to a posted JSON object. */
export const answering =
  (answer: (serving: Serving, posted: Posted) => Promise<object>): RouteAnswer =>
  async (serving, { request, response, pathname }) => {
    const body = await posted(request, pathname);
    send(response, 200, await answer(serving, { body, request, left: hungUp(response) }));
  };

/** A host in the notation of an address. */
export const hostInUrl = (host: string) => (host.includes(':') ? `[${host}]` : host);
