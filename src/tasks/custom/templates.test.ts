// Tests that there is a template for every kind of dialogue, and what language models read in it. (customWorld.test.ts
// checks that each template passes the tests of worlds.)
import { expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { parseConfig } from '../../config/parse.ts';
import { kinFacts, protocolsWhere } from '../../config/protocols/registry.ts';
import { readTerminated } from '../../text/chatTemplate.ts';
import { dutyOf, usualPrompts } from '../inWords/prompts.ts';
import { inProtocol } from '../testing/trajectories.ts';
import type { HeardInWords, InWords, Utterance } from '../world.ts';
import { customWorld } from './customWorld.ts';
import { templates } from './templates.ts';

it('every protocol has exactly one template', () => {
  const served = Object.values(templates).flatMap(({ protocols }): readonly string[] => protocols);
  expect([...served].sort()).toEqual([...protocolsWhere(() => true)].sort());
});

it.each<[keyof typeof templates, HeardInWords[], string[]]>([
  [
    'planAndExecute',
    [{ role: 'metaThinking', agent: 0, isOwn: false, text: 'left far' }],
    [
      'QUESTION The way: WAY\nName the next step only. If the answer has been found, write [FINISH].',
      'QUESTION The planner says: "left far" Carry out this step and give the result only.',
    ],
  ],
  ['answer', [], ['QUESTION The numbers: NUMBERS\nGive the answer only.']],
  [
    'readAndRemember',
    [{ role: 'metaThinking', agent: 0, isOwn: false, text: 'inn' }],
    [
      'Question: QUESTION? Write a note of one word: the place that you may need, or nothing.',
      'Question: QUESTION? The note says: inn. Answer with the place only.',
    ],
  ],
  ['callAndAnswer', [], ['QUESTION The drawer to begin with: FROM\nDo the next step.']],
])('a language model can take part in %s', async (name, heard, chats) => {
  const { source, protocols } = templates[name];
  const world = await customWorld(source);
  const { chat, fromWords, toWords } = world.inWords as InWords;
  const draws = new Draws(1, streams.problems, 0);
  const problem = world.draw(1, draws, 'training');
  const known = { QUESTION: problem.shown, ...problem.hidden };
  const first = protocols[0] ?? 'own';
  const { prompts = {} } = kinFacts({ ...parseConfig({}).agents, protocol: first });
  const { roles, sees, ...protocol } = inProtocol(world, first);
  const speakerAt = (agent: number) => {
    const role = roles[agent] ?? 'reasoning';
    const own = agent === roles.length - 1 ? heard : [];
    return { agent, role, duty: dutyOf({ roles, ...protocol }, agent), sees: sees[agent] ?? [], heard: own };
  };
  const read = chats.map((_, agent) => chat(problem, speakerAt(agent), { usual: [prompts, usualPrompts], chosen: {} }));
  expect(read.map((messages) => messages.at(-1)?.content)).toEqual(
    chats.map((text) =>
      Object.entries(known).reduce((filled, [key, value]) => filled.replace(key.toUpperCase(), value), text),
    ),
  );

  for (const other of protocols)
    for (let i = 0; i < 10; i++) {
      const talk = inProtocol(world, other);
      const asked = world.draw(1, draws, 'training');
      const shown = world.demonstrate(asked, draws, { goodPlans: 0.6, resultNoise: 0.2 }, talk);
      const own = shown.map(({ agent, message }): Utterance => {
        const role = talk.roles[agent] ?? 'reasoning';
        return { ...readTerminated(message), agent, role };
      });
      const again = own.map((message): Utterance => {
        const said = { ...message, duty: dutyOf(talk, message.agent ?? 0) };
        const words = toWords(asked, said);
        expect(words).toBe(message.text.trim());
        const found = fromWords(asked, { ...said, text: words });
        expect(found.isExact).toBe(true);
        return { ...message, text: found.text };
      });
      expect(await world.assess(asked, again, talk)).toEqual(await world.assess(asked, own, talk));
    }
});
