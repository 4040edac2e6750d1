// Loads the page's texts before each test file of the page. The page also waits for these texts before it is displayed.
import { expect } from 'vitest';

if (
  /[/\\](src[/\\](state|ui)|extensions[/\\]\w+[/\\]\w+[/\\](look|page|state))[/\\]/.test(
    expect.getState().testPath ?? '',
  )
) {
  const { Language } = await import('../visitor/language.svelte.ts');
  await new Language().begin('en');
}
