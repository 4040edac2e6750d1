import { describe, expect, it } from 'vitest';
import { openDatabase } from '../src/storage/database.ts';
import { recallWinner, rememberWinner } from './engineKeeper.ts';
import { emptyDatabase } from '../src/storage/testing/emptyDatabase.ts';

emptyDatabase();

describe('the memory of the probe', () => {
  it('keeps the newest winner of each adapter apart', async () => {
    expect(await recallWinner('lavapipe')).toBeNull();
    await rememberWinner('lavapipe', 'webgpu');
    await rememberWinner('lavapipe', 'cpu');
    await rememberWinner('hopper', 'webgpu');
    expect(await recallWinner('lavapipe')).toBe('cpu');
    expect(await recallWinner('hopper')).toBe('webgpu');
  });

  it('probes again if the stored record is invalid', async () => {
    await (await openDatabase()).put('preferences', { winner: 'webgl' } as never, 'probe lavapipe');
    expect(await recallWinner('lavapipe')).toBeNull();
  });
});
