// Tests of mixtures of worlds: they check to which world each call is passed, which world computes the rewards, and
// which worlds can be mixed.
import { expect, it } from 'vitest';
import { Draws, streams } from '../base/random.ts';
import { parseConfig } from '../config/parse.ts';
import { sharesWords, worldForms, type WorldName } from '../config/worlds/registry.ts';
import { protocolOf } from '../records/protocol.ts';
import { worldOf, worlds } from './registry.ts';

const single = { agents: { protocol: 'single', roundLimit: 0 } } as const;
const also = (name: string, level = 1, weight = 1) => ({ name, level, weight });
const both = { name: 'wordProblems', also: [also('entailment')] };

it('a mixture draws training problems from each world by its weight, and evaluates the first', () => {
  const places = [also('entailment', 2, 0.5), also('wordProblems', 3, 2), also('debate', 1, 0.5)];
  const world = worldOf(parseConfig({ world: { name: 'wordProblems', also: places }, ...single }));
  const draws = new Draws(1, streams.control, 0);
  const drawn = Array.from({ length: 4000 }, () => world.draw(2, draws, 'training'));
  const share = (place: string) => drawn.filter((one) => `${one.world} ${one.level}` === place).length / 4000;
  expect(share('wordProblems 2')).toBeCloseTo(1 / 4, 1);
  expect(share('entailment 2')).toBeCloseTo(1 / 8, 1);
  expect(share('wordProblems 3')).toBeCloseTo(2 / 4, 1);
  expect(share('debate 1')).toBeCloseTo(1 / 8, 1);
  expect(world.heldOut(2, 8)).toEqual(worlds.wordProblems.heldOut(2, 8));
});

it('a mixture handles each problem like its own world, with room for both', async () => {
  const config = parseConfig({ world: both, ...single });
  const world = worldOf(config);
  const protocol = protocolOf(config.agents, world);
  const names = world.hidden.map(({ name }) => name);
  for (const name of ['wordProblems', 'entailment'] as const) {
    const own = worlds[name];
    const problem = own.draw(1, new Draws(2, streams.control, 0), 'training');
    expect(world.view(problem, names)).toBe(
      own.view(
        problem,
        own.hidden.map((text) => text.name),
      ),
    );
    const options = { goodPlans: 1, resultNoise: 0 };
    const shown = world.demonstrate(problem, new Draws(3, streams.control, 0), options, protocol);
    const said = shown.map(({ message, agent }) => ({
      role: protocol.roles[agent]!,
      text: message.replace(/<\w+>$/, ''),
      isFinish: false,
    }));
    expect((await world.assess(problem, said, protocol)).isRight).toBe(true);
    const [room, needed] = [world.limits(1, protocol), own.limits(1, protocol)];
    expect(room.promptWindow).toBeGreaterThanOrEqual(needed.promptWindow);
    expect(
      Math.min(...room.windows.map((window, agent) => window - (needed.windows[agent] ?? 0))),
    ).toBeGreaterThanOrEqual(0);
  }
});

it('a mixture has the ceilings of its first world, whatever agents see of the second', () => {
  const world = worldOf(parseConfig({ world: { name: 'entailment', also: [also('wordProblems')] }, ...single }));
  expect(world.ceiling(1, ['first', 'story'])).toBe(worlds.entailment.ceiling(1, ['first']));
});

it('only worlds with the same vocabulary can be mixed', () => {
  const names = Object.keys(worldForms) as WorldName[];
  const firstOf = (name: WorldName) => Object.values(worlds[name].tokenizers)[0];
  for (const one of names)
    for (const other of names) {
      expect(sharesWords(worldForms[one], worldForms[other]), `${one} ${other}`).toBe(firstOf(one) === firstOf(other));
    }
});
