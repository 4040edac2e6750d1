import { expect, it } from 'vitest';
import { FormatError } from '../../base/errors.ts';
import { largestRunFileBytes, runFileText } from './runFileText.ts';

it('a file of the size of a run file is read, and a larger one refused unread with both sizes', async () => {
  expect(await runFileText(new File(['format: 1\n'], 'run.yaml'))).toBe('format: 1\n');
  const atMost = new File([new Uint8Array(largestRunFileBytes)], 'run.yaml');
  expect(await runFileText(atMost)).toHaveLength(largestRunFileBytes);
  const film = new File([new Uint8Array(largestRunFileBytes + 500_000)], 'film.mp4');
  film.text = () => Promise.reject(new Error('read'));
  await expect(runFileText(film)).rejects.toThrow(FormatError);
  await expect(runFileText(film)).rejects.toThrow(/^film\.mp4: expected .* 150 kB, got 650 kB/);
});
