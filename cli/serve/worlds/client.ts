// A client of world.proto. The client has one connection, and its calls have a time limit.
import { credentials, Client, Metadata, type ServiceError } from '@grpc/grpc-js';
import { worldService, type CallName, type Calls, type Method } from './service.ts';

export class WorldClient {
  readonly #client: Client;
  readonly #metadata = new Metadata();

  constructor(address: string, token?: string) {
    this.#client = new Client(address, credentials.createInsecure(), {
      'grpc.max_receive_message_length': 16_000_000,
      // The client gets its own connection. By default, all clients of a process share one connection, and therefore
      // also the server's limit per connection.
      'grpc.use_local_subchannel_pool': 1,
      'grpc.max_reconnect_backoff_ms': 2_000,
      // Proxy settings in the environment are intended for web traffic, so they are ignored here.
      'grpc.enable_http_proxy': 0,
    });
    if (token !== undefined) this.#metadata.set('authorization', `Bearer ${token}`);
  }

  /**
   * Sends a request and waits for the answer. Rejects with a ServiceError of grpc-js, whose `code` is the gRPC status.
   */
  call<N extends CallName>(name: N, asked: Calls[N][0], deadlineMs: number): Promise<Calls[N][1]> {
    const { path, requestSerialize, responseDeserialize } = worldService[name] as unknown as Method<N>;
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        ...([path, requestSerialize, responseDeserialize, asked, this.#metadata] as const),
        { deadline: Date.now() + deadlineMs },
        (error: ServiceError | null, reply?: Calls[N][1]) => (error ? reject(error) : resolve(reply as Calls[N][1])),
      );
    });
  }

  close(): void {
    this.#client.close();
  }
}
