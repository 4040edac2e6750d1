// What an agent has before it when it speaks, in two forms: the text by the turn loop that training runs, and the chat
// messages from which the template of an exported model must write the same.
import { Draws, streams } from '../src/base/random.ts';
import type { Team } from '../src/training/team/team.ts';
import { Episodes } from '../cli/serve/worlds/episodes.ts';

export interface Talk {
  context: string;
  messages: { role: 'system' | 'user' | 'assistant'; content: string; name?: string }[];
}

const seed = 7;
const words = ['4*2', '7+8', '1+9', '5', '3*6', '2'];

/** The talk before an agent's second turn, or its only one. */
export async function talkOf(team: Team, agent: number): Promise<Talk> {
  const { world, protocol, config } = team;
  const { level } = config.world;
  const problem = world.draw(level, new Draws(seed, streams.problems, level), 'training');
  const [start, end] = ['<bos>', '<eot>'];
  const prompt = world.view(problem, protocol.sees[agent] ?? []);
  const hidden = prompt.slice(start.length, -(problem.shown.length + end.length));
  const episodes = new Episodes(team, () => 0);
  let now = await episodes.reset('interop', { seed });
  const said: { agent: number; text: string }[] = [];
  let context = '';
  let heard: typeof said = [];
  let spoken = 0;
  for (let round = 0; round < 2 && !now.isDone; round++) {
    for (const set of protocol.round) {
      // Who speaks at once hears what was said before all of them.
      const before = [...said];
      for (const speaker of set) {
        if (now.isDone) break;
        if (now.agent !== speaker) throw new Error(`agent ${speaker} was to speak, not ${now.agent}`);
        if (speaker === agent) [context, heard] = [now.heard, before];
        const text = words[spoken++ % words.length] as string;
        said.push({ agent: speaker, text });
        now = await episodes.step(now.episode, { text, isFinish: false });
      }
    }
  }
  const hears = protocol.hears?.[agent];
  return {
    context,
    messages: [
      ...(hidden ? [{ role: 'system' as const, content: hidden }] : []),
      { role: 'user', content: problem.shown },
      ...heard
        .filter((one) => one.agent === agent || (hears?.includes(one.agent) ?? true))
        .map(({ agent: speaker, text }) =>
          speaker === agent
            ? { role: 'assistant' as const, content: text }
            : { role: 'user' as const, name: protocol.roles[speaker] ?? '', content: text },
        ),
    ],
  };
}
