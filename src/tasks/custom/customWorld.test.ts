// Tests of worlds that are written as text. Valid worlds must pass the same tests as every other world. Each invalid
// module has one error, which must be reported with its name and line.
import { describe, expect, it, vi } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { parseConfig } from '../../config/parse.ts';
import { protocolOf } from '../../records/protocol.ts';
import { tokenizerOf } from '../../text/tokenizer.ts';
import { battery } from '../testing/battery.ts';
import type { Utterance } from '../world.ts';
import { customWorld } from './customWorld.ts';
import { templates } from './templates.ts';

// Calls in the sandbox are slow, so these tests draw fewer problems than the tests of built-in worlds.
for (const { source, protocols } of Object.values(templates)) battery(await customWorld(source), protocols, 150);

const about = `export const about = { name: 'trial', label: 'Trial', levels: ['one'], words: ['yes', 'no', 'a', 'b', 'c'],
  hidden: { side: 'the side' }, parts: { hint: { sentence: 'It helps.' } }, room: { prompt: 3, turn: 1, observation: 2, rounds: 2 } };
`;
const whole = `${about}
export const draw = (random) => {
  const side = random.pick(['yes', 'no']);
  return { shown: [0, 0, 0].map(() => random.pick(['a', 'b', 'c'])).join(' '), hidden: { side }, answer: side };
};
export const judge = (problem, { text }) => ({ answer: text });
`;
const draws = () => new Draws(1, streams.control, 1);
const said: Utterance = { role: 'reasoning', agent: 0, text: ' yes', isFinish: false };

it.each<[string, string, string, RegExp]>([
  ['it cannot be read', 'export const a = ;', 'SandboxError', /SyntaxError: .* \(line 1\)/],
  ['it throws', '\n\nnull.x', 'SandboxError', /TypeError: .* \(line 3\)/],
  ['it never ends', 'for (;;);', 'SandboxError', /it ran too long/],
  ['it says nothing about itself', 'export const draw = 1', 'ConfigError', /about/],
  ['a level is no text', about.replace("['one']", '[1]'), 'ConfigError', /about\.levels\.0: expected string, got 1/],
  ['it does not judge', `${about}export const draw = () => 1;`, 'ConfigError', /^trial: export a function judge/],
  [
    'what it says of itself throws',
    'export const about = {\n get name() { return null.x } }',
    'SandboxError',
    /TypeError: .* \(line 2\)/,
  ],
  ['it awaits something', `${about}await new Promise(() => {});`, 'SandboxError', /nothing is awaited here/],
  ['it imports', 'import x from "y";', 'SandboxError', /./],
])('an invalid module is refused: %s', async (_, source, name, message) => {
  await expect(customWorld(source)).rejects.toMatchObject({
    name,
    message: expect.stringMatching(message) as string,
  });
});

