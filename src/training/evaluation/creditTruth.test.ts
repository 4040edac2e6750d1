import { describe, expect, it } from 'vitest';
import { Draws, uniformAt } from '../../base/random.ts';
import { mean } from '../../base/stats.ts';
import type { Policy } from '../../records/policy.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { rollOut } from '../collect/collect.ts';
import { agentPolicies } from '../collect/agentPolicies.ts';
import { assembleTeam } from '../team/team.ts';
import { saying } from '../testing/dicePolicy.ts';
import { microConfig, startRun } from '../testing/microRun.ts';
import { onCpu } from '../testing/onCpu.ts';
import { creditFidelity, creditTruth } from './creditTruth.ts';

onCpu();

const config = microConfig({
  agents: { maskUnfinished: true, roundLimit: 3 },
  reward: { finished: 0.5, rightAnswer: 1 },
  houseRule: { rewrite: 0.5, legalOperation: 0.25 },
});
const team = assembleTeam(config);
const tokenizer = team.tokenizers[0] as NonNullable<(typeof team.tokenizers)[0]>;

/**
 * The possible messages of an agent in a round, with their probabilities. The planner's message in the last round ends
 * the dialogue.
 */
interface Menu {
  words: string[];
  odds: number[];
}
type Script = Menu[][];

/** A policy that samples one of two messages in each round, independently of the messages that the agent has heard. */
const dice = (script: Script, agent: number): Policy =>
  saying(({ address, turn }) => {
    const { words, odds } = (script[agent] as Menu[])[turn] as Menu;
    return [...tokenizer.encode(words[uniformAt(address) < (odds[0] as number) ? 0 : 1] as string)];
  });

/** Every possible dialogue of these two agents, with its probability. Rewards are assigned as in sampled dialogues. */
async function allDialogues(problem: Trajectory['problem'], script: Script) {
  const said: { given: Trajectory['turns'][number][]; odds: number }[] = [{ given: [], odds: 1 }];
  const order = [0, 1, 0, 1, 0];
  for (const [t, agent] of order.entries()) {
    const { words, odds } = script[agent]?.[t >> 1] as Menu;
    said.push(
      ...said.splice(0).flatMap(({ given, odds: before }) =>
        words.map((text, i) => ({
          given: [...given, turnOf(agent, text)],
          odds: before * (odds[i] as number),
        })),
      ),
    );
  }
  const policies = [0, 1].map((agent) => dice(script, agent));
  const { trajectories } = await rollOut(team, {
    problems: said.map(() => problem),
    groups: said.map(() => 0),
    policies,
    given: said.map(({ given }) => given),
    draws: { stream: 7, iteration: 0, offset: 0 },
  });
  return trajectories.map((trajectory, i) => ({ trajectory, odds: said[i]?.odds as number }));
}

const turnOf = (agent: number, raw: string) =>
  ({
    agent,
    tokens: tokenizer.encode(raw),
    logprobs: tokenizer.encode(raw).map(() => 0),
    text: raw.replace(/<\w+>$/, ''),
    isTruncated: false,
    isFinish: raw === '<finish>',
  }) as unknown as Trajectory['turns'][number];

/** V after the first turns of a dialogue, computed over all possible continuations. */
function exactValue(all: Awaited<ReturnType<typeof allDialogues>>, words: readonly string[]): number {
  const own = all.filter(({ trajectory }) => words.every((text, t) => trajectory.turns[t]?.text === text));
  const mass = own.reduce((sum, { odds }) => sum + odds, 0);
  return own.reduce((sum, { odds, trajectory }) => sum + odds * trajectory.reward, 0) / mass;
}

