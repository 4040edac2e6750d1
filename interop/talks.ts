// The context of an agent when it speaks, in two forms: the text from the turn loop of training, and the chat messages
// from which the template of an exported model must produce the same text. Texts that the world shows are system
// messages.
import { Draws, streams } from '../src/base/random.ts';
import type { Role } from '../src/records/ids.ts';
import type { Problem } from '../src/records/problem.ts';
import type { Reaction } from '../src/records/trajectory.ts';
import { readTerminated } from '../src/text/chatTemplate.ts';
import type { Team } from '../src/training/team/team.ts';
import { Episodes } from '../cli/serve/worlds/episodes.ts';

interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
  name?: string;
}

export interface Talk {
  context: string;
  messages: Message[];
}

/** A message and the world's answer to it. */
interface Said {
  agent: number;
  text: string;
  reaction: Reaction | undefined;
}

const seed = 7;

/** Returns the dialogue before an agent's second turn, or before its only one. */
export async function talkOf(team: Team, agent: number): Promise<Talk> {
  const { world, protocol, config } = team;
  const { level } = config.world;
  const problem = world.draw(level, new Draws(seed, streams.problems, level), 'training');
  const words = wordsOf(team, problem);
  const episodes = new Episodes(team, () => 0);
  let now = await episodes.reset('interop', { seed });
  const opening = await world.open?.(problem);
  let state: unknown = opening?.state ?? null;
  const said: Said[] = [];
  let context = '';
  let heard: readonly Said[] = [];
  for (let round = 0; round < 2 && !now.isDone; round++) {
    for (const set of protocol.round) {
      // Simultaneous speakers hear only the messages before their set.
      const before = [...said];
      for (const speaker of set) {
        if (now.isDone) break;
        if (now.agent !== speaker) throw new Error(`agent ${speaker} was to speak, not ${now.agent}`);
        if (speaker === agent) [context, heard] = [now.heard, before];
        const text = words(speaker, round);
        const reaction = await world.react?.(problem, state, {
          role: protocol.roles[speaker] as Role,
          agent: speaker,
          text,
          isFinish: false,
        });
        state = reaction ? reaction.state : state;
        said.push({ agent: speaker, text, reaction });
        now = await episodes.step(now.episode, { text, isFinish: false });
      }
    }
  }
  return { context, messages: [...questionOf(team, problem, agent), ...heardBy(team, agent, { heard, opening })] };
}

/** Returns the message of an agent in a round: the demonstrated one, repeated if the demonstration is shorter. */
function wordsOf({ world, protocol, settings }: Team, problem: Problem): (agent: number, round: number) => string {
  const options = { goodPlans: 1, resultNoise: 0, rounds: settings.roundLimit };
  const all = world.demonstrate(problem, new Draws(seed, streams.demonstrations, 0), options, protocol);
  return (agent, round) => {
    const own = all.filter((one) => one.agent === agent);
    return readTerminated(own[round % own.length]?.message ?? '').text;
  };
}

/** Returns the question, after the part of it that is hidden from others. */
function questionOf({ world, protocol }: Team, problem: Problem, agent: number): Message[] {
  const [start, end] = ['<bos>', '<eot>'];
  const prompt = world.view(problem, protocol.sees[agent] ?? []).slice(start.length, -end.length);
  const before = prompt.slice(0, prompt.lastIndexOf(problem.shown));
  const hidden = before.trim() === '' ? '' : before;
  const content = prompt.slice(hidden.length);
  return [...(hidden ? [{ role: 'system' as const, content: hidden }] : []), { role: 'user', content }];
}

/** Returns the messages that an agent heard and the texts that the world showed to it. */
function heardBy(
  { protocol: { roles, hears, context } }: Team,
  agent: number,
  { heard, opening }: { heard: readonly Said[]; opening: Reaction | undefined },
): Message[] {
  const shown = (reaction: Reaction | undefined): Message[] => {
    const { text = '', readers } = reaction?.observation ?? {};
    return text !== '' && (readers?.includes(agent) ?? true) ? [{ role: 'system', content: text }] : [];
  };
  const isFresh = context === 'fresh';
  const isSeen = isFresh && heard.some(({ reaction }) => shown(reaction).length > 0);
  // With a fresh context, only the newest message of each agent is kept, because earlier ones are no longer read.
  const kept = heard.filter((one, i) => !isFresh || !heard.slice(i + 1).some((later) => later.agent === one.agent));
  return [
    ...(isSeen ? [] : shown(opening)),
    ...kept.flatMap(({ agent: speaker, text, reaction }) => [
      ...(speaker === agent
        ? [{ role: 'assistant' as const, content: text }]
        : (hears?.[agent]?.includes(speaker) ?? true)
          ? [{ role: 'user' as const, name: roles[speaker] ?? '', content: text }]
          : []),
      ...shown(reaction),
    ]),
  ];
}
