// Makes the part of a world that a language model needs from the module of the world: its prompts, and the conversion of
// messages between plain words and the world's own vocabulary.
import type { WorldForm } from '../../config/worlds/form.ts';
import type { WorldModule } from '../contract/worldModule.ts';
import type { InWords } from '../world.ts';
import { chatFrom, type PromptTexts } from './prompts.ts';

/** The maximum number of tokens of a turn in plain words, if neither the settings nor the module determines it. */
const usualWindow = 64;

/** The functions and texts of a module for agents that talk in plain words; defaults replace what the module lacks. */
export function inWordsFrom(module: WorldModule, form: Pick<WorldForm, 'hidden'>): InWords {
  const { about, chat, facts, fromWords, toWords, observedInWords } = module;
  const untold: PromptTexts = Object.fromEntries(
    form.hidden.map(({ name, label }) => [
      `hidden.${name}`,
      `${label[0]?.toUpperCase() ?? ''}${label.slice(1)}: {${name}}\n`,
    ]),
  );
  const prompts = { ...untold, ...about.prompts };
  return {
    ...{ window: about.chatWindow ?? usualWindow, prompts },
    ...(about.chatObservation !== undefined && { observationWindow: about.chatObservation }),
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