describe('the worth of a message', () => {
  it('agrees with the enumeration of all dialogues within two standard errors', async () => {
    const draws = new Draws(5, 7, 0);
    const [errors, misses]: [number[], number[]] = [[], []];
    const problems = team.world.heldOut(1, 42);
    for (const [number, problem] of problems.entries()) {
      const good = team.world.demonstrate(problem, new Draws(1, 7, 1), { goodPlans: 1, resultNoise: 0 }, team.protocol);
      const bad = team.world.demonstrate(
        problem,
        new Draws(2, 7, 1),
        { goodPlans: 0, resultNoise: 0.5 },
        team.protocol,
      );
      const menu = (agent: number, round: number): Menu => {
        const of = (from: typeof good) => from.find((one) => one.agent === agent && one.round === round)?.message;
        const one = of(good) ?? '<finish>';
        const other = of(bad) ?? one;
        const odds = 0.3 + 0.4 * draws.next();
        return { words: [one, one === other ? '1+1<eot>' : other], odds: [odds, 1 - odds] };
      };
      const script = [0, 1].map((agent) => [0, 1, 2].map((round) => menu(agent, round)));
      script[0]![2] = { words: ['<finish>', '9<eot>'], odds: [0.8, 0.2] };
      script[1]![2] = { words: ['8<eot>', '7<eot>'], odds: [0.5, 0.5] };
      const all = await allDialogues(problem, script);
      const policies = [0, 1].map((agent) => dice(script, agent));
      const { trajectories } = await rollOut(team, {
        problems: [problem],
        groups: [number],
        policies,
        draws: { stream: 7, iteration: number, offset: 0 },
      });
      const truth = await creditTruth(team, trajectories, { policies, draws: 128, iteration: number });
      trajectories.forEach(({ turns }, i) =>
        turns.forEach((_, t) => {
          const words = turns.map(({ text }) => text);
          const exact = exactValue(all, words.slice(0, t + 1)) - exactValue(all, words.slice(0, t));
          const { worth, error } = truth[i]?.[t] as { worth: number; error: number };
          errors.push(Math.abs(worth - exact) / Math.max(error, 1e-9));
          misses.push(Math.abs(worth - exact) < 1e-9 || errors.at(-1)! <= 2 ? 0 : 1);
        }),
      );
    }
    expect(Math.sqrt(mean(errors.filter(Number.isFinite).map((error) => error ** 2)))).toBeLessThan(1.15);
    expect(errors.length).toBeGreaterThanOrEqual(200);
    expect(mean(misses)).toBeLessThan(0.08);
  });
});

describe('credit fidelity', () => {
  const truth = (...worth: number[]) => worth.map((one) => ({ worth: one, error: 0 }));

  it('is Spearman’s ρ within each group, mean over those in which both vary', () => {
    const groups = [0, 0, 1, 1, 2].map((group) => ({ group }));
    const paid = [[1, 2], [3], [5, 5], [5], [1, 2]];
    const worth = [truth(0, 0.5), truth(1), truth(1, 2), truth(3), truth(2, 1)];
    expect(creditFidelity(groups, paid, worth)).toBe(0); // 1 and −1; the group with equal rewards is not counted
    expect(creditFidelity(groups.slice(2, 4), paid.slice(2, 4), worth.slice(2, 4))).toBeUndefined();
  });

  it('is measured where it is due, and changes nothing of what is learned', async () => {
    const settings = { learning: { problemsPerIteration: 2, groupSize: 4 }, evaluation: { problems: 8, every: 2 } };
    const plain = await startRun(settings);
    const watched = await startRun({ ...settings, evaluation: { ...settings.evaluation, creditDraws: 4 } });
    for (const { session } of [plain, watched]) await session.train(4);
    expect(watched.collected()).toEqual(plain.collected());
    expect(watched.store.checkpoint?.networks).toEqual(plain.store.checkpoint?.networks);
    const fidelity = watched.store.iterations.map(({ metrics: { values } }) => values['charts/credit_fidelity']);
    expect(fidelity.map((rho) => rho === undefined)).toEqual([true, false, true, false]);
    expect(fidelity.every((rho) => rho === undefined || Math.abs(rho) <= 1)).toBe(true);
    expect(Object.keys(plain.store.iterations[1]?.metrics.values ?? {})).not.toContain('charts/credit_fidelity');
  });

  it('knows the worth of messages said at once, the others sampled again', async () => {
    const { session } = await startRun({ agents: { protocol: 'debate', count: 2, roundLimit: 2, reasonWindow: 6 } });
    const { trainState } = session;
    const problems = trainState.team.world.heldOut(1, 2);
    const { trajectories } = await rollOut(trainState.team, {
      ...{ problems, groups: [0, 1], policies: agentPolicies(trainState) },
      draws: { stream: 7, iteration: 0, offset: 0 },
    });
    const how = { policies: agentPolicies(trainState), draws: 8, iteration: 0 };
    const found = await creditTruth(trainState.team, trajectories, how);
    expect(found.map((ofTurns) => ofTurns.length)).toEqual(trajectories.map(({ turns }) => turns.length));
    expect(found.flat().every(({ worth, error }) => Number.isFinite(worth) && error >= 0)).toBe(true);
    expect(await creditTruth(trainState.team, trajectories, how)).toEqual(found);
  });
});
