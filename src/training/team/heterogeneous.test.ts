// Tests teams whose agents have different sizes and vocabularies, with real networks. Each agent must learn from
// exactly the tokens that it sampled, in its own vocabulary.
import { describe, expect, it } from 'vitest';
import { mean } from '../../base/stats.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { firstJoinedId } from '../../extensions/worlds/houseRule/form.ts';
import { loadTokenizer } from '../../tasks/testing/tokenizers.ts';
import { demonstrate } from '../imitation/demonstrations.ts';
import { transcriptOf } from '../critics/mixingRows.ts';
import { measureIteration } from '../preflight/preflight.ts';
import { assembleTeam } from './team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microCheckpoint, microConfig, startRun } from '../testing/microRun.ts';

onCpu();

const unequal = { parameters: 'heterogeneous', otherVocabulary: 'joined' } as const;
const sized = { ...unequal, otherSize: 'tiny' } as const;

describe('an unequal team', () => {
  it('has a shape for each network and a tokenizer for each agent', () => {
    const { shapes, shape, tokenizers, tokens } = assembleTeam(microConfig({ agents: sized }));
    expect(shapes.map(({ vocabSize, hiddenSize }) => [vocabSize, hiddenSize])).toEqual([
      [32, 16],
      [82, 48],
    ]);
    expect(shape).toEqual(shapes[0]);
    expect(tokenizers).toEqual([loadTokenizer(), loadTokenizer('joined')]);
    expect(tokens.ofAgents).toHaveLength(2);
    const equal = assembleTeam(microConfig({ agents: { parameters: 'heterogeneous' } }));
    expect(equal.shapes[1]).toEqual(equal.shape);
    expect(equal.tokens).not.toHaveProperty('ofAgents');
  });

  it('has room for everything said, read sign by sign', () => {
    const roomOf = (agents: ConfigInput['agents']) => assembleTeam(microConfig({ agents })).shape.maxPositions;
    expect(roomOf(unequal)).toBeGreaterThan(roomOf({ parameters: 'separate' }));
  });

  it('is shown demonstrations in each agent’s own tokens', () => {
    const team = assembleTeam(microConfig({ agents: unequal, warmStart: { source: 'train', batchSize: 8 } }));
    for (const { turns, prompts } of demonstrate(team, 0)) {
      expect(prompts[1]?.some((id) => id >= firstJoinedId)).toBe(true);
      for (const { agent, tokens, text, isFinish } of turns) {
        const { tokenizer } = { tokenizer: team.tokenizers[agent] as (typeof team.tokenizers)[number] };
        expect(tokens).toEqual(tokenizer.encode(text + (isFinish ? '<finish>' : '<eot>')));
      }
    }
  });
});

describe('a run of an unequal team', () => {
  it('learns what it is paid for', async () => {
    const { session, events } = await startRun({ agents: sized, evaluation: { every: 100, problems: 8 } });
    await session.train(15);
    await session.dispose();
    const paid = events.flatMap((event) =>
      event.kind === 'iteration' ? [event.metrics.values['charts/episodic_return'] as number] : [],
    );
    expect(mean(paid.slice(-5)) - mean(paid.slice(0, 5))).toBeGreaterThan(0.1);
  });

  it('is shown in each agent’s own tokens, and forecast', async () => {
    const run = await startRun({ agents: unequal, run: { iterations: 1 } });
    const cost = await measureIteration(run.session.trainState);
    expect(cost.iterationMs).toBeGreaterThan(0);
    await run.session.train(1);
    const shown = run.events.flatMap((event) => (event.kind === 'iteration' && event.shown ? [event.shown] : []));
    const rollouts = shown.flatMap((group) => group.rollouts);
    for (const { trajectory, turns, promptTexts } of rollouts) {
      expect(promptTexts.map((text) => text.replace(/<[a-zR]+To[a-zL]+>|<precedence>/, ''))).toEqual([
        `<bos>${trajectory.problem.shown}<eot>`,
        `<bos>${trajectory.problem.shown}<eot>`,
      ]);
      turns.forEach(({ tokens }, i) => expect(tokens).toHaveLength(trajectory.turns[i]?.tokens.length ?? -1));
    }
    const names = rollouts.flatMap(({ trajectory, turns }) =>
      turns.filter((_, i) => trajectory.turns[i]?.agent === (1 as number)).flatMap(({ tokens }) => tokens),
    );
    expect(names.some((token) => /^[−+×=;]\d$/.test(token))).toBe(true);
  });

  it('starts from a warm start of its own', async () => {
    const warmStart = { source: 'train', steps: 3, batchSize: 4 } as const;
    const { networks, reference } = await microCheckpoint(microConfig({ agents: sized, warmStart }));
    expect(networks.map(({ weights }) => weights[0]?.shape)).toEqual([
      [32, 16],
      [82, 48],
    ]);
    expect(reference).toEqual(networks.map(({ weights }) => weights));
  });

  it('lets critics and verifiers read all of it in the tokens of the first agent, from whose network they are copies', async () => {
    const agents = { ...unequal, protocol: 'debate', count: 2, roundLimit: 2 } as const;
    const run = await startRun({ agents, verifier: { isTrained: true } });
    await run.session.train(1);
    const { verifier } = await run.session.checkpoint();
    expect(verifier?.answers.length).toBeGreaterThan(0);
    for (const { tokens } of verifier?.answers ?? []) expect(Math.max(...tokens)).toBeLessThan(firstJoinedId);
    const { tokens, tokenizer } = run.session.trainState.team;
    for (const trajectory of run.collected().flat()) {
      const rewards = trajectory.turns.map(() => [0, 0]);
      const { ids, rounds } = transcriptOf(trajectory, rewards, { witness: 1, tokens });
      for (const { turn, from, to } of rounds.flatMap(({ messages }) => messages)) {
        const said = trajectory.turns[turn] as (typeof trajectory.turns)[number];
        const end = said.isTruncated ? '' : said.isFinish ? '<finish>' : '<eot>';
        expect(tokenizer.decode(ids.slice(from, to))).toBe(said.text + end);
      }
    }
  });
});
