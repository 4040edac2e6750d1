// A world in plain words: its messages and observations are English, as language models read and write them.
import { kinFacts } from '../../config/protocols/registry.ts';
import type { Config } from '../../config/schema.ts';
import type { Problem } from '../../records/problem.ts';
import type { Protocol } from '../../records/protocol.ts';
import type { Reaction } from '../../records/trajectory.ts';
import { endOfTurn, finishWord, readTerminated, withoutFinish } from '../../text/chatTemplate.ts';
import type { Demonstrated, InWords, PromptsAround, SpeakerInWords, Utterance, World } from '../world.ts';
import { dutyOf, expectPromptNames, usualPrompts } from './prompts.ts';

/** A world that agents can talk about in plain words. */
export type WordsWorld = World & { inWords: InWords };

/**
 * The same world with messages and observations in plain words. Messages are converted before the world judges them; a
 * message that does not have exactly the requested form earns no reward for its form.
 */
export function worldInWords(world: WordsWorld, protocol: Protocol): WordsWorld {
  const { inWords, open, react } = world;
  // Messages of a visitor's own protocol arrive as if two agents had sent them (tasks/steps/seats.ts), so that the number
  // of an agent may belong to another role.
  const agentOf = ({ agent = 0, role }: Utterance) =>
    protocol.roles[agent] === role ? agent : Math.max(0, protocol.roles.indexOf(role));
  const read = (problem: Problem, message: Utterance) => {
    const said = { ...message, duty: dutyOf(protocol, agentOf(message)), text: withoutFinish(message.text) };
    // A message that only ends the dialogue is left as it is.
    const isOnlyFinish = message.isFinish && said.text === '';
    const { text, isExact } = isOnlyFinish ? { text: '', isExact: true } : inWords.fromWords(problem, said);
    return { message: { ...message, text }, isExact };
  };
  const observed = (problem: Problem, reaction: Reaction): Reaction => {
    const { observation } = reaction;
    if (!observation) return reaction;
    return { ...reaction, observation: { ...observation, text: inWords.observedInWords(problem, observation.text) } };
  };
  return {
    ...world,
    demonstrate: (problem, draws, options, asked) =>
      world.demonstrate(problem, draws, options, asked).map((one) => toldInWords(world, problem, one, asked)),
    judge: (problem, message) => world.judge(problem, read(problem, message).message),
    assess: async (problem, messages, ...how) => {
      const known = messages.map((message) => read(problem, message));
      const found = await world.assess(
        problem,
        known.map(({ message }) => message),
        ...how,
      );
      const perTurn = found.perTurn.map((turn, at) =>
        known[at]?.isExact === false && turn.parts['format'] ? { ...turn, parts: { ...turn.parts, format: 0 } } : turn,
      );
      return { ...found, perTurn };
    },
    ...(open && { open: async (problem: Problem) => observed(problem, await open(problem)) }),
    ...(react && {
      react: async (problem: Problem, state: unknown, message: Utterance) =>
        observed(problem, await react(problem, state, read(problem, message).message)),
    }),
  };
}

function toldInWords({ inWords }: WordsWorld, problem: Problem, shown: Demonstrated, protocol: Protocol): Demonstrated {
  const { text, isFinish } = readTerminated(shown.message);
  const { agent, role, duty } = speakerAt(protocol, shown.agent);
  const words = text.trim() === '' && isFinish ? '' : inWords.toWords(problem, { role, agent, duty, text });
  return { ...shown, message: `${words}${isFinish ? ` ${finishWord}` : ''}`.trim() + endOfTurn };
}

/** The agent that reads a chat. */
export function speakerAt(
  { roles, sees, ...protocol }: Pick<Protocol, 'roles' | 'sees' | 'round' | 'hasSteps'>,
  agent: number,
): Omit<SpeakerInWords, 'heard'> {
  const role = roles[agent] as Protocol['roles'][number];
  return { agent, role, duty: dutyOf({ roles, ...protocol }, agent), sees: sees[agent] ?? [] };
}

/** The texts of prompts that the settings determine. Throws ConfigError if the settings contain an unknown text. */
export function promptsAround({ agents }: Pick<Config, 'agents'>, { hidden }: Pick<World, 'hidden'>): PromptsAround {
  expectPromptNames(
    agents.prompts,
    hidden.map(({ name }) => name),
  );
  return { usual: [kinFacts(agents).prompts ?? {}, usualPrompts], chosen: agents.prompts };
}
