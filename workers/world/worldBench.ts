// Checks a visitor's world, and runs dialogues in which the visitor writes the messages. Errors in the world's code are
// returned with their line numbers instead of being thrown.
import type { Answered, TrialRequest, WorldApi } from '../../src/api/worldConnection.ts';
import { SandboxError } from '../../src/base/errors.ts';
import { Draws, streams } from '../../src/base/random.ts';
import type { Config } from '../../src/config/schema.ts';
import type { OwnWorld, WorldContent } from '../../src/config/worlds/own.ts';
import type { Grade } from '../../src/exercises/exercise.ts';
import { exerciseOf } from '../../src/exercises/exercises.ts';
import { grade } from '../../src/exercises/grade.ts';
import { protocolOf } from '../../src/records/protocol.ts';
import { playTrial } from '../../src/rollout/trial.ts';
import { checkWorld, openWorld } from '../../src/tasks/registry.ts';
import { templates } from '../../src/tasks/custom/templates.ts';
import { seated } from '../../src/tasks/steps/seats.ts';
import type { World } from '../../src/tasks/world.ts';

/** The number of problems of each level for which the check runs dialogues. */
const checked = 3;

/** Problem number `number` of a level. The problem is the same at each call. */
const problemOf = (world: World, level: number, number: number) =>
  world.draw(level, new Draws(number, streams.control, level), 'training');

async function answered<T>(work: () => Promise<T>): Promise<Answered<T>> {
  try {
    return { value: await work() };
  } catch (thrown) {
    const { message } = thrown as Error;
    return { fault: { message, line: thrown instanceof SandboxError ? thrown.line : null } };
  }
}

export class WorldBench implements WorldApi {
  templates = () => Promise.resolve(Object.values(templates));

  open = (content: WorldContent) => answered(() => checkWorld(content));

  grade(name: string, program: string): Promise<Grade> {
    const exercise = exerciseOf(name);
    if (!exercise) throw new SandboxError(`${name}: there is no such exercise.`);
    return grade(exercise, program);
  }

  check(content: WorldContent, config: Config): Promise<Answered<OwnWorld>> {
    return answered(async () => {
      const own = await checkWorld(content);
      const world = await openWorld(own);
      const protocol = protocolOf(config.agents, world);
      for (const { level } of world.levels) {
        for (let seed = 0; seed < checked; seed++) {
          const problem = problemOf(world, level, seed);
          seated(world, protocol).demonstrate(
            problem,
            new Draws(seed, streams.control, level),
            { goodPlans: 1, resultNoise: 0 },
            protocol,
          );
          const there = { ...config, world: { ...config.world, name: own.form.name, level } };
          await playTrial({ world, config: there, problem, said: { seed } });
        }
      }
      return own;
    });
  }

  play({ content, config, problem: number, said }: TrialRequest) {
    return answered(async () => {
      const world = await openWorld(await checkWorld(content));
      const { level } = config.world;
      const problem = problemOf(world, level, number);
      return playTrial({ world, config, problem, said: said ?? { seed: number } });
    });
  }
}
