import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import type { ConfigInput } from '../../../config/schema.ts';
import { evaluateSeats } from '../../../training/run/seats.ts';
import { microCheckpoint, microConfig } from '../../../training/testing/microRun.ts';
import { onCpu } from '../../../training/testing/onCpu.ts';
import { answers } from './answers.ts';
import type { CrossCell } from './records.ts';

onCpu();

const { answer: crossPlay } = answers.crossPlay;

const seat = async (settings: ConfigInput = {}, name = 'calm-otter') => ({
  checkpoint: await microCheckpoint(microConfig(settings)),
  name,
});

it('the diagonal of a matrix is the accuracy of each team alone, and no tensors are left', async () => {
  const [first, second] = [await seat({ run: { seed: 1 } }), await seat({ run: { seed: 2 } }, 'wild-fox')];
  const before = tf.memory().numTensors;
  const cells: CrossCell[] = [];
  await crossPlay([first, second], async (cell) => {
    // The callback takes a while, as if the page were busy. The call must still wait for the last cell.
    await new Promise((heard) => setTimeout(heard, 20));
    cells.push(cell);
  });
  expect(tf.memory().numTensors).toBe(before);
  expect(cells.map(({ sender, receiver }) => [sender, receiver])).toEqual([
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ]);
  const { accuracy, right } = await evaluateSeats([second, second], null);
  expect(cells[3]?.evaluation).toMatchObject({ accuracy, right });
  const crossed = await evaluateSeats([first, second], null);
  expect(cells[1]?.evaluation.right).toBe(crossed.right);
});

it('a matrix is refused for agents that talk to nobody and for agents with other problems', async () => {
  const alone = await seat({ agents: { ...microConfig().agents, protocol: 'single' } }, 'lone-hare');
  await expect(crossPlay([alone, alone], () => undefined)).rejects.toThrow(
    'the run lone-hare has only one agent; choose runs with at least two agents',
  );
  const more = await seat({ evaluation: { problems: 9 } }, 'wild-fox');
  await expect(crossPlay([await seat(), more], () => undefined)).rejects.toThrow(
    'wild-fox is measured on 9 problems of House-rule arithmetic, level 1, but calm-otter is measured on 8 problems of',
  );
});
