// Makes the part of a world that a language model needs from the module of the world: its prompts, and the conversion of
// messages between plain words and the world's own vocabulary.
import type { WorldForm } from '../../config/worlds/form.ts';
import type { WordsModule } from '../contract/worldModule.ts';
import type { InWords, World } from '../world.ts';
import type { WordsWorld } from './worldInWords.ts';
import { chatFrom } from './prompts.ts';
import type { PromptTexts } from './names.ts';

/** The maximum number of tokens of a turn in plain words, if neither the settings nor the module determines it. */
const usualWindow = 64;

/** The functions and texts of a module for agents that talk in plain words; defaults replace what the module lacks. */
export function inWordsFrom(words: WordsModule, form: Pick<WorldForm, 'hidden'>): InWords {
  const { chatWindow, chatObservation, chat, facts, fromWords, toWords, observedInWords } = words;
  const untold: PromptTexts = Object.fromEntries(
    form.hidden.map(({ name, label }) => [
      `hidden.${name}`,
      `${label[0]?.toUpperCase() ?? ''}${label.slice(1)}: {${name}}\n`,
    ]),
  );
  const prompts = { ...untold, ...words.prompts };
  return {
    ...{ window: chatWindow ?? usualWindow, prompts },
    ...(chatObservation !== undefined && { observationWindow: chatObservation }),
    chat: (problem, { agent, role, duty, sees, heard }, { usual, chosen }) => {
      if (chat) return chat(problem, { agent, role, duty, sees, heard });
      const seen = sees.map((name) => [name, (problem.hidden[name] ?? '').trim()]);
      const known = { question: problem.shown, ...Object.fromEntries(seen), ...facts?.(problem, sees) };
      return chatFrom([chosen, prompts, ...usual], known, { role, duty, sees, heard });
    },
    fromWords: (problem, message) => fromWords?.(problem, message) ?? { text: message.text, isExact: true },
    toWords: (problem, message) => toWords?.(problem, message) ?? message.text.trim(),
    observedInWords: (problem, text) => observedInWords?.(problem, text) ?? text.trim(),
  };
}

/** The same world with these prompts and conversions for agents that talk in plain words. */
export const withWords = (world: World, words: WordsModule): WordsWorld => ({
  ...world,
  inWords: inWordsFrom(words, world),
});
