// Tests a verifier that is trained together with the agents: the verifier does not change the agents, the scores of the
// verifier are used only if this is set, and a resumed run continues from the same state.
import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import type { Trajectory, Turn } from '../../records/trajectory.ts';
import type { RememberedAnswer } from '../../records/verifier.ts';
import { onCpu } from '../testing/onCpu.ts';
import { evaluated } from '../testing/heard.ts';
import { microConfig, startRun } from '../testing/microRun.ts';
import { worldOf } from '../../tasks/registry.ts';
import { assembleTeam } from '../team/team.ts';
import { verifierBatches } from './trainedVerifier.ts';
import { answerRow } from './verifier.ts';

onCpu();

const debate = { protocol: 'debate', count: 2 } as const;
// Untrained agents are almost never right, so a sample with equal numbers of right and wrong answers would be empty.
const trained = { isTrained: true, isBalanced: false, steps: 2, batch: 8 } as const;

describe('a run with a verifier', () => {
  it('moves the verifier and leaves agents and dialogues as they are without it', async () => {
    const [plain, judged] = [await startRun({ agents: debate }), await startRun({ agents: debate, verifier: trained })];
    const before = await judged.session.checkpoint();
    await plain.session.train(2);
    await judged.session.train(2);
    const [without, after] = [await plain.session.checkpoint(), await judged.session.checkpoint()];
    expect(after.networks).toEqual(without.networks);
    expect(without.verifier).toBeUndefined();
    expect(after.verifier?.network.updates).toBe(4);
    after.verifier?.network.weights.forEach(({ name, values }, i) =>
      expect(values, name).not.toEqual(before.verifier?.network.weights[i]?.values),
    );
    const unjudged = judged
      .collected()
      .map((list) =>
        list.map((trajectory) => ({ ...trajectory, turns: trajectory.turns.map(({ belief: _, ...turn }) => turn) })),
      );
    expect(unjudged).toEqual(plain.collected());
    expect(evaluated(judged.events)).toEqual(evaluated(plain.events));
  });

  it('scores every answer, says after each iteration how far it could be believed, and remembers as many as it should', async () => {
    const run = await startRun({ agents: debate, verifier: { ...trained, memory: 2 } });
    await run.session.train(3);
    const { verifier } = await run.session.checkpoint();
    expect(new Set(verifier?.answers.map(({ iteration }) => iteration))).toEqual(new Set([1, 2]));
    for (const { metrics, trajectories } of run.store.iterations.filter(({ trajectories: { length } }) => length > 0)) {
      const turns = trajectories.flatMap((trajectory) => trajectory.turns);
      for (const { belief } of turns) expect(belief).toBeGreaterThan(0);
      const { bins, questions } = metrics.reliability ?? { bins: [] };
      expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(turns.length);
      expect(bins.reduce((sum, { right }) => sum + right, 0)).toBe(turns.filter(({ isRight }) => isRight).length);
      expect(questions).toBe(new Set(trajectories.map(({ problem }) => problem.id)).size);
      for (const name of ['losses/verifier', 'losses/verifier_training', 'charts/verifier_calibration_error'])
        expect(metrics.values[name], name).toBeGreaterThan(0);
    }
  });
});

describe('a verifier of plan and reason', () => {
  it('reads the question with its rule and the dialogue to its end, and learns whether that was right', async () => {
    const run = await startRun({
      verifier: { ...trained, reward: 0.5 },
      reward: { rightAnswer: 0, finished: 0 },
      houseRule: { rewrite: 0, legalOperation: 0 },
    });
    await run.session.train(1);
    const { team } = run.session.trainState;
    const { verifier } = await run.session.checkpoint();
    const trajectories = run.collected()[0] ?? [];
    expect(verifier?.answers).toHaveLength(trajectories.length);
    expect(verifier?.network.updates).toBe(2);
    trajectories.forEach((trajectory, i) => {
      const { problem, turns, isRight } = trajectory;
      const question = team.tokenizer.encode(team.world.view(problem, Object.keys(problem.hidden)));
      const said = turns.flatMap(({ role, tokens, isTruncated }) => [
        ...team.tokens.headers[role],
        ...tokens,
        ...(isTruncated ? [team.tokens.endOfTurn] : []),
      ]);
      expect(verifier?.answers[i]).toEqual({
        ...{ iteration: 0, question: problem.id, isRight, start: question.length },
        tokens: [...question, ...said],
      });
      // The score of an untrained verifier is one half. If turns count as steps, only the last turn is scored.
      expect(turns.map(({ belief }) => belief)).toEqual(
        turns.map((_, at) => (at === turns.length - 1 ? 0.5 : undefined)),
      );
      expect(trajectory.reward).toBe(0.25);
    });
    await run.session.dispose();
  });
});

