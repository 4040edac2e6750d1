// Runs before each test file of the page: loads its texts, for which the page itself also waits.
import { expect } from 'vitest';

if (
  /[/\\](src[/\\](state|ui)|extensions[/\\]\w+[/\\]\w+[/\\](look|page|state))[/\\]/.test(
    expect.getState().testPath ?? '',
  )
) {
  const { Language } = await import('../visitor/language.svelte.ts');
  await new Language().begin('en');
}
