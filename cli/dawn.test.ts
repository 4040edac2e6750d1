// Tests the check for Dawn, which runs in a separate process: at most one line of that process's output is reported.
import { afterEach, expect, it, vi } from 'vitest';
import { complaintOf, dawnLack } from './dawn.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('without a driver Dawn writes nothing to standard error, and the reason contains its message', async () => {
  for (const name of ['VK_ICD_FILENAMES', 'VK_DRIVER_FILES']) vi.stubEnv(name, '/nowhere/driver.json');
  const lack = await dawnLack();
  if (process.platform !== 'linux') return; // elsewhere Dawn needs no Vulkan
  expect(lack?.why).toMatch(/^Dawn finds no adapter \([^\n]+\)$|is not installed next to the program$/);
});

it('the reason contains only the first message, without its stack', () => {
  const said =
    'error: XDG_RUNTIME_DIR is invalid.\nWarning: vkCreateInstance: Found no drivers!\n    at CheckVkSuccessImpl (/home/a/b.cpp:106)\n';
  expect(complaintOf(said)).toBe('vkCreateInstance: Found no drivers');
  expect(complaintOf('')).toBe('');
  expect(complaintOf('Segmentation fault\n')).toBe('Segmentation fault');
});
