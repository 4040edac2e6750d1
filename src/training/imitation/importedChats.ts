// SFT of the adapters of an imported language model on chats from a file, before reinforcement learning. Each message of
// the assistant is one row: the messages before it in the model's own chat format, which are not learned, and then the
// message and the token that ends a turn, which are learned. Sampled turns have the same form. The chats are imitated in
// epochs, each in another order.
import { ConfigError, FormatError, isNamedError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { spoken } from '../../base/spoken.ts';
import type { Config } from '../../config/schema.ts';
import type { ChatFile, ImitatedChat } from '../../records/stored/chatFile.ts';
import type { ForeignModel } from '../../records/stored/foreignModel.ts';
import type { ChatMessage } from '../../records/stored/modelCard.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { viewRows, vocabularyAt, type ViewRow } from '../../rollout/view.ts';
import { chatTokens, readyTemplates, type ChatForm } from '../../text/chat.ts';
import { saysFinish } from '../../text/chatTemplate.ts';
import { layRows } from '../rows/rows.ts';
import { chatFormOf } from '../team/foreignTokens.ts';
import type { Team } from '../team/team.ts';
import type { StepRows } from './warmStart.ts';

interface LessonRow {
  agent: number;
  view: ViewRow;
}

export interface ChatLessons {
  /** The SHA-256 of the file. */
  digest: string;
  /** [network][chat] the rows of each chat that a network imitates. */
  ofNetworks: readonly (readonly LessonRow[][])[];
}

/**
 * The rows that the networks of a team imitate. Throws FormatError, with the name of the file and the line, for a chat
 * that the team cannot imitate, and ConfigError if the team uses no imported language model.
 */
export async function lessonsFrom(team: Team, file: ChatFile): Promise<ChatLessons> {
  const { foreign, agentsOf } = team;
  if (!foreign)
    throw new ConfigError(
      spoken`agents.start: chats are imitated by adapters of an imported language model, but this run uses none; open a model first.`,
    );
  await readyTemplates();
  const form = chatFormOf(foreign);
  const rows = file.chats.map((chat) =>
    rowsOf(chat, { team, foreign, form, where: `${file.name}: line ${chat.line}` }),
  );
  return {
    digest: file.digest,
    ofNetworks: agentsOf.map((agents) =>
      rows.map((ofAgents) => ofAgents(agents)).filter((ofChat) => ofChat.length > 0),
    ),
  };
}

interface Reader {
  team: Team;
  foreign: ForeignModel;
  form: ChatForm;
  /** The place of the chat, with which errors begin. */
  where: string;
}

/** Returns the rows of a chat, as a function of the agents of a network. */
function rowsOf(chat: ImitatedChat, reader: Reader): (agents: readonly number[]) => LessonRow[] {
  if ('trajectory' in chat) {
    const dialogue = spokenIn(chat.trajectory, reader);
    const ofAgents = reader.team.protocol.roles.map((_, agent) =>
      viewRows(dialogue, agent, reader.team.tokens).map((view) => ({ agent, view: fitting(view, reader) })),
    );
    return (agents) => agents.flatMap((agent) => ofAgents[agent] ?? []);
  }
  const learners = learnersOf(chat.by, reader);
  const views = chat.messages.flatMap(({ role, content }, i) =>
    role === 'assistant' && content !== '' ? [fitting(messageRow(chat.messages, i, reader), reader)] : [],
  );
  // Agents that share a network imitate the chat only once.
  return (agents) => {
    const agent = agents.find((one) => learners.includes(one));
    return agent === undefined ? [] : views.map((view) => ({ agent, view }));
  };
}

/** The agents of the team that imitate a chat. */
function learnersOf(by: number | string | undefined, { team: { protocol }, where }: Reader): number[] {
  const agents = [...protocol.roles.keys()];
  const found = agents.filter((agent) => by === undefined || by === agent || by === protocol.roles[agent]);
  if (found.length > 0) return found;
  const known = agents.map((agent) => `${agent} (${protocol.roles[agent]})`).join(', ');
  throw new FormatError(
    spoken`${where}: agent: expected an agent of this team, ${known}, got ${by ?? ''}; correct the field, or leave it out if all agents imitate the chat.`,
  );
}

/** The row of one message of the assistant. */
function messageRow(messages: readonly ChatMessage[], at: number, { team, form, where }: Reader): ViewRow {
  const { controls } = form;
  try {
    // Messages of users are prepared by `chatTokens`.
    const before = messages
      .slice(0, at)
      .map((one) => (one.role === 'user' ? one : { ...one, content: controls.hidden(one.content) }));
    const context = chatTokens(form, before);
    const text = controls.hidden(messages[at]?.content ?? '');
    const said = [...controls.readerOf(text)(text), team.tokens.endOfTurn];
    const ids = [...context, ...said];
    const turnIds = ids.map((_, t) => (t < context.length ? -1 : 0));
    return { ids, isAction: turnIds.map((turn) => turn >= 0), turnIds, logprobs: ids.map(() => 0) };
  } catch (error) {
    if (isNamedError(error)) throw new FormatError(`${where}: ${error.message}`);
    throw error;
  }
}

/** The row itself. Throws FormatError if it is longer than the contexts of the model. */
function fitting(view: ViewRow, { foreign: { label, shape }, where }: Reader): ViewRow {
  const { length } = view.ids;
  if (length <= shape.maxPositions) return view;
  throw new FormatError(
    spoken`${where}: the chat has ${length} tokens, but ${label} can read at most ${shape.maxPositions}; shorten the chat, or leave it out.`,
  );
}

/**
 * The dialogue with the tokens of the team, which may use another model than the exported dialogue. Throws FormatError
 * if the problem or an agent of the dialogue does not belong to the run.
 */
function spokenIn({ problem, ...dialogue }: Trajectory, { team, where }: Reader): Trajectory {
  const { config, protocol, tokens } = team;
  const worlds = [config.world, ...config.world.also].map(({ name }) => name as string);
  if (!worlds.includes(problem.world))
    throw new FormatError(
      spoken`${where}: the dialogue is about the world ${problem.world}, but the run trains in ${worlds.join(', ')}; choose that world, or leave the dialogue out.`,
    );
  const odd = dialogue.turns.find(({ agent, role }) => protocol.roles[agent] !== role);
  if (odd)
    throw new FormatError(
      spoken`${where}: agent ${odd.agent} of the dialogue has the role ${odd.role}, but the agents of the run have the roles ${protocol.roles.join(', ')}; choose the protocol of the dialogue.`,
    );
  const turns = dialogue.turns.map((turn) => {
    const { tokenizer, endOfTurn, finish } = vocabularyAt(tokens, turn.agent);
    const end = turn.isFinish && !(tokens.inWords && saysFinish(turn.text)) ? finish : endOfTurn;
    const ids = [...tokenizer.encode(turn.text), ...(turn.isTruncated ? [] : [end])];
    return { ...turn, tokens: ids, logprobs: ids.map(() => 0) };
  });
  return { ...dialogue, problem, turns, prompts: protocol.roles.map((_, agent) => team.prompt(problem, agent)) };
}

/**
 * The rows of each supervised step. Each network imitates as many of its chats as the settings say, or all of them if
 * there are fewer.
 */
export function chatRows({ ofNetworks }: ChatLessons, { run: { seed }, warmStart }: Config): StepRows {
  return (step) =>
    Promise.resolve((n) => {
      const own = ofNetworks[n] ?? [];
      const size = Math.min(warmStart.batchSize, own.length);
      const order = (epoch: number) => new Draws(seed, streams.chats, epoch).shuffle([...own.keys()]);
      const chosen = Array.from({ length: size }, (_, i) => {
        const place = step * size + i;
        return own[order(Math.floor(place / own.length))[place % own.length] as number] ?? [];
      });
      return layRows(chosen.flatMap((rows, index) => rows.map((row) => ({ index, ...row }))));
    });
}