describe('the word of a verifier', () => {
  const rewards = async (settings: ConfigInput) => {
    const run = await startRun({ ...settings, learning: { problemsPerIteration: 2, ...settings.learning } });
    await run.session.train(1);
    const [trajectories] = run.collected();
    await run.session.dispose();
    return trajectories ?? [];
  };

  it('is paid at each answer, as much as its weight says', async () => {
    const pay = { rightAnswer: 0, finished: 0, across: 'own', over: 'dense' } as const;
    const houseRule = { rewrite: 0, legalOperation: 0 };
    const learning = { groupKey: 'problem+agent' } as const;
    for (const { turns } of await rewards({
      agents: debate,
      reward: pay,
      houseRule,
      learning,
      verifier: { ...trained, reward: 0.5 },
    }))
      for (const { reward } of turns) expect(reward).toBe(0.25); // an untrained verifier gives one half
  });

  it('is what the debaters are told where it gives the feedback; right stays what the world says', async () => {
    const agents = { ...debate, feedback: true };
    const told = async (feedback: 'world' | 'verifier') =>
      (await rewards({ agents, verifier: { ...trained, feedback } })).flatMap(({ turns }) => turns);
    for (const { feedback, belief, isRight, score } of await told('verifier')) {
      expect([feedback, belief]).toEqual([1, 0.5]); // one half means "likely wrong"
      expect(isRight).toBe(score === 1);
    }
    expect(new Set((await told('world')).map(({ feedback }) => feedback))).toEqual(new Set([0]));
  });

  it('decides what the team answers where it is to', async () => {
    const trajectories = await rewards({ agents: debate, verifier: { ...trained, decides: true } });
    for (const { turns } of trajectories) for (const { belief } of turns) expect(belief).toBe(0.5);
    const world = worldOf(microConfig({ agents: debate }));
    for (const { problem, turns, answer } of trajectories) {
      const newest = [0, 1].map((agent) => turns.findLast((turn) => turn.agent === agent) as Turn);
      const given = await Promise.all(newest.map((turn) => world.judge(problem, turn)));
      // The untrained verifier gives all answers the same score. If scores are equal, the first answer becomes the
      // answer of the team.
      expect(answer).toBe(given.find((one) => one.answer !== null)?.answer ?? null);
    }
  });

  it('comes from the talk up to an answer and nothing that is hidden, where it decides', async () => {
    const verifier = { ...trained, decides: true };
    const [trajectory] = await rewards({ agents: debate, verifier });
    const { problem, turns } = trajectory as Trajectory;
    const team = assembleTeam(microConfig({ agents: debate, verifier }));
    const said = ({ role, tokens }: Turn) => [...team.tokens.headers[role], ...tokens];
    const [first, second, third] = turns as [Turn, Turn, Turn];
    const question = team.tokenizer.encode(team.world.view(problem, []));
    const before = [...question, ...said(first), ...said(second)];
    expect(answerRow({ problem, turns }, third, team).tokens).toEqual([...before, ...said(third)]);
    // This answer is simultaneous with the first one, so neither agent has heard the other.
    expect(answerRow({ problem, turns }, second, team).tokens).toEqual([...question, ...said(second)]);
  });

  it('is asked while a measurement holds training still', async () => {
    const run = await startRun({
      agents: { ...debate, feedback: true },
      verifier: { ...trained, feedback: 'verifier' },
    });
    const training = run.session.train(2);
    const { problems } = await run.session.evaluate();
    expect(problems).toBe(8);
    await training;
  });
});

describe('what a verifier learns from', () => {
  const answers = Array.from({ length: 40 }, (_, i): RememberedAnswer => ({
    ...{ iteration: 0, question: `q${i % 5}`, tokens: [1, 2], start: 1 },
    isRight: i % 5 === 0 || (i % 5 !== 4 && i % 7 === 0), // q0: all are right; q4: all are wrong
  }));
  const config = (verifier: ConfigInput['verifier']) =>
    microConfig({ agents: debate, verifier: { isTrained: true, ...verifier } });

  it('is as many right as wrong answers to each question, in each pass', () => {
    const pass = verifierBatches(answers, config({ steps: 1, batch: 4096 }), 3).flat();
    expect(pass.length).toBeGreaterThan(0);
    for (const question of ['q1', 'q2', 'q3']) {
      const own = pass.map((at) => answers[at]).filter((answer) => answer?.question === question);
      expect(own.length).toBeGreaterThan(0);
      expect(own.filter((answer) => answer?.isRight)).toHaveLength(own.length / 2);
    }
    expect(pass.some((at) => ['q0', 'q4'].includes(answers[at]?.question ?? ''))).toBe(false);
    expect(new Set(pass).size).toBe(pass.length);
  });

  it('is everything without balance, again and again, in an order of each iteration’s own', () => {
    const settings = config({ steps: 10, batch: 16, isBalanced: false });
    const steps = verifierBatches(answers, settings, 0);
    expect(steps.map(({ length }) => length)).toEqual(Array.from({ length: 10 }, () => 16));
    expect(new Set(steps.flat())).toEqual(new Set(answers.keys()));
    expect(verifierBatches(answers, settings, 0)).toEqual(steps);
    expect(verifierBatches(answers, settings, 1)).not.toEqual(steps);
  });

  it('is nothing where all questions are one-sided', async () => {
    expect(
      verifierBatches(
        answers.filter(({ question }) => question === 'q0'),
        config({}),
        0,
      ),
    ).toEqual([]);
    const run = await startRun({ agents: debate, verifier: { isTrained: true } });
    const { verifier } = await run.session.checkpoint();
    await run.session.train(1);
    expect((await run.session.checkpoint()).verifier?.network).toEqual(verifier?.network);
  });
});
