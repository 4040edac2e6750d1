// Serves a world over gRPC, on a separate port.
import { ConfigError } from '../../../base/errors.ts';
import type { CommandArguments } from '../../../../cli/command.ts';
import { hostInUrl, type Door } from '../../../../cli/serve/door.ts';
import { proto } from '../../../../cli/serve/worlds/service.ts';
import { grpcListening, grpcServer } from './grpc.ts';

/** The port in the option --grpc. Throws ConfigError if the port is not valid. */
function portIn(given: CommandArguments): number | undefined {
  const port = given.whole('grpc');
  if (port !== undefined && port > 65_535)
    throw new ConfigError(`--grpc: expected a number from 0 to 65535, got ${port}.`);
  return port;
}

export const door: Door = {
  routes: {
    '/world.proto': (_, { response }) =>
      Promise.resolve(
        void response
          .writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' })
          .end(proto),
      ),
  },
  refuse: (given) => void portIn(given),
  async listen({ worlds }, given, host) {
    const port = portIn(given);
    if (!worlds || port === undefined) return null;
    const server = grpcServer(worlds);
    const url = `grpc://${hostInUrl(host)}:${await grpcListening(server, port, host)}`;
    return { url, close: () => server.forceShutdown() };
  },
};
