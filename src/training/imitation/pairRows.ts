// Converts preference pairs in text to rows of tokens. Each side of a pair is the text after the prompt in one agent's
// context, in the format of exported pairs. The text consists of messages, each after the header of its role. The last
// message was written by this agent. A text without any header is a single message of the agent whose answer counts. If
// the pair lists the spans of sampled tokens, these spans are used.
import { FormatError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import type { PreferenceText, TokenSpan } from '../../records/stored/preference.ts';
import { roles, type Role } from '../../records/ids.ts';
import { roleHeaders } from '../../text/chatTemplate.ts';
import { isHeard, type ViewRow } from '../../rollout/view.ts';
import type { Team } from '../team/team.ts';

export interface PairRow {
  /** The agent that learns from the row. */
  agent: number;
  /**
   * The row of tokens. Only the agent's own turns are numbered in this row, so that the number of a turn equals its
   * round.
   */
  view: ViewRow;
}

type Reader = Pick<Team, 'tokenizer' | 'tokens' | 'protocol' | 'shape'>;

/**
 * Builds the preferred and the rejected row of a pair. Throws FormatError if the text contains words outside the
 * vocabulary, if no agent has the role in the pair, if the two sides have different speakers, if a span is outside the
 * text, or if the text is longer than the context. The error begins with `where`.
 */
export function pairRows(
  { prompt, chosen, rejected, chosenSpans, rejectedSpans }: PreferenceText,
  team: Reader,
  where: string,
): [PairRow, PairRow] {
  const start = encode(prompt, team, `${where}: prompt`);
  const [better, worse] = [
    sideRow(start, encode(chosen, team, `${where}: chosen`), { team, where: `${where}: chosen`, spans: chosenSpans }),
    sideRow(start, encode(rejected, team, `${where}: rejected`), {
      ...{ team, where: `${where}: rejected`, spans: rejectedSpans },
    }),
  ];
  if (better.agent !== worse.agent)
    throw new FormatError(
      spoken`${where}: chosen ends with a message of agent ${better.agent}, but rejected ends with one of agent ${worse.agent}; a pair must compare messages of the same speaker.`,
    );
  return [better, worse];
}

/** The assumed maximum number of characters of a token's text. */
const mostSignsPerToken = 32;

function encode(text: string, { tokenizer, shape }: Reader, where: string): number[] {
  if (text.length > mostSignsPerToken * shape.maxPositions)
    throw new FormatError(
      spoken`${where}: ${text.length} characters do not fit into a context of ${shape.maxPositions} tokens; leave the pair out.`,
    );
  try {
    return tokenizer.encode(text);
  } catch (error) {
    if (error instanceof FormatError) throw new FormatError(`${where}: ${error.message}`);
    throw error;
  }
}

interface Message {
  role: Role;
  /** Index of the message's first token after the header. */
  from: number;
  /** Index after the last sampled token of the message. */
  to: number;
}

function sideRow(
  prompt: readonly number[],
  said: readonly number[],
  { team, where, spans }: { team: Reader; where: string; spans: readonly TokenSpan[] | undefined },
): PairRow {
  const { protocol, tokens, shape } = team;
  const answering = protocol.answerFrom === 'majority' ? 0 : protocol.answerFrom;
  const headerIds = new Map(roles.map((role) => [tokens.headers[role][0] as number, role]));
  const isBare = !said.some((id) => headerIds.has(id));
  const given = isBare ? [...tokens.headers[protocol.roles[answering] as Role], ...said] : [...said];
  if (isBare && given.at(-1) !== tokens.endOfTurn && given.at(-1) !== tokens.finish) given.push(tokens.endOfTurn);
  if (prompt.length + given.length > shape.maxPositions)
    throw new FormatError(
      spoken`${where}: this text and the prompt have ${prompt.length + given.length} tokens together, but a context can have at most ${shape.maxPositions}; leave the pair out, or allow more rounds.`,
    );
  const sampled = spans && sampledMessages(given, spans, { headerIds, where });
  const messages = sampled ?? messagesOf(given, headerIds, tokens);
  const { role } = messages.at(-1) as Message;
  const agents = [...protocol.roles.keys()].filter((agent) => protocol.roles[agent] === role);
  const agent = isBare ? answering : (agents[0] ?? -1);
  if (agent < 0)
    throw new FormatError(
      spoken`${where}: the last message belongs to the role ${roleHeaders[role]}, but no agent has this role here; choose the protocol in which the pairs were made.`,
    );
  // If several agents have the same role and the pair lists no spans, only the last message was certainly written by
  // this agent.
  const own = messages.filter(
    (message, i) => message.role === role && (sampled || agents.length === 1 || i === messages.length - 1),
  );
  // In each round, the row contains one message from each agent with this role that the agent hears, and the agent's
  // own message.
  const heardAtOnce = agents.filter((speaker) => speaker === agent || isHeard(speaker, agent, tokens)).length;
  const ids = [...prompt, ...given.slice(0, (own.at(-1) as Message).to)];
  const turnIds = ids.map(() => -1);
  const ofRole = messages.filter((message) => message.role === role);
  own.forEach((message) => {
    const turn = Math.floor(ofRole.indexOf(message) / (sampled ? 1 : heardAtOnce));
    turnIds.fill(turn, prompt.length + message.from, prompt.length + message.to);
  });
  const view = { ids, isAction: turnIds.map((turn) => turn >= 0), turnIds, logprobs: ids.map(() => 0) };
  return { agent, view };
}

/** The messages that the speaker sampled, according to the spans of the pair. */
function sampledMessages(
  ids: readonly number[],
  spans: readonly TokenSpan[],
  { headerIds, where }: { headerIds: ReadonlyMap<number, Role>; where: string },
): Message[] {
  const messages = spans.map(([from, to], i): Message => {
    const role = headerIds.get(ids[from - 1] ?? -1);
    const start = spans[i - 1]?.[1] ?? 0;
    if (!role || from < start || to <= from || to > ids.length)
      throw new FormatError(
        spoken`${where}: spans: expected a span between ${start} and ${ids.length} that begins directly after the header of a role, got [${from}, ${to}]; leave the column out to use the headers.`,
      );
    return { role, from, to };
  });
  if (new Set(messages.map(({ role }) => role)).size !== 1)
    throw new FormatError(
      spoken`${where}: spans: expected the text of one role, got the text of ${new Set(messages.map(({ role }) => role)).size} roles; leave the column out to use the headers.`,
    );
  return messages;
}

/** Finds the messages in a context. Each message extends from its header to the end of its turn. */
function messagesOf(
  ids: readonly number[],
  headerIds: ReadonlyMap<number, Role>,
  { endOfTurn, finish }: Team['tokens'],
): Message[] {
  const messages: Message[] = [];
  ids.forEach((id, at) => {
    const role = headerIds.get(id);
    if (!role) return;
    let to = at + 1;
    while (to < ids.length && ids[to] !== endOfTurn && ids[to] !== finish && !headerIds.has(ids[to] as number)) to++;
    const hasEnd = ids[to] === endOfTurn || ids[to] === finish;
    messages.push({ role, from: at + 1, to: hasEnd ? to + 1 : to });
  });
  return messages;
}
