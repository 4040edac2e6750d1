// Demonstrations as trajectories, so that the warm start trains on exactly the rows the rollout
// would have produced.
import { Draws, streams } from '../base/random.ts';
import { agentId } from '../records/ids.ts';
import type { Trajectory, Turn } from '../records/trajectory.ts';
import { noParts } from '../rollout/dialogue.ts';
import type { Team } from './team.ts';

/** The demonstrated dialogues of one supervised step. */
export function demonstrate(team: Team, step: number): Trajectory[] {
  const { config, world, protocol, tokenizer, tokens } = team;
  const draws = new Draws(config.run.seed, streams.demonstrations, step);
  const order = protocol.round.flat();
  return Array.from({ length: config.warmStart.batchSize }, (_, index) => {
    const problem = world.draw(config.world.level, draws, 'training');
    const options = { ...config.warmStart, finishEnds: config.agents.finishEnds };
    const messages = world.demonstrate(problem, draws, options, config.agents.protocol);
    const turns = messages.map((message, i): Turn => {
      const agent = order[i % order.length] as number;
      const ids = tokenizer.encode(message);
      return {
        index: i,
        round: Math.floor(i / order.length),
        agent: agentId(agent),
        role: protocol.roles[agent] as Turn['role'],
        tokens: ids,
        logprobs: ids.map(() => 0),
        text: tokenizer.decode(ids.slice(0, -1)),
        isTruncated: false,
        isFinish: ids.at(-1) === tokens.finish,
        parts: noParts(),
        reason: '',
        reward: 0,
      };
    });
    return {
      index,
      group: index,
      problem,
      prompts: protocol.roles.map((_, agent) => team.prompt(problem, agent)),
      turns,
      finishCode: 0,
      answer: null,
      isRight: false,
      reward: 0,
    };
  });
}
