// Tests that the basis of a warm start contains every setting on which the warm start depends. For any value of any
// setting in the schema, the basis must give the same inputs for the warm start as the complete settings.
import { describe, expect, it } from 'vitest';
import { describeFields, type Field } from '../../config/describe.ts';
import type { Config, ConfigInput } from '../../config/schema.ts';
import { formulaTexts } from '../../config/testing/ownFormulas.ts';
import { answeringPair, ownValues } from '../../config/testing/ownProtocols.ts';
import { formOf } from '../../config/worlds/registry.ts';
import { protocolsFor } from '../../config/worlds/rules.ts';
import { demonstrate } from './demonstrations.ts';
import { buildRows } from '../rows/rows.ts';
import { assembleTeam } from '../team/team.ts';
import { microConfig } from '../testing/microRun.ts';
import { scheduledRate, warmStartSchedule } from './warmStart.ts';
import { warmStartBasis, warmStartKey } from './warmStartBasis.ts';

/**
 * All inputs of the supervised steps: the demonstrated messages, the networks that learn them, the initial weights and
 * the learning rates.
 */
function material(config: Config) {
  const team = assembleTeam(config);
  const shown = demonstrate(team, 0);
  const rows = team.agentsOf.map((agents) => {
    const { ids, targets, actionMask } = buildRows(shown, agents, team.tokens);
    return [ids, targets, actionMask].map(String);
  });
  const rates = [0, 20].map((step) => scheduledRate(warmStartSchedule(config), step));
  // The initial weights depend on the seed and on these sizes.
  const sizes = team.shapes.map(({ maxPositions: _, ...shape }) => shape);
  const { warmStart, optimiser, run } = config;
  return JSON.stringify([rows, rates, sizes, run.seed, warmStart.steps, optimiser.beta1]);
}

function otherValues(field: Field): unknown[] {
  if (field.kind === 'choice') return [...field.names];
  if (field.kind === 'flag') return [true, false];
  if (field.kind === 'agentSet') return [[], [0]];
  if (field.kind === 'protocol') return [...ownValues];
  // Settings of this kind are skipped, because none of the worlds in `grounds` has reward parts of its own.
  if (field.kind === 'weights') return [];
  if (field.kind === 'texts') return [{ ask: 'Answer.' }];
  if (field.kind === 'formula') return [...formulaTexts];
  if (field.kind === 'places') return [[], [{ name: 'houseRule', level: 2, weight: 1 }]];
  const middle = Math.min(field.max, field.min + (field.kind === 'whole' ? 3 : (field.max - field.min) / 3));
  // Larger numbers of steps and demonstrations are not tested, because this would take too long.
  return [field.min, middle];
}

/** Whether the world does not support the protocol. In this case, there are no demonstrated messages. */
const isSilent = ({ agents, world }: Config) => !protocolsFor(formOf(world.name)).includes(agents.protocol);

const demonstrations = { warmStart: { source: 'train', steps: 4, batchSize: 4 } } as const;
const grounds: [string, ConfigInput][] = [
  ['plan and reason', {}],
  [
    'a planner whom nobody hears',
    { agents: { unheard: 'first' }, warmStart: { ...demonstrations.warmStart, unheard: true } },
  ],
  ['one agent', { agents: { protocol: 'single' } }],
  ['separate networks', { agents: { parameters: 'separate' } }],
  ['unequal networks', { agents: { parameters: 'heterogeneous', otherSize: 'tiny' } }],
  ['a debate', { agents: { protocol: 'debate', count: 3, parameters: 'separate' } }],
  ['a summary', { agents: { protocol: 'summary', count: 3 } }],
  ['a vote', { agents: { protocol: 'vote', count: 3 } }],
  ['a protocol of one’s own', { agents: { protocol: 'own', own: answeringPair } }],
  ['a pioneer', { agents: { protocol: 'pioneerObserver' } }],
];

/** Settings in which all networks start from the same weights are tested separately below. */
const oneStart = (config: Config) =>
  config.agents.swapEvery > 0 || config.agents.parameters === 'lora' || config.learning.learner === 'cory';

describe('the basis of a warm start', () => {
  it.each(grounds)('has all that it is trained from (%s)', (_, settings) => {
    const ground = microConfig({ ...demonstrations, ...settings });
    let tried = 0;
    for (const field of describeFields()) {
      for (const value of otherValues(field)) {
        const section = { ...ground[field.section], [field.name]: value };
        // Combinations of settings that would be refused are tested too, because the basis must not depend on whether
        // settings are refused.
        const config = { ...ground, [field.section]: section } as Config;
        if (isSilent(config) || oneStart(config)) continue;
        const isSame = material(warmStartBasis(config)) === material(config);
        expect(isSame, `${field.path} = ${String(value)}`).toBe(true);
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(150);
  });

  it('is that of one network where all start as one', () => {
    const key = (agents: object, learner = 'grpo') => {
      const config = microConfig({ ...demonstrations, ...{ agents: { protocol: 'pioneerObserver', ...agents } } });
      return warmStartKey({ ...config, learning: { ...config.learning, learner } } as Config, 'simd');
    };
    const shared = key({});
    expect(key({ parameters: 'separate' })).not.toBe(shared);
    expect(key({ parameters: 'separate', swapEvery: 5 })).toBe(shared);
    expect(key({ parameters: 'lora' })).toBe(shared);
    expect(key({ parameters: 'separate' }, 'cory')).toBe(shared);
  });
});

it('nobody reads in demonstrations what is unheard from the start, and its speaker reads what is answered', () => {
  const heardBy = (warmStart: ConfigInput['warmStart']) => {
    const config = microConfig({
      agents: { unheard: 'first' },
      warmStart: { ...demonstrations.warmStart, ...warmStart },
    });
    return demonstrate(assembleTeam(config), 0).flatMap(({ turns }) =>
      turns.map(({ agent, maskedFor }) => `${agent}: ${maskedFor?.join() ?? 'all read it'}`),
    );
  };
  expect(new Set(heardBy({ unheard: true }))).toEqual(new Set(['0: 1', '1: all read it']));
  expect(new Set(heardBy({}))).toEqual(new Set(['0: all read it', '1: all read it']));
});

describe('the key of a warm start', () => {
  const key = (settings: ConfigInput, backend = 'simd') => warmStartKey(microConfig(settings), backend);
  const usual = key(demonstrations);

  it('stays where a setting does not touch the warm start', () => {
    for (const settings of [
      { optimiser: { learningRate: 1e-4 } },
      { run: { iterations: 7 } },
      { learning: { learner: 'ppo' } },
      { agents: { temperature: 0.5 } },
    ] satisfies ConfigInput[]) {
      expect(key({ ...demonstrations, ...settings })).toBe(usual);
    }
  });

  it('is another for another level, size, seed, step count or backend', () => {
    const keys = [
      key({ ...demonstrations, world: { level: 2 } }),
      key({ ...demonstrations, agents: { size: 'tiny' } }),
      key({ ...demonstrations, run: { seed: 2 } }),
      key({ warmStart: { ...demonstrations.warmStart, steps: 21 } }),
      key(demonstrations, 'webgpu'),
    ];
    expect(new Set([...keys, usual]).size).toBe(keys.length + 1);
  });
});
