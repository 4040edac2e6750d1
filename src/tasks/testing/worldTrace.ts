// Everything that a world returns for some of its problems, as text. Two worlds with the same trace are identical, bit
// for bit, except for the order of keys in records. The trace contains problems, tokens, prompts, limits,
// demonstrations, reactions, judgements and rewards.
import { Draws, streams } from '../../base/random.ts';
import type { ProtocolName } from '../../config/protocols/facts.ts';
import { parseConfig } from '../../config/parse.ts';
import type { Problem } from '../../records/problem.ts';
import { protocolOf, type Protocol } from '../../records/protocol.ts';
import type { Reaction } from '../../records/trajectory.ts';
import { readTerminated } from '../../text/chatTemplate.ts';
import { tokenizerOf, type Tokenizer } from '../../text/tokenizer.ts';
import type { DemonstrationOptions, Utterance, World } from '../world.ts';

export interface TracedLevel {
  level: number;
  protocols: readonly ProtocolName[];
  /** The number of problems per split, and the number of dialogues per protocol. */
  count: number;
}

const byKey = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;

const slipping: DemonstrationOptions = { goodPlans: 0.5, resultNoise: 0.2 };

export async function traceOf(world: World, { level, protocols, count }: TracedLevel): Promise<string[]> {
  const lines: string[] = [];
  const note = (what: string, value: unknown) => lines.push(`${what} ${JSON.stringify(value, byKey)}`);
  const tokenizers = Object.values(world.tokenizers).map(tokenizerOf);
  const names = world.hidden.map(({ name }) => name);
  for (const split of world.splits) {
    const draws = new Draws(21, streams.problems, level);
    for (let i = 0; i < count; i++) {
      const problem = world.draw(level, draws, split);
      note('problem', problem);
      note('is plain', world.isPlain?.(problem));
      if (world.read) note('typed', typed(world, problem));
      for (const sees of [[], names]) {
        const prompt = tryTo(() => world.view(problem, sees));
        note('prompt', prompt);
        for (const tokenizer of tokenizers)
          note(
            'tokens',
            tryTo(() => tokenizer.encode(prompt as string)),
          );
      }
    }
  }
  for (const name of protocols) {
    const protocol = protocolOf({ ...parseConfig({}).agents, protocol: name }, world);
    const rounds = world.limits(level, protocol).roundLimit;
    note('limits', world.limits(level, protocol));
    const draws = new Draws(22, streams.demonstrations, level);
    for (let i = 0; i < count; i++) {
      const problem = world.draw(level, draws, 'training');
      const options = { ...slipping, rounds, ...(i % 2 === 1 && { finishEnds: 'afterReply' as const }) };
      const shown = world.demonstrate(problem, draws, options, protocol);
      note('shown', shown);
      const said = shown.map(({ agent, message }) => ({ ...readTerminated(message), ...speaker(protocol, agent) }));
      for (const talk of [said, randomTalk(draws, protocol, tokenizers)]) {
        const heard = await reactedTo(world, problem, talk);
        note('heard', heard);
        for (const message of heard) note('judged', await world.judge(problem, message));
        note('assessed', await world.assess(problem, heard, protocol, i % 3 > 0));
      }
    }
  }
  return lines;
}

const speaker = ({ roles }: Protocol, agent: number) => ({ agent, role: roles[agent] ?? 'reasoning' });

/** The result of the call, or the text of its error. */
function tryTo(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * The results of reading a typed problem: first with the texts of a real problem, and then with a wrong text and no
 * hidden texts, which must be refused.
 */
const typed = (world: World, { shown, hidden, level }: Problem) => [
  tryTo(() => world.read?.({ shown, hidden }, level)),
  tryTo(() => world.read?.({ shown: `${shown} and`, hidden: {} }, level)),
];

function randomTalk(draws: Draws, protocol: Protocol, tokenizers: readonly Tokenizer[]): Utterance[] {
  return Array.from({ length: draws.below(6) }, (_, at) => {
    const tokenizer = draws.pick(tokenizers);
    const ids = Array.from({ length: draws.below(9) }, () => draws.below(tokenizer.vocabSize));
    const ends = { isFinish: draws.below(5) === 0, isTruncated: draws.below(5) === 0 };
    return { ...speaker(protocol, at % protocol.roles.length), text: tokenizer.decode(ids), ...ends };
  });
}

/** The messages with the world's reply to each, until the world ends the dialogue. */
async function reactedTo(world: World, problem: Problem, said: readonly Utterance[]): Promise<Utterance[]> {
  let newest: Reaction | undefined = await world.open?.(problem);
  const out: Utterance[] = [];
  for (const message of said) {
    if (newest?.isOver) break;
    newest = await world.react?.(problem, newest?.state ?? null, message);
    out.push(newest ? { ...message, reaction: newest } : message);
  }
  return out;
}
