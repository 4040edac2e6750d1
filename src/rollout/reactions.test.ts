// Tests of worlds that answer messages: which agents read an answer, how many tokens it takes, and how contexts
// that are built for each turn contain it.
import { sampleProblem } from '../records/testing/arbitrary.ts';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/parse.ts';
import type { Problem } from '../records/problem.ts';
import { protocolOf, type Protocol } from '../records/protocol.ts';
import type { Trajectory } from '../records/trajectory.ts';
import { world as houseRule } from '../extensions/worlds/houseRule/world.ts';
import { pagesOf, readingWorld } from '../tasks/testing/readingWorld.ts';
import { loadTokenizer } from '../tasks/testing/tokenizers.ts';
import { runTrajectories } from './runTrajectories.ts';
import { openWorld, replayReactions } from './reactions.ts';
import { turnAddress, type RolloutRequest } from './request.ts';
import { rolloutSettings } from './settings.ts';
import { fakePolicy, type FakePolicy } from './testing/fakePolicy.ts';
import { runTrees } from './trees.ts';
import { viewRows, viewTokens } from './view.ts';

const tokenizer = loadTokenizer();
const config = parseConfig({});
// The digits on the pages of the problem are 5, 3 and 2.
const problem: Problem = sampleProblem;

const reading = (settings: Partial<Protocol> = {}): Protocol => ({
  ...protocolOf(config.agents, readingWorld),
  ...{ finisher: null, hears: [[], [0]] },
  ...settings,
});

function requestOf(
  protocol: Protocol,
  policies: readonly FakePolicy[],
  more: Partial<RolloutRequest> = {},
): RolloutRequest {
  return {
    ...{ problems: [problem], groups: [0], protocol, policies, world: readingWorld },
    settings: rolloutSettings(config, readingWorld, protocol),
    tokens: viewTokens(protocol, [tokenizer]),
    prompt: (asked) => tokenizer.encode(readingWorld.view(asked, [])),
    decode: (ids) => tokenizer.decode(ids),
    address: (...turn) => turnAddress({ seed: 1, stream: 3, iteration: 0 }, ...turn),
    judge: () => Promise.reject(new Error('nobody asks')),
    maskDraw: () => 1,
    ...more,
  };
}

const saying = (texts: string[]) => fakePolicy((_, turn) => tokenizer.encode(texts[turn] ?? (texts.at(-1) as string)));
const scripts = () => [saying(['5<eot>', '6<eot>', '7<eot>']), saying(['0<eot>', '1<eot>', '2<eot>'])] as const;
const fed = ({ sessions }: FakePolicy) => sessions.map(({ rows }) => tokenizer.decode(rows[0]?.ids ?? []));

/** The tokens that a session received and sampled are the same as those of the row that is built for training. */
function expectRowsAsHeard(trajectories: readonly Trajectory[], policies: readonly FakePolicy[], protocol: Protocol) {
  policies.forEach(({ sessions }, agent) => {
    trajectories.forEach((trajectory, b) => {
      const heard = sessions.map(({ rows }) => rows[b]).filter((row) => row?.isSampled.some(Boolean));
      const built = viewRows(trajectory, agent, viewTokens(protocol, [tokenizer]));
      expect(built.map(({ ids }) => ids)).toEqual(
        heard.map((row) => row?.ids.slice(0, row.isSampled.lastIndexOf(true) + 1)),
      );
      expect(built.flatMap(({ isAction }) => isAction)).toEqual(
        heard.flatMap((row) => row?.isSampled.slice(0, row.isSampled.lastIndexOf(true) + 1)),
      );
    });
  });
}

