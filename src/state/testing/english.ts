// Before each test file of the page: its words, which the page itself waits for as well.
import { expect } from 'vitest';

if (/[/\\](src[/\\](state|ui)|look)[/\\]/.test(expect.getState().testPath ?? '')) {
  const { Language } = await import('../visitor/language.svelte.ts');
  await new Language().begin('en');
}
