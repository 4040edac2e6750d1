// Serves worlds to clients of OpenEnv. A client either uses reset, step and state over HTTP, where each request
// contains the name of its episode, or a WebSocket at /ws, where each connection is one episode.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import * as v from 'valibot';
import { WebSocketServer, type WebSocket } from 'ws';
import { isNamedError } from '../../../base/errors.ts';
import {
  authorise,
  BusyError,
  jsonIn,
  mostBytes,
  read,
  refuseUnread,
  reportFault,
  RequestError,
} from '../../../../cli/serve/http.ts';
import { UnknownEpisodeError, type Episodes, type EpisodeState } from '../../../../cli/serve/worlds/episodes.ts';
import type { ServedWorlds } from '../../../../cli/serve/worlds/servedWorlds.ts';

/**
 * Limits: waiting requests of one WebSocket, bytes that a client may leave unread, and milliseconds between two pings.
 */
const most = { waiting: 32, unread: 4_000_000, silentMs: 30_000 };

const wholeOf = (most: number) =>
  v.pipe(
    v.number('a whole number'),
    v.integer('a whole number'),
    v.minValue(0, 'a whole number from 0'),
    v.maxValue(most, `a whole number to ${most}`),
  );
export const resetForm = v.object({
  world: v.nullish(v.string('a text')),
  seed: v.nullish(wholeOf(2 ** 32 - 1)),
  level: v.nullish(wholeOf(99)),
  split: v.nullish(v.picklist(['training', 'heldOut', 'harder'], 'training, heldOut or harder')),
});
export const actionForm = v.object({ text: v.string('a text'), finish: v.nullish(v.boolean('true or false'), false) });
const stepForm = v.object({ episode_id: v.string('a text'), action: actionForm });
const messageForm = v.object({
  type: v.picklist(['reset', 'step', 'state', 'close'], 'reset, step, state or close'),
  data: v.optional(v.record(v.string(), v.unknown(), 'an object'), {}),
});

/** An observation in the format of OpenEnv's clients. */
function observation({ episode, mayFinish, isDone, isRight, reward, ...standing }: EpisodeState) {
  const seen = { episode_id: episode, ...standing, may_finish: mayFinish, is_right: isRight };
  return { observation: { ...seen, metadata: {} }, reward, done: isDone };
}

const stateOf = ({ episode, turns, agent, reward }: ReturnType<Episodes['state']>) => ({
  episode_id: episode,
  step_count: turns,
  done: agent === null,
  reward,
});

/** Handles `POST /reset`. Throws ConfigError for a world that is not served. */
export async function reset(worlds: ServedWorlds, client: string, body: unknown): Promise<object> {
  const { world, seed, level, split } = read(resetForm, body);
  refuseUnread(body as object, resetForm.entries);
  return observation(
    await worlds.named(world).episodes.reset(client, {
      ...(seed != null && { seed }),
      ...(level != null && { level }),
      ...(split != null && { split }),
    }),
  );
}

/** Handles `POST /step`. */
export async function step(worlds: ServedWorlds, body: unknown): Promise<object> {
  const { episode_id: id, action } = read(stepForm, body);
  // Clients of OpenEnv send these fields with each message, but the fields have no effect here.
  refuseUnread(body as object, stepForm.entries, { aside: ['timeout_s', 'request_id'] });
  refuseUnread((body as { action: object }).action, actionForm.entries, { at: 'action.', aside: ['metadata'] });
  const { episodes } = worlds.ofEpisode(id);
  return observation(await episodes.step(id, { text: action.text, isFinish: action.finish ?? false }));
}

/** Answers `GET /state?episode_id=…`. */
export function state(worlds: ServedWorlds, url: string): object {
  const id = new URLSearchParams(url.split('?')[1]).get('episode_id');
  if (id === null) throw new RequestError(400, 'episode_id: expected a value, got nothing.');
  return stateOf(worlds.ofEpisode(id).episodes.state(id));
}

/** The upgrade handler for /ws. */
export function openEnvSockets(worlds: ServedWorlds, allows: (origin: string) => boolean = () => false) {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: mostBytes, perMessageDeflate: false });
  let opened = 0;
  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    try {
      authorise(request.headers, worlds.guard);
      const { origin, host } = request.headers;
      if (origin !== undefined && !allows(origin) && new URL(origin).host !== host?.toLowerCase())
        throw new RequestError(403, 'origin: expected this server, or an origin of --allow-origin.');
    } catch (error) {
      const status = error instanceof RequestError ? error.status : 400;
      // Node does not handle errors of the socket at this point. Without this listener, a client that disconnects would
      // crash the server.
      socket.on('error', () => socket.destroy());
      socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
        socket.destroy(),
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, (one) => converse(one, worlds, `socket ${opened++}`));
  };
}

/**
 * Handles the WebSocket of one client, whose episodes are counted under the name `client`. The messages are answered
 * one after another. The client is disconnected if it does not read the answers or does not reply to pings.
 */
function converse(socket: WebSocket, worlds: ServedWorlds, client: string): void {
  const own: { episode: string | null } = { episode: null };
  const close = (id: string | null) => id !== null && worlds.ofEpisode(id).episodes.close(id);
  let line: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let isAlive = true;
  const beat = setInterval(() => {
    if (!isAlive) socket.terminate();
    isAlive = false;
    socket.ping();
  }, most.silentMs);
  const tell = (type: string, data: object) => {
    if (socket.bufferedAmount > most.unread) socket.terminate();
    else socket.send(JSON.stringify({ type, data }));
  };
  const fault = (error: unknown) => {
    const { message } = error as Error;
    const code = codeOf(error);
    if (code === 'EXECUTION_ERROR') reportFault(error);
    tell('error', { code, message: code === 'EXECUTION_ERROR' ? 'internal server error' : message });
  };
  socket.on('pong', () => (isAlive = true));
  socket.on('error', () => socket.terminate());
  socket.on('close', () => {
    clearInterval(beat);
    close(own.episode);
  });
  socket.on('message', (bytes: Buffer) => {
    isAlive = true;
    if (waiting >= most.waiting) {
      fault(new BusyError(`${most.waiting} messages are waiting; read the answers before you send more.`));
      return;
    }
    waiting++;
    line = line
      .then(async () => {
        const { type, data } = read(messageForm, jsonIn('the message', bytes));
        if (type === 'close') {
          socket.close();
          return;
        }
        if (type === 'reset') {
          const begun = await reset(worlds, client, data);
          close(own.episode);
          own.episode = (begun as { observation: { episode_id: string } }).observation.episode_id;
          tell('observation', begun);
          return;
        }
        if (own.episode === null) throw new UnknownEpisodeError('an episode on this connection');
        if (type === 'state') tell('state', stateOf(worlds.ofEpisode(own.episode).episodes.state(own.episode)));
        else tell('observation', await step(worlds, { episode_id: own.episode, action: data }));
      })
      .catch(fault)
      .finally(() => waiting--);
  });
}

/** The names of errors in the protocol of OpenEnv's clients. */
function codeOf(error: unknown): string {
  if (error instanceof UnknownEpisodeError) return 'SESSION_ERROR';
  if (error instanceof RequestError) return 'INVALID_JSON';
  if (error instanceof BusyError) return 'CAPACITY_REACHED';
  return isNamedError(error) ? 'VALIDATION_ERROR' : 'EXECUTION_ERROR';
}
