// Serves worlds over gRPC (world.proto). There are limits on bytes per message, active calls, messages per batch, and
// the duration of a call. Calls that exceed a limit are refused, so that other clients do not have to wait.
import {
  Server,
  ServerCredentials,
  status,
  type sendUnaryData,
  type ServerUnaryCall,
  type UntypedHandleCall,
} from '@grpc/grpc-js';
import { ConfigError, isNamedError } from '../../../base/errors.ts';
import type { Split, World } from '../../../tasks/world.ts';
import type { ServedWorlds } from '../../../../cli/serve/worlds/servedWorlds.ts';
import { bears, BusyError, reportFault, type RequestGuard } from '../../../../cli/serve/http.ts';
import { UnknownEpisodeError, type EpisodeState } from '../../../../cli/serve/worlds/episodes.ts';
import { answerQuestion, worldDigest } from '../../../../cli/serve/worlds/questions.ts';
import { addStandardServices } from './standard.ts';
import {
  worldService,
  type CallName,
  type Calls,
  type ServiceFault,
  type StepAsked,
  type EpisodeObservation,
} from '../../../../cli/serve/worlds/service.ts';

/** Limits: bytes per message, active calls in total and per connection, parts per batch, and milliseconds per call. */
const usual = { bytes: 4_000_000, calls: 1_024, ofConnection: 64, batch: 1_024, ms: 30_000 };
/** After this many parts of a batch, other requests are handled before the batch continues. */
const atOnce = 16;

/** Handles one call. `refuseLate` throws an error if the client no longer waits for the answer. */
type Answer<N extends CallName> = (
  asked: Calls[N][0],
  of: { client: string; refuseLate: () => void },
) => Promise<Calls[N][1]>;

/** Creates a server that is not listening yet; `limits` replaces some of the default limits. */
export function grpcServer(served: ServedWorlds, limits: Partial<typeof usual> = {}): Server {
  const most = { ...usual, ...limits };
  const server = new Server({
    'grpc.max_receive_message_length': most.bytes,
    'grpc.max_send_message_length': 4 * most.bytes,
    'grpc.max_concurrent_streams': most.ofConnection,
    'grpc.keepalive_time_ms': 20_000,
    'grpc.keepalive_timeout_ms': 10_000,
    'grpc.max_connection_idle_ms': 300_000,
    'grpc-node.max_session_memory': 16,
  });
  let underWay = 0;
  const unary =
    <N extends CallName>(answer: Answer<N>): UntypedHandleCall =>
    (call: ServerUnaryCall<Calls[N][0], Calls[N][1]>, reply: sendUnaryData<Calls[N][1]>) => {
      const work = async (): Promise<Calls[N][1]> => {
        if (!isPermitted(call, served.guard))
          throw refused(
            status.UNAUTHENTICATED,
            'authorization: expected “Bearer” and the token that the server was started with.',
          );
        if (underWay >= most.calls)
          throw new BusyError(`the maximum of ${most.calls} active calls is reached; try again in a moment.`);
        if (call.request === unreadable)
          throw new ConfigError('the request: expected a message as defined in world.proto.');
        const end = performance.now() + most.ms;
        const refuseLate = () => {
          if (call.cancelled || performance.now() > end) throw late(most.ms);
        };
        underWay++;
        try {
          return await answer(call.request, { client: call.getPeer(), refuseLate });
        } finally {
          underWay--;
        }
      };
      endedIn(most.ms, work()).then(
        (answered) => reply(null, answered),
        (error: unknown) => reply(faultOf(error)),
      );
    };
  const handlers = handlersOf(served, most.batch);
  const tolerant = Object.fromEntries(
    Object.entries(worldService).map(([name, method]) => [
      name,
      { ...method, requestDeserialize: (bytes: Buffer) => readOr(method.requestDeserialize, bytes) },
    ]),
  );
  server.addService(tolerant, {
    Health: unary<'Health'>(handlers.Health),
    Reset: unary<'Reset'>(handlers.Reset),
    Step: unary<'Step'>(handlers.Step),
    BatchStep: unary<'BatchStep'>(handlers.BatchStep),
    Ask: unary<'Ask'>(handlers.Ask),
  });
  addStandardServices(server, (call) => isPermitted(call, served.guard));
  return server;
}

/** Starts listening, and returns the port. Throws ConfigError if the port is unavailable. */
export function grpcListening(server: Server, port: number, host: string): Promise<number> {
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    server.bindAsync(place, ServerCredentials.createInsecure(), (error, taken) => {
      if (error)
        reject(
          new ConfigError(
            `--grpc: ${port} is not available on ${host} (${error.message}); choose another port, or 0 for any free port.`,
          ),
        );
      else resolve(taken);
    });
  });
}

