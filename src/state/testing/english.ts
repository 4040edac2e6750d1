// Runs before each test file of the page, and loads the page's texts. The page itself also waits for them.
import { expect } from 'vitest';

if (
  /[/\\](src[/\\](state|ui)|extensions[/\\]\w+[/\\]\w+[/\\](look|page|state))[/\\]/.test(
    expect.getState().testPath ?? '',
  )
) {
  const { Language } = await import('../visitor/language.svelte.ts');
  await new Language().begin('en');
}