describe('a fault in a call is reported with the world, the export and the arguments', () => {
  const faulty = (from: string, to: string) => customWorld(whole.replace(from, to));
  const judged = async (judge: string) => {
    const world = await faulty('({ answer: text })', judge);
    return world.judge(world.draw(1, draws(), 'training'), said);
  };

  it.each<[string, string, RegExp]>([
    ['it throws', '{ return problem.x.y; }', /^trial: judge: TypeError: .* \(line 8\).*"shown":.*"text":"yes"/s],
    ['it never ends', '{ for (;;); }', /^trial: judge: .*ran too long.*"shown"/s],
    [
      'it takes all memory',
      '{ const all = []; for (;;) all.push(new Uint8Array(1e6)); }',
      /^trial: judge: .*too much memory/,
    ],
    ['a reward is NaN', '({ answer: text, parts: { hint: 0 / 0 } })', /^trial: judge: its result\.parts\.hint: .* NaN/],
    ['a reward is out of bounds', '({ answer: text, parts: { hint: 2 } })', /parts\.hint: expected <=1, got 2/],
    ['a score is out of bounds', '({ answer: text, score: -1 })', /score: expected >=0, got -1/],
    ['a part is not declared', '({ answer: text, parts: { bonus: 1 } })', /“bonus”, which is not in about\.parts/],
    ['a part is inherited', '({ answer: text, parts: { valueOf: 1 } })', /“valueOf”, which is not in about\.parts/],
    ['it is no judgement', '7', /its result: expected Object, got 7/],
    ['it is a promise', 'Promise.resolve({ answer: text })', /a promise came/],
  ])('%s', async (_, judge, message) => {
    await expect(judged(judge)).rejects.toMatchObject({
      ...{ name: 'SandboxError', message: expect.stringMatching(message) as string },
    });
  });

  it('if a word is not declared, a hidden text is missing, or there are too few problems', async () => {
    const foreign = await faulty("join(' ')", "join('-')");
    const problem = foreign.draw(1, draws(), 'training');
    expect(() => foreign.view(problem, [])).toThrow(/a view uses “.-.-.”, which is not in about\.words/);
    const bare = await faulty('hidden: { side }, ', '');
    expect(() => bare.draw(1, draws(), 'training')).toThrow(/no hidden text “side”/);
    const same = await customWorld(whole.replaceAll(/random\.pick\((\[.*?\])\)/g, '$1[0]'));
    expect(() => [same.draw(1, draws(), 'training'), same.draw(1, draws(), 'heldOut')]).toThrow(
      /change draw so that its problems differ more/,
    );
  });

  it('if a message is too long, or its agent does not exist', async () => {
    const { agents } = parseConfig({});
    const shown = async (more: string, text = whole) => {
      const world = await customWorld(`${text}${more}`);
      const problem = world.draw(1, draws(), 'training');
      const options = { goodPlans: 1, resultNoise: 0 };
      return {
        world,
        problem,
        demonstrated: () => world.demonstrate(problem, draws(), options, protocolOf(agents, world)),
      };
    };
    const view = await shown('export const view = () => "a b c a";');
    expect(() => view.world.view(view.problem, [])).toThrow(
      /^trial: a view has 4 words, but about\.room\.prompt is 3; raise that limit/,
    );
    const demonstrate = (turn: string) => shown(`export const demonstrate = () => [${turn}];`);
    expect((await demonstrate('{ agent: 0, text: "a b" }')).demonstrated).toThrow(
      /a demonstration has 2 words, but about\.room\.turn is 1/,
    );
    expect((await demonstrate('{ agent: 2, text: "a" }')).demonstrated).toThrow(
      /a turn of agent 2 in round 0; agents are numbered 0 to 1/,
    );
    expect((await demonstrate('{ agent: 0, round: 2, text: "a" }')).demonstrated).toThrow(
      /in round 2; .* rounds 0 to 1/,
    );
    expect((await demonstrate('')).demonstrated).toThrow(/^trial: demonstrate: its result: expected >=1, got 0/);
    const react = 'export const react = () => ({ observation: { source: "x", text: "a" } });';
    const mute = await shown(react, whole.replace('observation: 2, ', ''));
    await expect(mute.world.react!(mute.problem, null, said)).rejects.toThrow(
      /^trial: an observation is shown, but about\.room\.observation/,
    );
    const sliced = await faulty('answer: side', 'answer: side, slice: side');
    expect(() => sliced.draw(1, draws(), 'training')).toThrow(/the slice “.*”, which is not in about\.slices/);
  });

  it('if the state of a dialogue caused it', async () => {
    const world = await customWorld(`${whole}export const react = (problem, state) => {
      if (state === 2) throw new RangeError('too far');
      return { state: (state ?? 0) + 1 };
    };`);
    const problem = world.draw(1, draws(), 'training');
    expect(await world.react!(problem, null, said)).toEqual({ state: 1 });
    await expect(world.react!(problem, 2, said)).rejects.toThrow(
      /^trial: react: RangeError: too far \(line \d+\)\. It was called with \{.*\}, 2, /,
    );
  });
});

it('calls leave no state: the same seed draws the same problems, even if a module counts calls', async () => {
  const world = await customWorld(
    `let count = 0;${whole}`.replace(
      'const side = random.pick',
      'count++; const side = count > 1 ? "no" : random.pick',
    ),
  );
  const drawn = () =>
    Array.from(
      { length: 20 },
      (
        (from) => () =>
          world.draw(1, from, 'training').id
      )(draws()),
    );
  expect(drawn()).toEqual(drawn());
});

it('a cut message is no answer of the team, whatever it contains', async () => {
  const world = await customWorld(whole);
  const problem = world.draw(1, draws(), 'training');
  const alone = protocolOf({ ...parseConfig({}).agents, protocol: 'single' }, world);
  const assessed = (isTruncated: boolean) =>
    world.assess(problem, [{ ...said, text: ` ${problem.answer}`, isTruncated }], alone);
  expect(await assessed(false)).toMatchObject({ answer: problem.answer, isRight: true });
  expect(await assessed(true)).toMatchObject({ answer: null, isRight: false });
});

it('each held-out problem of a small world is used once, without endless search for others', async () => {
  const world = await customWorld(whole.replace('[0, 0, 0]', '[0, 0]'));
  const drawn = vi.spyOn(Draws.prototype, 'below');
  const heldOut = world.heldOut(1, 512);
  expect(drawn.mock.calls.length).toBeLessThan(5_000);
  drawn.mockRestore();
  expect(heldOut.length).toBeGreaterThan(0);
  expect(heldOut.length).toBeLessThan(18);
  expect(new Set(heldOut.map(({ id }) => id)).size).toBe(heldOut.length);
  expect(world.heldOut(1, 3)).toEqual(heldOut.slice(0, 3));
});

it('a word that is declared twice is one token', async () => {
  const world = await customWorld(whole.replace("'yes', 'no'", "'yes', 'yes', 'no'"));
  const tokenizer = tokenizerOf(world.tokenizers['words']!);
  expect(Math.max(...tokenizer.encode(' yes no a b c'))).toBe(tokenizer.vocabSize - 1);
});

it('a module without demonstrations for steps refuses to demonstrate them', async () => {
  const world = await customWorld(whole);
  const { agents } = parseConfig({});
  const problem = world.draw(1, draws(), 'training');
  const options = { goodPlans: 1, resultNoise: 0 };
  expect(() => world.demonstrate(problem, draws(), options, protocolOf(agents, world))).toThrow(
    /export a function demonstrate/,
  );
  const alone = protocolOf({ ...agents, protocol: 'single' }, world);
  expect(world.demonstrate(problem, draws(), options, alone)).toMatchObject([{ message: ` ${problem.answer}<eot>` }]);
});
