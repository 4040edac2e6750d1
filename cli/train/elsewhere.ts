// `train --env grpc://…`: a server (cothink serve --grpc) assesses the messages of a run, in batches. This program
// draws the problems from the seed, and the server keeps no state between calls. The run is therefore bit-identical to
// one without a server, even if either program is interrupted; only the reasons for its rewards are English text.
import { status, type ServiceError } from '@grpc/grpc-js';
import { ConfigError, WorldError } from '../../src/base/errors.ts';
import type { Config } from '../../src/config/schema.ts';
import type { WorldName } from '../../src/config/worlds/registry.ts';
import { heardPart } from '../../src/tasks/contract/spelling.ts';
import { answerFrom, coversAll } from '../../src/tasks/contract/worldFrom.ts';
import type { JudgedMessage } from '../../src/tasks/contract/worldModule.ts';
import { worldOf } from '../../src/tasks/registry.ts';
import type { Assessment, World } from '../../src/tasks/world.ts';
import type { Reaction } from '../../src/records/trajectory.ts';
import { readAnswer } from '../serve/worlds/answers.ts';
import { WorldClient } from '../serve/worlds/client.ts';
import { worldDigest, type WorldCall } from '../serve/worlds/questions.ts';

/** Maximum number of questions per call, and of simultaneous calls. */
const most = { questions: 256, calls: 8 };
const deadlineMs = { health: 5_000, ask: 35_000 };
/** Delays in milliseconds before each new attempt to call a server that did not respond. */
const waitsMs = [250, 1_000, 3_000];
const fleeting: ReadonlySet<number> = new Set([
  status.UNAVAILABLE,
  status.RESOURCE_EXHAUSTED,
  status.DEADLINE_EXCEEDED,
]);

interface Waiting {
  question: { call: WorldCall; given: string };
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

/** Extracts `host:port` from `grpc://host:port`. Throws ConfigError. */
export function grpcAddress(url: string): string {
  const address = /^grpc:\/\/((?:\[[0-9a-f:]+\]|[\w.-]+):\d{1,5})\/?$/i.exec(url)?.[1];
  if (!address) throw new ConfigError(`--env: expected grpc://HOST:PORT, got ${JSON.stringify(url.slice(0, 80))}.`);
  return address;
}

/** Provides the worlds of a run, one of which is on a server. */
export interface LivingElsewhere {
  worldOf: (config: Config) => World;
  /** Closes the connection. */
  close: () => void;
}

/**
 * Connects a run to the server at `url`, which serves the world of these settings. Throws ConfigError if the server
 * does not respond or serves another world.
 */
export async function liveElsewhere(config: Config, url: string, token?: string): Promise<LivingElsewhere> {
  const client = new WorldClient(grpcAddress(url), token);
  const world = worldOf(config);
  try {
    const { worlds } = await client.call('Health', {}, deadlineMs.health);
    const wanted = worlds.includes(config.world.name) ? { world: config.world.name } : {};
    const { world: name, digest } = await client.call('Health', wanted, deadlineMs.health);
    if (name !== config.world.name)
      throw new ConfigError(
        `--env: ${url} serves ${name}, but this run is trained in ${config.world.name}; start cothink serve --world ${config.world.name} on the server, or set world.name=${name}.`,
      );
    const options = world.options ? config[name as WorldName] : null;
    if (digest !== worldDigest(world, options))
      throw new ConfigError(
        `--env: ${url} serves ${name} with problems or options that differ from those of this run; start cothink serve there with the same version and the same --set options for ${name}.`,
      );
  } catch (error) {
    client.close();
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(
      `--env: ${url} does not answer (${(error as ServiceError).details}); start it with cothink serve --world ${config.world.name} --grpc PORT.`,
    );
  }
  const line = new QuestionLine(client, url);
  const replaced = (own: World) => (own.name === config.world.name ? remote(own, line) : own);
  return { worldOf: (settings) => worldOf(settings, replaced), close: () => client.close() };
}

/** Replaces the slow methods of a world by calls to a server. */
function remote(world: World, line: QuestionLine): World {
  return {
    ...world,
    ...(world.open && { open: (problem) => line.ask<Reaction>('open', { problem }) }),
    ...(world.react && {
      react: (problem, state, message) => line.ask<Reaction>('react', { problem, state, message: heardPart(message) }),
    }),
    judge: async (problem, message) => {
      const judged = await line.ask<JudgedMessage>('judge', { problem, message: heardPart(message) });
      const { answer, isRight, score } = answerFrom(problem, message, judged);
      return { answer, isRight, score };
    },
    assess: async (problem, messages, protocol, isOver = true) => {
      const given = { problem, messages: messages.map(heardPart), protocol, isOver };
      return ofAll(await line.ask<Assessment>('assess', given), messages.length);
    },
  };
}

/** Returns the assessment if it covers this number of messages; otherwise throws WorldError. */
function ofAll(assessment: Assessment, messages: number): Assessment {
  if (coversAll(assessment, messages)) return assessment;
  const { perTurn, potentials } = assessment;
  throw new WorldError(
    `assess: expected ${messages} turns and ${messages + 1} potentials, got ${perTurn.length} and ${potentials.length}; use the same version of cothink here and on the server.`,
  );
}

function answered(read: () => unknown, resolve: Waiting['resolve'], reject: Waiting['reject']): void {
  try {
    resolve(read());
  } catch (error) {
    reject(error as Error);
  }
}

/** Collects questions that are asked at the same time and sends them in a few calls. */
class QuestionLine {
  readonly #client: WorldClient;
  readonly #url: string;
  #waiting: Waiting[] = [];
  #underWay = 0;
  #isPlanned = false;

  constructor(client: WorldClient, url: string) {
    this.#client = client;
    this.#url = url;
  }

  /** Asks the server a question. Rejects with a WorldError if the server refuses or is unreachable. */
  ask<T>(call: WorldCall, given: object): Promise<T> {
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting.push({ question: { call, given: JSON.stringify(given) }, resolve, reject });
    });
    if (!this.#isPlanned) setImmediate(() => this.#send());
    this.#isPlanned = true;
    return answer as Promise<T>;
  }

  #send(): void {
    this.#isPlanned = false;
    while (this.#waiting.length > 0 && this.#underWay < most.calls) {
      const batch = this.#waiting.splice(0, most.questions);
      this.#underWay++;
      this.#call(batch.map(({ question }) => question))
        .then(
          (answers) =>
            batch.forEach(({ question, resolve, reject }, i) =>
              answered(() => readAnswer(question.call, answers[i]), resolve, reject),
            ),
          (error: unknown) => batch.forEach(({ reject }) => reject(error as Error)),
        )
        .finally(() => {
          this.#underWay--;
          this.#send();
        });
    }
  }

  async #call(questions: Waiting['question'][]): Promise<string[]> {
    for (let tries = 0; ; tries++)
      try {
        return (await this.#client.call('Ask', { questions }, deadlineMs.ask)).answers;
      } catch (thrown) {
        const { code, details } = thrown as ServiceError;
        const waitMs = waitsMs[tries];
        if (!fleeting.has(code)) throw new WorldError(`${this.#url}: the server refuses the request: ${details}`);
        if (waitMs === undefined)
          throw new WorldError(
            `${this.#url}: the connection to the server is lost (${details}); start cothink serve again, then continue from the last checkpoint with cothink train --resume --env ${this.#url}.`,
          );
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
  }
}
