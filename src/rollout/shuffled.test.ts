// Tests of which agent hears which message if messages are shuffled. The dialogues of a batch and the random numbers
// are written by hand.
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/parse.ts';
import type { ConfigInput } from '../config/schema.ts';
import { form as houseRule } from '../extensions/worlds/houseRule/form.ts';
import { protocolOf } from '../records/protocol.ts';
import { sampleProblem } from '../records/testing/arbitrary.ts';
import { worlds } from '../tasks/registry.ts';
import { loadTokenizer } from '../tasks/testing/tokenizers.ts';
import { runTrajectories } from './runTrajectories.ts';
import type { RolloutRequest } from './request.ts';
import { rolloutSettings } from './settings.ts';
import { fakePolicy } from './testing/fakePolicy.ts';
import { runTrees } from './trees.ts';
import { viewRow, viewTokens } from './view.ts';

const tokenizer = loadTokenizer();
const problems = ['1', '2', '3'].map((id) => ({ ...sampleProblem, id }));

/**
 * Every agent says a different digit in each dialogue and turn. The random number of a row determines which message is
 * heard instead.
 */
function requestOf(agents: ConfigInput['agents'], draws: readonly number[], more: Partial<RolloutRequest> = {}) {
  const config = parseConfig({ agents: { stopWhenTruncated: false, roundLimit: 2, ...agents } });
  const protocol = protocolOf(config.agents, houseRule);
  const policies = protocol.roles.map((_, agent) =>
    fakePolicy((row, turn) => tokenizer.encode(`${agent}${row}${turn}<eot>`), { maxPositions: 400 }),
  );
  const request: RolloutRequest = {
    ...{ problems, groups: [0, 1, 2], protocol, policies, settings: rolloutSettings(config, worlds.houseRule) },
    tokens: viewTokens(protocol, [tokenizer]),
    prompt: () => [],
    decode: (ids) => tokenizer.decode(ids),
    address: () => 0,
    judge: (said) => Promise.resolve(said.map((_, i) => ({ answer: '1', isRight: false, score: i / 10 }))),
    maskDraw: (row) => draws[row] ?? Number.NaN,
    ...more,
  };
  return { request, policies };
}

async function heardBy(
  listener: number,
  agents: ConfigInput['agents'],
  draws: number[],
  more: Partial<RolloutRequest> = {},
) {
  const { request, policies } = requestOf(agents, draws, more);
  const trajectories = await runTrajectories(request);
  const fed = policies[listener]?.sessions[0]?.rows.map(({ ids }) => tokenizer.decode(ids));
  return {
    trajectories,
    fed,
    views: trajectories.map((one) => tokenizer.decode(viewRow(one, listener, request.tokens).ids)),
  };
}

describe('in place of the plan', () => {
  it('the reasoner hears the plan of another problem at the same turn, and the planner what the reasoner said', async () => {
    const draws = [0, 0.6, 0.4];
    const { trajectories, fed, views } = await heardBy(1, { shuffled: 'first' }, draws);
    // Each random number selects one of the other two dialogues: row 0 gets the first of 1 and 2, row 1 the second of 0
    // and 2, and row 2 the first of 0 and 1.
    const heard = [1, 2, 0];
    const row = (own: number) =>
      [0, 1].map((round) => `<meta>0${heard[own]}${round}<eot><reason>1${own}${round}<eot>`).join('');
    expect(fed).toEqual([0, 1, 2].map(row));
    expect(views).toEqual(fed);
    expect(trajectories.map(({ turns }) => turns.map(({ text, heardAs }) => [text, heardAs?.text]))).toEqual(
      [0, 1, 2].map((own) =>
        [0, 1].flatMap((round) => [
          [`0${own}${round}`, `0${heard[own]}${round}`],
          [`1${own}${round}`, undefined],
        ]),
      ),
    );
    const planner = await heardBy(0, { shuffled: 'first' }, draws);
    expect(planner.fed?.[1]).toBe('<meta>010<eot><reason>110<eot><meta>011<eot>');
    expect(planner.views).toEqual(planner.fed);
  });

  it('stands what another dialogue says about the same problem, where there is no other problem', async () => {
    const same = { problems: problems.map(() => sampleProblem) };
    const { trajectories } = await heardBy(1, { shuffled: 'first' }, [0.99, 0.99, 0.99], same);
    expect(trajectories.map(({ turns: [plan] }) => plan?.heardAs?.text)).toEqual(['020', '020', '010']);
  });

  it('stands the plan itself in a dialogue that is held alone', async () => {
    const { trajectories, fed } = await heardBy(1, { shuffled: 'all' }, [], { problems: problems.slice(0, 1) });
    expect(trajectories[0]?.turns.some(({ heardAs }) => heardAs)).toBe(false);
    expect(fed).toEqual(['<meta>000<eot><reason>100<eot><meta>001<eot><reason>101<eot>']);
  });

  it('stands nothing where it is unheard: what is hidden is not shuffled', async () => {
    const { trajectories } = await heardBy(1, { unheard: 'first', shuffled: 'all' }, [0, 0, 0]);
    for (const { turns } of trajectories)
      expect(turns.map(({ maskedFor, heardAs }) => [maskedFor, heardAs !== undefined])).toEqual(
        turns.map(({ agent }) => ((agent as number) === 0 ? [[1], false] : [undefined, true])),
      );
  });

  it('stands what stood there, of a turn that is given with it', async () => {
    const { trajectories } = await heardBy(1, { shuffled: 'first' }, [0, 0, 0]);
    const given = trajectories.map(({ turns }) => turns.slice(0, 1));
    const again = await heardBy(1, { shuffled: 'first' }, [0.9, 0.9, 0.9], { given });
    expect(again.trajectories.map(({ turns: [plan] }) => plan)).toEqual(trajectories.map(({ turns: [plan] }) => plan));
    expect(again.trajectories.map(({ turns }) => turns[2]?.heardAs?.text)).toEqual(['021', '021', '011']);
  });
});

it('in a debate an answer of another dialogue comes with what is told of that one', async () => {
  const debate = { protocol: 'debate', count: 2, feedback: true, shuffled: 'others' } as const;
  const { trajectories, fed, views } = await heardBy(0, debate, [0, 0, 0]);
  expect(views).toEqual(fed);
  for (const { turns } of trajectories) {
    expect(turns.map(({ heardAs }) => heardAs !== undefined)).toEqual([false, true, false, true]);
    const [, answer] = turns;
    const donor = trajectories.find(({ turns: [, other] }) => other?.text === answer?.heardAs?.text);
    expect(answer?.heardAs?.feedback).toBe(donor?.turns[1]?.feedback);
  }
});

it('all lanes of a tree hear the same of another tree', async () => {
  for (const problem of [(row: number) => problems[row] ?? sampleProblem, () => sampleProblem]) {
    const asked = [0, 1, 2].map(problem);
    const { request, policies } = requestOf({ shuffled: 'first' }, [0.2, 0.8, 0.5], { problems: asked });
    const { trunks } = await runTrees(request, { candidates: 2, choose: () => Promise.resolve(1) });
    trunks.forEach((trunk, tree) => {
      const view = viewRow(trunk, 1, request.tokens);
      for (const lane of policies[1]?.sessions[0]?.rows.slice(tree * 2, tree * 2 + 2) ?? [])
        expect(lane.ids).toEqual(view.ids);
      expect(trunk.turns[0]?.heardAs?.text).not.toBe(trunk.turns[0]?.text);
    });
  }
});
