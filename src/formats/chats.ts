// Chats as JSON Lines, one chat per line: `{"messages": [{"role": "user", "content": "…"}, …]}`, which is the format that
// supervised trainers such as TRL's SFTTrainer read. The field `agent` (or `role`) names the agent that imitates the
// chat: a role, or the number of an agent from 0. Other fields are ignored. A line of an exported file of dialogues
// (jsonl.ts) is read as a dialogue of a team.
import * as v from 'valibot';
import { FormatError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { roles, type Role } from '../records/ids.ts';
import type { ImitatedChat } from '../records/stored/chatFile.ts';
import { trajectorySchema } from '../records/trajectory.ts';
import { placeIn, readJsonLines } from './jsonLines.ts';
import { trajectoryFields } from './jsonl.ts';

/** The whole file is read into memory. An exported dialogue also contains tokens and log-probabilities. */
const limits = { mostSigns: 8_000_000, mostLineSigns: 200_000 };

/** The words of the page for two roles. */
const spokenRoles: Readonly<Record<string, Role>> = { planner: 'metaThinking', reasoner: 'reasoning' };
const roleNames = [...Object.keys(spokenRoles), ...roles];

const agent = v.nullish(v.union([v.picklist(roleNames), v.pipe(v.number(), v.integer(), v.minValue(0))]));
const schema = v.object({
  messages: v.pipe(
    v.array(v.object({ role: v.picklist(['system', 'user', 'assistant']), content: v.string() })),
    v.minLength(1),
  ),
  agent,
  role: agent,
});
const dialogueForm = v.looseObject({
  problem: v.looseObject({}),
  messages: v.array(v.looseObject({})),
  turns: v.array(v.looseObject({})),
});

/**
 * Reads chats; empty lines and a byte order mark are skipped. Throws FormatError with the line and the field if a line is
 * invalid, or if the assistant says nothing in a chat.
 */
export const readChats = (text: string): ImitatedChat[] => readJsonLines(text, limits, readChat);

function readChat(json: unknown, line: number): ImitatedChat {
  if (v.is(dialogueForm, json)) return readDialogue(json, line);
  const parsed = v.safeParse(schema, json);
  if (!parsed.success) {
    const { field, received } = placeIn(parsed.issues);
    throw new FormatError(
      spoken`line ${line}: ${field}: expected ${expectedAt(field)}, got ${received}; a chat has the field messages, a list of messages with role and content.`,
    );
  }
  const { messages, agent: named, role } = parsed.output;
  if (!messages.some((message) => message.role === 'assistant' && message.content !== ''))
    throw new FormatError(
      spoken`line ${line}: messages: expected a message of the assistant, which is what is imitated, got none; add one, or leave the line out.`,
    );
  const by = named ?? role;
  return { line, messages, ...(by != null && { by: typeof by === 'string' ? roleOf(by) : by }) };
}

const roleOf = (name: string): Role => spokenRoles[name] ?? (name as Role);

function expectedAt(field: string): string {
  if (field === 'agent' || field === 'role') return spoken`the number of an agent from 0, or ${roleNames.join(', ')}`;
  if (/^messages\.\d+\.role$/.test(field)) return 'system, user, assistant';
  if (/^messages\.\d+\.content$/.test(field)) return spoken`text`;
  return /^messages\.\d+$/.test(field) ? spoken`a message with role and content` : spoken`a list of messages`;
}

function readDialogue(fields: v.InferOutput<typeof dialogueForm>, line: number): ImitatedChat {
  const parsed = v.safeParse(trajectorySchema, trajectoryFields(fields));
  if (parsed.success) return { line, trajectory: parsed.output };
  const { field, received } = placeIn(parsed.issues);
  throw new FormatError(
    spoken`line ${line}: ${field}: expected a dialogue as it is exported here, got ${received}; leave out the fields problem and turns if the line is a chat.`,
  );
}