/** The functions that handle the calls, without authorization. */
export function handlersOf(served: ServedWorlds, batch = usual.batch): { [N in CallName]: Answer<N> } {
  const digests = new Map(served.list.map(({ world, options }) => [world.name, worldDigest(world, options)]));
  const step = ({ episode, text, finish }: StepAsked) =>
    served.ofEpisode(episode).episodes.step(episode, { text, isFinish: finish });
  return {
    Health: ({ world: asked }) => {
      const { world, episodes } = served.named(asked);
      const { protocol, config } = episodes.team;
      return Promise.resolve({
        world: world.name,
        level: config.world.level,
        levels: world.levels.length,
        protocol: protocol.name,
        roles: [...protocol.roles],
        episodes: served.count,
        digest: digests.get(world.name) ?? '',
        worlds: served.names,
      });
    },
    Reset: async ({ seed, level, split, world }, { client }) =>
      observed(
        await served.named(world).episodes.reset(client, {
          ...(seed !== undefined && { seed }),
          ...(level !== 0 && { level }),
          ...(split && { split: split as Split }),
        }),
      ),
    Step: async (asked) => observed(await step(asked)),
    BatchStep: async ({ steps }, { refuseLate }) => ({
      replies: await inParts(few('steps', steps, batch), refuseLate, (asked) =>
        step(asked).then(
          (standing) => ({ observation: observed(standing) }),
          (error: unknown) => ({ fault: faultOf(error) }),
        ),
      ),
    }),
    Ask: async ({ questions }, { refuseLate }) => ({
      answers: await inParts(few('questions', questions, batch), refuseLate, async ({ call, given }) => {
        const asked = parsed(given);
        return JSON.stringify(await answerQuestion(worldFor(asked, served), call, asked));
      }),
    }),
  };
}

/** The world to which a question belongs; the first world if the question names no served world. */
function worldFor(asked: unknown, { list }: ServedWorlds): World {
  const name = (asked as { problem?: { world?: unknown } } | null)?.problem?.world;
  return (list.find(({ world }) => world.name === name) ?? list[0]).world;
}

/** Returns the parts of a batch. Throws ConfigError if there are too many parts. */
function few<Part>(name: string, parts: readonly Part[], batch: number): readonly Part[] {
  if (parts.length <= batch) return parts;
  throw new ConfigError(
    `${name}: expected at most ${batch}, got ${parts.length}; divide the batch into several calls.`,
  );
}

/** Handles the parts of a batch in order. Between some of the parts, other requests are handled. */
async function inParts<Part, Reply>(
  parts: readonly Part[],
  refuseLate: () => void,
  answer: (part: Part) => Promise<Reply>,
): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (let from = 0; from < parts.length; from += atOnce) {
    refuseLate();
    replies.push(...(await Promise.all(parts.slice(from, from + atOnce).map(answer))));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return replies;
}

const observed = ({ isDone, agent, answer, ...standing }: EpisodeState): EpisodeObservation => ({
  ...standing,
  ...{ done: isDone, agent: agent ?? 0, answer: answer ?? '' },
});

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw new ConfigError('given: expected JSON.');
  }
}

/** A placeholder for bytes that cannot be decoded to a message, because grpc-js requires a value for each call. */
const unreadable = {};

function readOr<T>(deserialise: (bytes: Buffer) => T, bytes: Buffer): T | typeof unreadable {
  try {
    return deserialise(bytes);
  } catch {
    return unreadable;
  }
}

const isPermitted = ({ metadata }: Pick<ServerUnaryCall<unknown, unknown>, 'metadata'>, guard: RequestGuard) =>
  guard === 'thisMachine' || (guard !== 'nobody' && bears(metadata.get('authorization')[0]?.toString(), guard.token));

/** An error with a gRPC status code. */
class StatusError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
const refused = (code: number, message: string) => new StatusError(code, message);
const late = (ms: number) =>
  refused(status.DEADLINE_EXCEEDED, `the call: expected to end within ${ms / 1000} s; request less in one call.`);

/**
 * Resolves with the result of the task, or rejects with a timeout error. The task itself continues after the timeout.
 */
function endedIn<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const clock = setTimeout(() => reject(late(ms)), ms);
    void work.then(resolve, reject).finally(() => clearTimeout(clock));
  });
}

/**
 * The gRPC code and the message for an error. If the error is internal, its details are printed on the server, and the
 * client receives only a general message.
 */
export function faultOf(error: unknown): ServiceFault {
  const { message } = error as Error;
  if (error instanceof StatusError) return { code: error.code, message };
  if (error instanceof UnknownEpisodeError) return { code: status.NOT_FOUND, message };
  if (error instanceof BusyError) return { code: status.RESOURCE_EXHAUSTED, message };
  if (isNamedError(error)) return { code: status.INVALID_ARGUMENT, message };
  reportFault(error);
  return { code: status.INTERNAL, message: 'internal server error' };
}
