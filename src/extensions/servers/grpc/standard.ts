// The two services that tools expect of every gRPC server: health checking, so that Kubernetes and load balancers know
// whether the server answers, and reflection, so that grpcurl needs no .proto file.
import {
  status,
  type sendUnaryData,
  type Server,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServerWritableStream,
} from '@grpc/grpc-js';
import { proto } from '../../../../cli/serve/worlds/service.ts';
import healthProto from './health.proto?raw';
import { protoFile, serviceIn, type ProtoFile } from './protoFile.ts';
import reflectionProto from './reflection.proto?raw';

/** Limits: open streams of these services, requests of one stream, and milliseconds without a request. */
const usual = { streams: 256, requests: 1_000, silentMs: 60_000 };

const versions = ['v1', 'v1alpha'] as const;
const inVersion = (version: string) =>
  reflectionProto.replace('package grpc.reflection.v1;', `package grpc.reflection.${version};`);

/** All .proto files of the server. */
const files: readonly ProtoFile[] = [
  protoFile('world.proto', proto),
  protoFile('grpc/health/v1/health.proto', healthProto),
  ...versions.map((version) => protoFile(`grpc/reflection/${version}/reflection.proto`, inVersion(version))),
];
const services = files.flatMap((file) => file.services);

const serving = { SERVING: 1, SERVICE_UNKNOWN: 3 } as const;

interface HealthAsked {
  service?: string;
}
interface HealthTold {
  status: number;
}

/** A request of reflection: `messageRequest` is the name of the field that is set. */
export interface ReflectionAsked {
  host?: string;
  messageRequest?: string;
  fileByFilename?: string;
  fileContainingSymbol?: string;
  fileContainingExtension?: { containingType?: string };
  allExtensionNumbersOfType?: string;
}

/** A call of a client that may be refused. */
type Call = Pick<ServerUnaryCall<unknown, unknown>, 'metadata'>;

/**
 * Adds both services to a server. Health checks need no token, because Kubernetes cannot send one; they only say that the
 * server answers. `permits` returns whether a client may use reflection.
 */
export function addStandardServices(
  server: Server,
  permits: (call: Call) => boolean,
  limits: Partial<typeof usual> = {},
): void {
  const most = { ...usual, ...limits };
  let open = 0;
  /** Counts a stream until it ends; returns false, and ends the stream, if there are too many. */
  const entered = (stream: ServerWritableStream<unknown, unknown> | ServerDuplexStream<unknown, unknown>): boolean => {
    if (open >= most.streams) {
      fail(
        stream,
        status.RESOURCE_EXHAUSTED,
        `the maximum of ${most.streams} open streams is reached; try again in a moment.`,
      );
      return false;
    }
    open++;
    let isOpen = true;
    const left = () => {
      if (isOpen) open--;
      isOpen = false;
    };
    stream.on('cancelled', left).on('close', left).on('finish', left).on('error', left);
    return true;
  };
  server.addService(tolerant(healthProto, 'grpc.health.v1.Health'), {
    Check: ({ request }: ServerUnaryCall<HealthAsked, HealthTold>, reply: sendUnaryData<HealthTold>) => {
      const { service = '' } = request;
      if (isService(service)) reply(null, { status: serving.SERVING });
      else reply({ code: status.NOT_FOUND, details: `service: expected one of ${services.join(', ')}, or no name.` });
    },
    Watch: (stream: ServerWritableStream<HealthAsked, HealthTold>) => {
      const { service = '' } = stream.request;
      // The status never changes, so the stream stays open until the client or the server ends it.
      if (entered(stream)) stream.write({ status: isService(service) ? serving.SERVING : serving.SERVICE_UNKNOWN });
    },
  });
  for (const version of versions)
    server.addService(tolerant(inVersion(version), `grpc.reflection.${version}.ServerReflection`), {
      ServerReflectionInfo: (stream: ServerDuplexStream<ReflectionAsked, object>) => {
        if (!permits(stream)) {
          fail(
            stream,
            status.UNAUTHENTICATED,
            'authorization: expected “Bearer” and the token that the server was started with.',
          );
          return;
        }
        if (entered(stream)) reflect(stream, most);
      },
    });
}

/** Whether the server has a service of this name; the empty name means the whole server. */
const isService = (name: string) => name === '' || services.includes(name);

/** Answers the requests of a stream. A client that does not read its answers is not read either. */
function reflect(stream: ServerDuplexStream<ReflectionAsked, object>, { requests, silentMs }: typeof usual): void {
  let asked = 0;
  const clock = setTimeout(() => stream.end(), silentMs);
  stream.on('data', (request: ReflectionAsked) => {
    clock.refresh();
    if (++asked > requests) {
      fail(stream, status.RESOURCE_EXHAUSTED, `the stream: expected at most ${requests} requests; open another one.`);
      return;
    }
    if (stream.write(reflected(request))) return;
    stream.pause();
    stream.once('drain', () => stream.resume());
  });
  const over = () => clearTimeout(clock);
  stream.on('end', () => {
    over();
    stream.end();
  });
  stream.on('cancelled', over).on('close', over).on('error', over);
}

/** The answer to a request of reflection. Errors are part of the answer. */
export function reflected(request: ReflectionAsked): object {
  return { validHost: request.host ?? '', originalRequest: request, ...toldOf(request) };
}

function toldOf(request: ReflectionAsked): object {
  const { fileByFilename: name, fileContainingSymbol: symbol = '', allExtensionNumbersOfType: type = '' } = request;
  switch (request.messageRequest) {
    case 'listServices':
      return { listServicesResponse: { service: services.map((one) => ({ name: one })) } };
    case 'fileByFilename':
      return fileTold(
        files.find((file) => file.name === name),
        `the file ${name}`,
      );
    case 'fileContainingSymbol':
      return fileTold(
        files.find(({ symbols }) => symbols.has(symbol)),
        `the symbol ${symbol}`,
      );
    case 'allExtensionNumbersOfType':
      return files.some(({ messages }) => messages.has(type))
        ? { allExtensionNumbersResponse: { baseTypeName: type, extensionNumber: [] } }
        : absent(`the message ${type}`);
    case 'fileContainingExtension':
      return absent('an extension');
    default:
      return {
        errorResponse: { errorCode: status.INVALID_ARGUMENT, errorMessage: 'the request: expected a question.' },
      };
  }
}

const fileTold = (file: ProtoFile | undefined, what: string) =>
  file ? { fileDescriptorResponse: { fileDescriptorProto: [file.descriptor] } } : absent(what);

const absent = (what: string) => ({
  errorResponse: { errorCode: status.NOT_FOUND, errorMessage: `${what.slice(0, 100)} does not exist on this server.` },
});

function fail(stream: { emit: (event: 'error', error: object) => boolean }, code: number, details: string): void {
  stream.emit('error', { code, details });
}

/** The definition of a service that reads bytes that are no message as an empty message. */
function tolerant(text: string, service: string) {
  return Object.fromEntries(
    Object.entries(serviceIn(text, service)).map(([name, method]) => [
      name,
      {
        ...method,
        requestDeserialize: (bytes: Buffer): object => {
          try {
            return method.requestDeserialize(bytes) as object;
          } catch {
            return {};
          }
        },
      },
    ]),
  );
}
