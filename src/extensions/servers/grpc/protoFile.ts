// A .proto file as it is served: its definitions for grpc-js, and its descriptor, from which clients without the file
// learn its messages.
import type { ServiceDefinition } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import protobuf from 'protobufjs';
import descriptors from 'protobufjs/ext/descriptor/index.js';

export interface ProtoFile {
  name: string;
  /** The full names of the services. */
  services: readonly string[];
  /** The full names of services, methods, messages and enums, which clients can ask for. */
  symbols: ReadonlySet<string>;
  /** The full names of the messages. */
  messages: ReadonlySet<string>;
  /** The file as an encoded FileDescriptorProto. */
  descriptor: Uint8Array;
}

const fullName = ({ fullName: name }: protobuf.ReflectionObject) => name.replace(/^\./, '');

/** Describes the text of a .proto file that defines no extensions and imports no other files. */
export function protoFile(name: string, text: string): ProtoFile {
  const { root } = protobuf.parse(text, { keepCase: true });
  root.resolveAll();
  const all = nestedIn(root);
  const types = all.filter((one): one is protobuf.Type => one instanceof protobuf.Type);
  const services = all.filter((one): one is protobuf.Service => one instanceof protobuf.Service);
  const named = [...types, ...services, ...all.filter((one) => one instanceof protobuf.Enum)];
  const methods = services.flatMap((service) => service.methodsArray.map((one) => `${fullName(service)}.${one.name}`));
  const [file] = (root as unknown as { toDescriptor: (edition: string) => { file: Descriptor[] } }).toDescriptor(
    'proto3',
  ).file;
  if (!file) throw new Error(`${name}: the file has no definitions`);
  for (const message of file.messageType) complete(message, root.lookupType(`${file.package}.${message.name}`));
  return {
    name,
    services: services.map(fullName),
    symbols: new Set([...named.map(fullName), ...methods]),
    messages: new Set(types.map(fullName)),
    descriptor: descriptors.FileDescriptorProto.encode({ ...file, name } as never).finish(),
  };
}

/** The parts of a descriptor that `complete` changes. */
interface Descriptor {
  name: string;
  package: string;
  messageType: MessageDescriptor[];
}
interface MessageDescriptor {
  name: string;
  field: { name: string; typeName?: string; proto3Optional?: boolean }[];
}

/** Writes the full names of types, and the marks of optional fields, which protobufjs leaves out. */
function complete(message: MessageDescriptor, type: protobuf.Type): void {
  for (const described of message.field) {
    const field = type.fields[described.name];
    if (!field) continue;
    if (field.resolvedType) described.typeName = field.resolvedType.fullName;
    if (field.options?.['proto3_optional']) described.proto3Optional = true;
  }
}

function nestedIn(space: protobuf.NamespaceBase): protobuf.ReflectionObject[] {
  return space.nestedArray.flatMap((one) => [one, ...(one instanceof protobuf.Namespace ? nestedIn(one) : [])]);
}

/** The definition of a service in a .proto file, for a server. */
export const serviceIn = (text: string, service: string): ServiceDefinition =>
  fromJSON(protobuf.parse(text).root.toJSON(), { arrays: true, oneofs: true })[service] as ServiceDefinition;
