// Chats from a file, which the adapters of an imported language model imitate before reinforcement learning.
import type { Role } from '../ids.ts';
import type { Trajectory } from '../trajectory.ts';
import type { ChatMessage } from './modelCard.ts';

/** A chat in which at least one message is from the assistant. */
interface WrittenChat {
  /** The number of the line in the file, from 1. */
  line: number;
  messages: readonly ChatMessage[];
  /** The agents that imitate the chat: those with a role, or one agent by its number (from 0). Absent: all agents. */
  by?: Role | number;
}

/** A dialogue of a whole team, as it is exported here. Each agent imitates its own messages. */
interface ExportedDialogue {
  /** The number of the line in the file, from 1. */
  line: number;
  trajectory: Trajectory;
}

export type ImitatedChat = WrittenChat | ExportedDialogue;

export interface ChatFile {
  name: string;
  /** The SHA-256 of the text of the file. */
  digest: string;
  chats: readonly ImitatedChat[];
}