describe('a world that answers', () => {
  it('is read by its readers before they speak again, and ends the dialogue when it says so', async () => {
    const policies = scripts();
    const [trajectory] = (await runTrajectories(requestOf(reading(), policies))) as [Trajectory];
    const [a, b, c] = pagesOf(problem) as [number, number, number];
    expect(fed(policies[0])).toEqual([`<bos>=<eot>${a};<meta>5<eot>${b};<meta>6<eot>${c};+<meta>7<eot>`]);
    expect(fed(policies[1])).toEqual([
      '<bos>=<eot><meta>5<eot><reason>0<eot><meta>6<eot><reason>1<eot><meta>7<eot><reason>2<eot>',
    ]);
    expect(trajectory.turns).toHaveLength(6);
    expect(trajectory.finishCode).toBe(0);
    expectRowsAsHeard([trajectory], policies, reading());
  });

  it('is kept with the turn it answers, cut to its window, with the state it goes on from', async () => {
    const [trajectory] = (await runTrajectories(requestOf(reading(), scripts()))) as [Trajectory];
    expect(trajectory.opening).toEqual({
      observation: { source: 'page 1', text: `${pagesOf(problem)[0]};`, readers: [0] },
      state: { read: 1 },
    });
    expect(trajectory.turns[2]?.reaction).toEqual({
      observation: { source: 'page 3', text: `${pagesOf(problem)[2]};+`, readers: [0], isTruncated: true },
      state: { read: 3 },
    });
    expect(trajectory.turns.map(({ reaction }) => reaction?.isOver ?? false)).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
  });

  it('answers a dialogue that is replayed as it did, whole or up to any turn', async () => {
    const [trajectory] = (await runTrajectories(requestOf(reading(), scripts()))) as [Trajectory];
    const how = { world: readingWorld, tokens: viewTokens(reading(), [tokenizer]), observationWindow: 3 };
    const bare = structuredClone({ ...trajectory, turns: trajectory.turns.map(({ reaction: _, ...turn }) => turn) });
    delete bare.opening;
    await replayReactions(how, bare);
    expect(bare).toEqual(trajectory);
    const short = structuredClone({ ...trajectory, turns: trajectory.turns.slice(0, 2) });
    await replayReactions(how, short);
    expect(short.turns).toEqual(trajectory.turns.slice(0, 2));
  });

  it('cannot change what it left with an earlier turn', async () => {
    const greedy = {
      ...readingWorld,
      react: (_: Problem, state: unknown) => {
        (state as { read: number }).read++;
        return Promise.resolve({ state });
      },
    };
    const [trajectory] = (await runTrajectories(requestOf(reading(), scripts(), { world: greedy }))) as [Trajectory];
    expect(trajectory.turns.slice(0, 3).map(({ reaction }) => reaction?.state)).toEqual([
      { read: 2 },
      { read: 3 },
      { read: 4 },
    ]);
  });

  it('counts against the window: where it leaves no room the dialogue ends as too long', async () => {
    const policies = scripts();
    const small = [{ ...policies[0], maxPositions: 15 }, policies[1]];
    const [trajectory] = (await runTrajectories(requestOf(reading(), small))) as [Trajectory];
    expect(trajectory.finishCode).toBe(2);
    // The first agent would need 16 tokens: 3 for the prompt, 2 for the first page, 3 for its first turn, 2 for a page
    // after it, 3 for its second turn, and 3 for the page after that.
    expect(trajectory.turns.map(({ text }) => text)).toEqual(['5', '0', '6', '1']);
  });

  it('is refused by name where its limits leave no room for what it shows', async () => {
    const how = { world: readingWorld, tokens: viewTokens(reading(), [tokenizer]), observationWindow: 0 };
    await expect(openWorld(how, { problem, turns: [] })).rejects.toThrow(
      'world: an observation is shown, but the limits of the world reserve no tokens for observations; set observationWindow in these limits.',
    );
  });

  it('hides its answer with the message of a hidden speaker, never what it showed at first', async () => {
    const policies = scripts();
    const open = {
      ...readingWorld,
      react: () => Promise.resolve({ observation: { source: 'echo', text: '=' }, state: { read: 0 } }),
    };
    await runTrajectories(requestOf(reading(), policies, { isHidden: ({ agent }) => agent === 0, world: open }));
    const row = policies[1].sessions[0]?.rows[0];
    const hidden = row?.ids.filter((_, t) => !row.isVisible[t]) ?? [];
    expect(tokenizer.decode(hidden).startsWith('<meta>5<eot>=')).toBe(true);
    expect(policies[0].sessions[0]?.rows[0]?.isVisible.every(Boolean)).toBe(true);
  });
});

