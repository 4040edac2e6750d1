// Well-behaved clients of a served world, each over a separate connection: most take one step after the other, one in
// eight answers for sixteen dialogues in one call, and all occasionally ask for the server's status and the value of an
// answer. They check the responses: a step that is not counted, or an answer that is judged otherwise than locally, is
// an error.
import { Draws, streams } from '../../src/base/random.ts';
import { presetConfig } from '../../src/config/presets.ts';
import { worldOf } from '../../src/tasks/registry.ts';
import { WorldClient } from '../../cli/serve/worlds/client.ts';
import type { CallName, Calls, EpisodeObservation } from '../../cli/serve/worlds/service.ts';

const deadlineMs = 60_000;
/** Number of dialogues of a client that answers in batches. */
const batch = 16;
/** Number of steps between two queries. */
const askEvery = 100;
const said = '2*3';

/** The world of a question whose answer the client knows. */
const world = worldOf(presetConfig('quick'));
const problem = world.draw(1, new Draws(11, streams.problems, 1), 'training');
const message = { role: 'reasoning' as const, text: said, isFinish: false };
const question = { call: 'judge', given: JSON.stringify({ problem, message }) };
const judged = JSON.stringify(await world.judge(problem, message));

/** Records the duration of each call, by kind, and the errors. */
export class Heard {
  readonly ms = new Map<CallName, number[]>();
  readonly errors: string[] = [];
  steps = 0;

  took(name: CallName, ms: number): void {
    const own = this.ms.get(name);
    if (own) own.push(ms);
    else this.ms.set(name, [ms]);
  }
}

/** Lets this many clients take this many steps each; a client that receives a wrong response stops. */
export async function playAll(address: string, clients: number, steps: number, heard: Heard): Promise<void> {
  const play = async (index: number) => {
    const client = new WorldClient(address);
    const asked = async <N extends CallName>(name: N, given: Calls[N][0]) => {
      const from = performance.now();
      const answer = await client.call(name, given, deadlineMs);
      heard.took(name, performance.now() - from);
      return answer;
    };
    try {
      await (index % 8 === 7 ? inBatches : oneByOne)(asked, index, steps, heard);
    } catch (error) {
      heard.errors.push(`client ${index}: ${(error as Error).message}`);
    } finally {
      client.close();
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => play(index)));
}

type Asked = <N extends CallName>(name: N, given: Calls[N][0]) => Promise<Calls[N][1]>;
const stepOf = (now: EpisodeObservation) => ({
  episode: now.episode,
  text: said,
  finish: now.mayFinish && now.turns > 3,
});
const resetOf = (seed: number) => ({ seed, level: 0, split: '' });

async function oneByOne(asked: Asked, index: number, steps: number, heard: Heard): Promise<void> {
  let now: EpisodeObservation | null = null;
  for (let step = 0, seed = index * steps; step < steps; step++) {
    if (step % askEvery === 0) await askBoth(asked);
    now ??= await asked('Reset', resetOf(seed++));
    const next: EpisodeObservation = await asked('Step', stepOf(now));
    now = checked(now, next);
    heard.steps += 1;
  }
}

async function inBatches(asked: Asked, index: number, steps: number, heard: Heard): Promise<void> {
  let seed = index * steps;
  const held: (EpisodeObservation | null)[] = Array.from({ length: batch }, () => null);
  for (let step = 0; step < steps; step += batch) {
    if (step % (askEvery * batch) === 0) await askBoth(asked);
    for (const [at, one] of held.entries()) held[at] = one ?? (await asked('Reset', resetOf(seed++)));
    const begun = (held as EpisodeObservation[]).slice(0, Math.min(batch, steps - step));
    const { replies } = await asked('BatchStep', { steps: begun.map(stepOf) });
    if (replies.length !== begun.length) throw new Error(`${begun.length} steps in a batch, ${replies.length} replies`);
    for (const [at, reply] of replies.entries()) {
      if ('fault' in reply && reply.fault) throw new Error(reply.fault.message);
      held[at] = checked(begun[at] as EpisodeObservation, (reply as { observation: EpisodeObservation }).observation);
    }
    heard.steps += begun.length;
  }
}

async function askBoth(asked: Asked): Promise<void> {
  const health = await asked('Health', {});
  if (health.world !== world.name) throw new Error(`the server serves ${health.world}`);
  const { answers } = await asked('Ask', { questions: [question] });
  if (answers[0] !== judged) throw new Error(`an answer is judged ${answers[0]}, here ${judged}`);
}

/** Returns the observation to continue from, or null if the trajectory is over. Throws if the step was not counted. */
function checked(before: EpisodeObservation, after: EpisodeObservation): EpisodeObservation | null {
  if (after.episode !== before.episode || after.turns !== before.turns + 1)
    throw new Error(`turn ${before.turns} of an episode was followed by ${after.turns}`);
  return after.done ? null : after;
}
