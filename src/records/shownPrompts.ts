// The prompts of a team that talks in plain words, as the page shows them before a run.
import type { Role } from './ids.ts';
import type { ChatMessage } from './stored/modelCard.ts';

/** The chat that an agent reads about an example problem before its first turn. */
export interface ShownChat {
  agent: number;
  role: Role;
  messages: readonly ChatMessage[];
  /** The number of tokens of the chat; null if the model is not loaded. */
  tokens: number | null;
}

export interface ShownPrompts {
  /** The texts from which the chats of this team are made, by name, as they are without the settings. */
  texts: Readonly<Record<string, string>>;
  chats: readonly ShownChat[];
}
