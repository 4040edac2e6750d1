import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { sizes } from '../../config/sizes.ts';
import { grantOnly } from '../../engine/testing/gpuBackend.ts';
import { startOwnDevice } from '../../engine/testing/ownDevice.ts';
import type { TrainState } from './trainState.ts';
import { composedNote, slowerPathsTeller } from './slowerPaths.ts';

const room = { vocabSize: 32, maxPositions: 32 };

beforeAll(() => startOwnDevice());

it('says nothing of the sizes that are offered', () => {
  const before = tf.memory().numTensors;
  for (const size of Object.values(sizes)) expect(composedNote({ ...size, ...room })).toBe('');
  expect(tf.memory().numTensors).toBe(before);
});

it('names a width and a head size that no kernel takes', () => {
  const odd = { ...sizes.micro, ...room, hiddenSize: 18, numHeads: 3, numKvHeads: 3, headSize: 6 };
  expect(composedNote(odd)).toBe('No fused kernel supports width 18, so standard operations are used instead.');
  const wide = { ...sizes.micro, ...room, hiddenSize: 132, numHeads: 1, numKvHeads: 1, headSize: 132 };
  expect(composedNote(wide)).toBe('No fused kernel supports head size 132, so standard operations are used instead.');
});

it('names a feed-forward width and a vocabulary that no kernel takes', () => {
  const forward = { ...sizes.micro, ...room, intermediateSize: 34 };
  expect(composedNote(forward)).toBe(
    'No fused kernel supports feed-forward width 34, so standard operations are used instead.',
  );
  const joined = { ...sizes.tiny, ...room, vocabSize: 82 };
  expect(composedNote(joined)).toBe('No fused kernel supports vocabulary 82, so standard operations are used instead.');
});

it('names the adapter, not the sizes, where too few buffers are bound at once', () => {
  const back = grantOnly(tf.backend() as WebGPUBackend, { maxStorageBuffersPerShaderStage: 7 });
  expect(composedNote({ ...sizes.tiny, ...room })).toBe(
    'This adapter supports too few buffers for CausalAttention, CachedAttention, TokenLoss, so standard operations are used instead.',
  );
  back();
});

it('tells once what there is to say, and again only when it changes', () => {
  const said: string[] = [];
  const tell = slowerPathsTeller((note) => said.push(note));
  const replays = { note: '' };
  const learning = {
    team: { shapes: [{ ...sizes.micro, ...room }] },
    networks: [{ replays }],
    critics: [],
    rooms: { note: '' },
  };
  const asked = () => tell(learning as unknown as TrainState);
  asked();
  replays.note = 'a remark';
  asked();
  asked();
  replays.note = '';
  asked();
  expect(said).toEqual(['a remark', '']);
});
