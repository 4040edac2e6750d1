import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { evaluateSeats } from './seats.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microCheckpoint, microConfig, openRun } from '../testing/microRun.ts';

onCpu();

const seat = async (settings: ConfigInput = {}, name = 'calm-otter') => ({
  checkpoint: await microCheckpoint(microConfig(settings)),
  name,
});

it('the agents of one checkpoint do what its run measures, and leave nothing behind', async () => {
  const own = await seat({ agents: { ...microConfig().agents, parameters: 'separate' } });
  const run = openRun(own.checkpoint);
  const measured = await run.session.evaluate('answers');
  const low = await run.session.evaluate('lowTemperature');
  await run.session.dispose();
  const before = tf.memory().numTensors;
  expect(await evaluateSeats([own, own])).toEqual(measured);
  // The result also contains the measurements of earlier requests, because the session keeps all measurements of the
  // same weights.
  expect(low).toEqual({ ...(await evaluateSeats([own, own], 'lowTemperature')), answers: measured.answers });
  expect(tf.memory().numTensors).toBe(before);
});

it('agents of other sizes, with adapters, or of a world with the same vocabulary can form a team', async () => {
  const small = await seat();
  const large = await seat({ agents: { ...microConfig().agents, size: 'tiny' } });
  const adapted = await seat({ agents: { ...microConfig().agents, parameters: 'lora' } });
  for (const seats of [
    [small, large],
    [large, adapted],
  ]) {
    expect(await evaluateSeats(seats)).toMatchObject({ problems: 8, iteration: 0 });
  }
  const story = await seat({ world: { name: 'wordProblems' }, houseRule: { legalOperation: 0, rewrite: 0 } });
  await expect(evaluateSeats([small, story])).rejects.toThrow(
    'agent 2 of calm-otter cannot talk here: the agent uses the vocabulary of Word problems, but the other agents use the vocabulary of House-rule arithmetic',
  );
});

it('agents of another protocol are refused, and so is a missing agent', async () => {
  const planner = await seat();
  const agents = { ...microConfig().agents, protocol: 'debate', count: 2 } as const;
  const debater = await seat({ agents, houseRule: { legalOperation: 0, rewrite: 0 } }, 'wild-fox');
  await expect(evaluateSeats([planner, debater])).rejects.toThrow(ConfigError);
  await expect(evaluateSeats([planner, debater])).rejects.toThrow(
    'agent 2 of wild-fox cannot talk here: the agent was trained in the protocol “Debate”, but the other agents use “Plan and reason”',
  );
  await expect(evaluateSeats([planner])).rejects.toThrow('Plan and reason has 2 agents, but 1 were chosen');
  await expect(evaluateSeats([])).rejects.toThrow('expected one stored agent for each role');
});

it('an agent with an adapter for each round is refused if more rounds are possible', async () => {
  const agents = { ...microConfig().agents, parameters: 'lora', adapterPer: 'turn' } as const;
  const brief = await seat({ agents: { ...agents, roundLimit: 2 } });
  const long = await seat({ agents: { ...agents, roundLimit: 4 } });
  expect(await evaluateSeats([brief, long])).toMatchObject({ problems: 8 });
  await expect(evaluateSeats([long, brief])).rejects.toThrow(
    'adapters for 2 rounds only, but up to 4 rounds may be needed',
  );
});