describe('fresh contexts', () => {
  const fresh = reading({ context: 'fresh' });

  it('hold the prompt, the newest message of everybody heard, itself included, and the newest page', async () => {
    const policies = scripts();
    const [trajectory] = (await runTrajectories(requestOf(fresh, policies))) as [Trajectory];
    const [a, b, c] = pagesOf(problem) as [number, number, number];
    expect(fed(policies[0])).toEqual([
      `<bos>=<eot>${a};<meta>5<eot>`,
      `<bos>=<eot><meta>5<eot>${b};<meta>6<eot>`,
      `<bos>=<eot><meta>6<eot>${c};+<meta>7<eot>`,
    ]);
    expect(fed(policies[1])).toEqual([
      '<bos>=<eot><meta>5<eot><reason>0<eot>',
      '<bos>=<eot><reason>0<eot><meta>6<eot><reason>1<eot>',
      '<bos>=<eot><reason>1<eot><meta>7<eot><reason>2<eot>',
    ]);
    expectRowsAsHeard([trajectory], policies, fresh);
  });

  it('open a session for each turn and free it, also where a policy fails', async () => {
    const policies = scripts();
    await runTrajectories(requestOf(fresh, policies));
    for (const { sessions } of policies) expect(sessions.map(({ disposals }) => disposals)).toEqual([1, 1, 1]);
    const failing = fakePolicy(() => [], {
      onSample: () => {
        throw new Error('lost');
      },
    });
    await expect(runTrajectories(requestOf(fresh, [failing, scripts()[1]]))).rejects.toThrow('lost');
    expect(failing.sessions.map(({ disposals }) => disposals)).toEqual([1]);
  });

  it('stay as short as one turn however long the dialogue is', async () => {
    const long = {
      ...readingWorld,
      react: () => Promise.resolve({ observation: { source: 'page', text: '1;' }, state: null }),
    };
    const settings = { ...rolloutSettings(config, readingWorld, fresh), roundLimit: 100 };
    const [trajectory] = (await runTrajectories(requestOf(fresh, scripts(), { world: long, settings }))) as [
      Trajectory,
    ];
    expect(trajectory.turns).toHaveLength(200);
    const rows = viewRows(trajectory, 0, viewTokens(fresh, [tokenizer]));
    expect(rows).toHaveLength(100);
    expect(Math.max(...rows.map(({ ids }) => ids.length))).toBe(3 + 3 + 2 + 2 + 3);
  });

  it('give every turn of a branch that is its own a row, and none that it inherits', async () => {
    const lanes = fakePolicy((row, turn) => tokenizer.encode(`${(3 * turn + row) % 10}<eot>`));
    const request = requestOf(fresh, [lanes, scripts()[1]]);
    const { trunks, branches } = await runTrees(request, {
      candidates: 2,
      choose: (drafts) => Promise.resolve(drafts.length - 1),
    });
    expect(trunks[0]?.turns.map(({ text }) => text)).toEqual(['1', '0', '4', '1', '7', '2']);
    expect(trunks[0]?.turns.map(({ reaction }) => reaction?.state)).toEqual(
      [2, 2, 3, 3, 4, 4].map((read) => ({ read })),
    );
    for (const branch of branches) {
      const own = branch.turns.at(-1);
      for (const agent of [0, 1])
        expect(viewRows(branch, agent, request.tokens)).toHaveLength((own?.agent as number) === agent ? 1 : 0);
    }
  });

  it('are those of a growing context in the first turn of everybody', async () => {
    const [first] = (await runTrajectories(requestOf(reading(), scripts()))) as [Trajectory];
    const [second] = (await runTrajectories(requestOf(fresh, scripts()))) as [Trajectory];
    expect(first.turns.map(({ text }) => text)).toEqual(second.turns.map(({ text }) => text));
    for (const agent of [0, 1]) {
      const [grown] = viewRows(first, agent, viewTokens(reading(), [tokenizer]));
      const [opening] = viewRows(second, agent, viewTokens(fresh, [tokenizer]));
      expect(grown?.ids.slice(0, opening?.ids.length)).toEqual(opening?.ids);
    }
  });

  it('leave the worlds and protocols that know nothing of it as they are', () => {
    expect(houseRule.react).toBeUndefined();
    expect(protocolOf(config.agents, readingWorld).context).toBeUndefined();
  });
});
