// The texts of the page about the initial weights of a run, and about the progress and duration of a warm start that is
// trained on this machine.
import { fieldAt, type Field } from '../config/describe.ts';
import { learnerFacts } from '../config/learners/registry.ts';
import { canMatter } from '../config/matters.ts';
import { agentCount } from '../config/protocols/registry.ts';
import type { Config } from '../config/schema.ts';
import { parameterCount, sizes } from '../config/sizes.ts';
import type { WarmStartRest } from '../records/events.ts';
import type { HeldModel } from '../records/stored/modelCard.ts';
import { say } from '../state/visitor/language.svelte.ts';
import { count, duration, percent } from './words.ts';

/** An estimated time in words, rounded to steps that depend on its length. */
export function roughly(ms: number): string {
  const seconds = ms / 1000;
  const step = seconds < 10 ? 1 : seconds < 60 ? 5 : seconds < 300 ? 30 : seconds < 3600 ? 60 : 600;
  return say('about {duration}', { duration: duration(Math.max(1, Math.round(seconds / step)) * step * 1000) });
}

/** The text for a run whose warm start has not been trained yet, or whose training of the warm start was stopped. */
export function waitingWords({ share, msLeft }: WarmStartRest): { title: string; detail: string } {
  if (msLeft === undefined)
    return {
      title: say('Not prepared'),
      detail:
        share > 0
          ? say('{share} of the learning from examples is done. “Train” continues from there.', {
              share: percent(share),
            })
          : say(
              'First the agents learn from example dialogues (only once; the time is known after the first step). Then training starts.',
            ),
    };
  const time = say('{msLeft} on this machine', { msLeft: roughly(msLeft) });
  const begun = say('{share} of the learning from examples is done. “Train” continues from there, {time}.', {
    share: percent(share),
    time,
  });
  const due = say('First the agents learn from example dialogues ({time}, only once). Then training starts.', { time });
  return { title: say('Not prepared'), detail: share > 0 ? begun : due };
}

/** The title of the dialogue before the first iteration. It may be one that is shown while a warm start is trained. */
export function glimpseTitle(after: number | null | undefined): string {
  if (after === undefined) return say('Before training');
  return after === null
    ? say('An example to imitate')
    : say('Attempt after {steps} steps of imitation', { steps: count(after) });
}

/**
 * Describes the initial weights of a run's agents in words. `held` contains the models that are stored in this browser.
 */
export function startWords(config: Config, held: readonly HeldModel[]): string {
  const { start, otherStart } = config.agents;
  const isApart = otherStart !== 'same' && canMatter(fieldAt('agents.otherStart') as Field, config);
  const words = (isApart ? [start, otherStart] : [start]).map((name) => {
    if (name !== 'warmStart')
      return held.find((model) => model.name === name)?.label ?? say('weights of another run or of a file');
    return config.warmStart.source === 'none' ? say('random first weights') : say('its warm start');
  });
  return [...new Set(words)].join(', ');
}

/**
 * For each level, the time in seconds of a warm start of 1,500 steps with 64 demonstrations. The times were measured
 * with the tiny size, on a CPU with two cores that were also used by other programs. Many machines are six times as
 * fast.
 */
const slowSeconds = [70, 150, 360, 600];
const spread = 6;

const parameters = (size: Config['agents']['size']) =>
  parameterCount({ ...sizes[size], vocabSize: 40, maxPositions: 1 });

/**
 * The range in which the duration of a warm start probably lies, before any time has been measured on this machine,
 * such as `½ to 3 min`.
 */
export function warmStartRange({ world, agents, warmStart, learning }: Config): string {
  const isOne = agents.parameters === 'shared' || agents.parameters === 'lora' || agents.swapEvery > 0;
  const networks = isOne || learnerFacts[learning.learner].hasOneStart ? 1 : agentCount(agents);
  const largest = Math.max(parameters(agents.size), agents.otherSize === 'same' ? 0 : parameters(agents.otherSize));
  const work = (largest / parameters('tiny')) * networks * (warmStart.steps / 1500) * (warmStart.batchSize / 64);
  const slow = ((slowSeconds[world.level - 1] ?? 600) * work) / 60;
  const [from, to] = [minutes(slow / spread), minutes(slow)];
  return from === to ? say('about {to} min', { to }) : say('{from} to {to} min', { from, to });
}

function minutes(count: number): string {
  if (count < 0.75) return '½';
  return String(count < 10 ? Math.round(count) : Math.round(count / 5) * 5);
}
