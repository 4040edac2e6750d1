// Dialogues in steps under a visitor's protocol with several planners, as seen by worlds that support only two agents.
import { expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { plannedPair, type OwnProtocol } from '../../config/ownProtocol.ts';
import { parseConfig } from '../../config/parse.ts';
import { protocolOf } from '../../records/protocol.ts';
import { readTerminated } from '../../text/chatTemplate.ts';
import { customWorld } from '../custom/customWorld.ts';
import { templates } from '../custom/templates.ts';
import { worlds } from '../registry.ts';
import { seated } from './seats.ts';

const [planner, reasoner] = plannedPair.agents as [OwnProtocol['agents'][0], OwnProtocol['agents'][0]];
const three = { ...plannedPair, agents: [planner, { ...planner, hears: [0, 2] }, { ...reasoner, hears: [0, 1] }] };

it.each([
  ['the finisher plans first', [[0], [1], [2]]],
  ['the finisher plans last', [[1], [0], [2]]],
  ['both plan at once', [[0, 1], [2]]],
])('a solved dialogue is right if %s, whenever it ends', async (_, order) => {
  const own: OwnProtocol = { ...three, order, answer: 2 };
  for (const world of [worlds.wordProblems, worlds.algebra, worlds.code]) {
    for (const finishEnds of ['atOnce', 'afterReply'] as const) {
      const { agents } = parseConfig({});
      const protocol = protocolOf({ ...agents, protocol: 'own', own, finishEnds }, world);
      const there = seated(world, protocol);
      const draws = new Draws(3, streams.control, 1);
      for (let i = 0; i < 20; i++) {
        const problem = there.draw(1, draws, 'training');
        const said = there.demonstrate(problem, draws, { goodPlans: 1, resultNoise: 0, finishEnds }, protocol);
        const talk = said.map(({ agent, message }) => ({
          ...readTerminated(message),
          agent,
          role: protocol.roles[agent]!,
        }));
        const { isRight } = await there.assess(problem, talk, protocol);
        expect(isRight, `${world.name} ${finishEnds} ${JSON.stringify(said)}`).toBe(true);
        const unended = talk.map((message) => ({ ...message, isFinish: message.isFinish && message.agent === 1 }));
        if (world !== worlds.code)
          expect(await there.assess(problem, unended, protocol)).toMatchObject({ isRight: false });
      }
    }
  }
});

it('the speaker is given by its seat, so its observations go to the agent in this seat', async () => {
  const { source } = templates.planAndExecute;
  const world = await customWorld(source.replace("'on' : 'there' }", "'on' : 'there', readers: [message.agent] }"));
  const own: OwnProtocol = { ...three, order: [[0], [1], [2]], answer: 2 };
  const there = seated(world, protocolOf({ ...parseConfig({}).agents, protocol: 'own', own }, world));
  const problem = there.draw(1, new Draws(3, streams.control, 1), 'training');
  const said = { role: 'reasoning', agent: 2, text: ' left far', isFinish: false } as const;
  expect((await there.react!(problem, null, said)).observation?.readers).toEqual([2]);
});
