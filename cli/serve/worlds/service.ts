// The service of world.proto for grpc-js: its definition for server and client, and the types of its messages.
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import protobuf from 'protobufjs';
import proto from './world.proto?raw';

export interface EpisodeObservation {
  episode: string;
  turns: number;
  done: boolean;
  agent: number;
  role: string;
  heard: string;
  mayFinish: boolean;
  reward: number;
  rewards: number[];
  reasons: string[];
  answer: string;
  isRight: boolean;
  seed: number;
}
export interface ServiceFault {
  code: number;
  message: string;
}
export interface StepAsked {
  episode: string;
  text: string;
  finish: boolean;
}

/** The types of the request and the reply of each call. */
export interface Calls {
  Health: [
    { world?: string },
    {
      world: string;
      level: number;
      levels: number;
      protocol: string;
      roles: string[];
      episodes: number;
      digest: string;
      worlds: string[];
    },
  ];
  Reset: [{ seed?: number; level: number; split: string; world?: string }, EpisodeObservation];
  Step: [StepAsked, EpisodeObservation];
  BatchStep: [{ steps: StepAsked[] }, { replies: ({ observation: EpisodeObservation } | { fault: ServiceFault })[] }];
  Ask: [{ questions: { call: string; given: string }[] }, { answers: string[] }];
}
export type CallName = keyof Calls;

/** The text of world.proto, from which developers of clients can generate code. */
export { proto };

export type Method<N extends CallName> = MethodDefinition<Calls[N][0], Calls[N][1]>;
type WorldService = { [N in CallName]: Method<N> } & ServiceDefinition;

export const worldService = fromJSON(protobuf.parse(proto).root.toJSON(), {
  defaults: true,
  arrays: true,
  oneofs: true,
})['cothink.world.v1.World'] as unknown as WorldService;
