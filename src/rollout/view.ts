// Builds the rows of an agent: its prompt, the turns with their headers, and the world's answers. The input of the
// decoder and the rows for training are built by the same code, so that they cannot differ. Among simultaneous turns,
// the agent's own turn comes first, because the agent sampled it before it received the others. If the context grows,
// all turns of an agent are in one row. If a new context is built for each turn, each turn is a row of its own. If
// agents talk in plain words, the context is a chat in the model's own format, without our headers.
import type { Problem } from '../records/problem.ts';
import type { Protocol } from '../records/protocol.ts';
import { ownTurns } from '../records/branch.ts';
import { setOf, setsOf, type Reaction, type Trajectory, type Turn } from '../records/trajectory.ts';
import { roles, type Role } from '../records/ids.ts';
import { endOfTurn, feedbackTexts, finish, roleHeaders } from '../text/chatTemplate.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import type { HeardInWords } from '../tasks/world.ts';

/** The tokenizer of an agent, and the special token ids that rows need. */
export interface Vocabulary {
  tokenizer: Tokenizer;
  endOfTurn: number;
  finish: number;
  /** The header of each role. */
  headers: Record<Role, number[]>;
  /** Tokens of the feedback after an answer, indexed by `Turn.feedback`. */
  feedback: readonly number[][];
}

/**
 * Returns the whole context of an agent before its next turn, if agents talk in plain words. `heard` contains all
 * messages that the agent has sampled or received.
 */
export type ReadInWords = (problem: Problem, agent: number, heard: readonly HeardInWords[]) => number[];

/**
 * The information from which contexts are built: which agents hear each other, and the vocabularies. If `ofAgents` is
 * absent, all agents use the vocabulary of the first agent.
 */
export interface ViewTokens extends Vocabulary {
  /** The vocabulary of each agent; present only if the vocabularies differ. */
  ofAgents?: readonly Vocabulary[];
  /** For each agent, the agents that it hears in addition to itself; absent if all agents hear each other. */
  hears?: NonNullable<Protocol['hears']>;
  /** How contexts are built. If absent, contexts grow from turn to turn. */
  context?: NonNullable<Protocol['context']>;
  /**
   * Builds the contexts of agents that talk in plain words; absent if agents talk in our own tokens. If it is present,
   * a new context is built for each turn.
   */
  inWords?: ReadInWords;
  /**
   * True if the context of an agent that talks in plain words contains only the newest message of each agent; otherwise
   * it contains all messages.
   */
  isRecent?: boolean;
}

function vocabularyOf(tokenizer: Tokenizer): Vocabulary {
  const headers = roles.map((role) => [role, tokenizer.encode(roleHeaders[role])]);
  return {
    tokenizer,
    endOfTurn: tokenizer.id(endOfTurn),
    finish: tokenizer.id(finish),
    headers: Object.fromEntries(headers) as ViewTokens['headers'],
    feedback: feedbackTexts.map((text) => tokenizer.encode(text)),
  };
}

/**
 * The vocabularies from which a protocol's views are built; `tokenizers` contains one for each agent, or a single one
 * for all agents.
 */
export function viewTokens(
  { hears, context }: Pick<Protocol, 'hears' | 'context'>,
  tokenizers: readonly Tokenizer[],
  inWords?: Required<Pick<ViewTokens, 'inWords' | 'isRecent'>>,
): ViewTokens {
  const found = new Map(tokenizers.map((tokenizer) => [tokenizer, vocabularyOf(tokenizer)]));
  const first = found.get(tokenizers[0] as Tokenizer) as Vocabulary;
  const ofAgents = tokenizers.map((tokenizer) => found.get(tokenizer) as Vocabulary);
  return {
    ...first,
    ...(ofAgents.some((vocabulary) => vocabulary !== first) && { ofAgents }),
    ...(hears && { hears }),
    ...(context && { context }),
    ...inWords,
  };
}

/** The vocabulary of an agent. */
export const vocabularyAt = (tokens: ViewTokens, agent: number): Vocabulary => tokens.ofAgents?.[agent] ?? tokens;

/** The tokens before a turn of an agent in the agent's own rows. */
export const headerOf = (tokens: ViewTokens, agent: number, role: Role): readonly number[] =>
  tokens.inWords ? [] : vocabularyAt(tokens, agent).headers[role];

/**
 * The tokens of a turn in the vocabulary of `listener` (by default, the first agent), including the token that ended
 * the turn. In the speaker's own vocabulary, these are the sampled tokens. In another vocabulary, they are the
 * tokenized text of the turn.
 */
export function heardTokens(turn: Turn, tokens: ViewTokens, listener = 0): readonly number[] {
  const reads = vocabularyAt(tokens, listener);
  if (vocabularyAt(tokens, turn.agent).tokenizer === reads.tokenizer) return turn.tokens;
  const end = turn.isFinish ? reads.finish : reads.endOfTurn;
  return [...reads.tokenizer.encode(turn.text), ...(turn.isTruncated ? [] : [end])];
}

/** The prompt of an agent, in the vocabulary of the first agent. */
export function heardPrompt(prompt: readonly number[], tokens: ViewTokens, agent: number): number[] {
  const { tokenizer } = vocabularyAt(tokens, agent);
  const reads = vocabularyAt(tokens, 0).tokenizer;
  return tokenizer === reads ? [...prompt] : reads.encode(tokenizer.decode(prompt));
}

/**
 * The tokens after the sampled tokens of a turn, in every agent's rows: an end-of-turn token if the turn was truncated,
 * then the feedback, if there is any.
 */
export function turnEnd(
  { isTruncated, feedback }: Pick<Turn, 'isTruncated' | 'feedback'>,
  { endOfTurn, feedback: told }: Pick<Vocabulary, 'endOfTurn' | 'feedback'>,
): number[] {
  return [...(isTruncated ? [endOfTurn] : []), ...((feedback !== undefined && told[feedback]) || [])];
}

/**
 * The tokens of a whole turn for another agent's context. If messages are shuffled, the listener hears another message
 * instead. If the turn is masked for the listener, the tokens show only that there was a message. If `listener` is
 * absent, the original turn is returned.
 */
export function turnContext(turn: Turn, tokens: ViewTokens, listener?: number): number[] {
  const reads = vocabularyAt(tokens, listener ?? 0);
  const header = reads.headers[turn.role];
  if (listener !== undefined && turn.maskedFor?.includes(listener)) return [...header, reads.endOfTurn];
  const said = listener === undefined ? turn : { ...turn, ...turn.heardAs };
  return [...header, ...heardTokens(said, tokens, listener), ...turnEnd(said, reads)];
}

/** Whether one agent (the listener) receives the messages of another one (the speaker). */
export function isHeard(speaker: number, listener: number, { hears }: Pick<ViewTokens, 'hears'>): boolean {
  return speaker !== listener && (hears?.[listener]?.includes(speaker) ?? true);
}

/** Whether an agent (by default, any agent) reads an observation in the world's answer. */
function isRead(reaction: Reaction | undefined, reader?: number): boolean {
  const { text = '', readers } = reaction?.observation ?? {};
  return text !== '' && (reader === undefined || (readers?.includes(reader) ?? true));
}

/**
 * The tokens of the observation in the world's answer, if the agent reads it; otherwise no tokens. If `reader` is
 * absent, returns the observation in the vocabulary of the first agent.
 */
export function observedTokens(reaction: Reaction | undefined, tokens: ViewTokens, reader?: number): number[] {
  if (!isRead(reaction, reader)) return [];
  return vocabularyAt(tokens, reader ?? 0).tokenizer.encode(reaction?.observation?.text ?? '');
}

/**
 * A part of a context, with the turn whose tokens it contains or to which it is a response. The turn is null for the
 * prompt and for the world's opening observation.
 */
interface Stretch {
  turn: Turn | null;
  ids: readonly number[];
}

/**
 * The tokens that are appended to an agent's context after a set of simultaneous turns: the end of the agent's own
 * turn, then the other turns, each with the world's answer.
 */
export function setContext(set: readonly Turn[], agent: number, tokens: ViewTokens): Stretch[] {
  const own = set.filter((turn) => (turn.agent as number) === agent);
  const others = set.filter((turn) => (turn.agent as number) !== agent);
  return [...own, ...others]
    .map((turn) => {
      const isOwn = (turn.agent as number) === agent;
      const said = isOwn ? turnEnd(turn, vocabularyAt(tokens, agent)) : heardContext(turn, agent, tokens);
      return { turn, ids: [...said, ...observedTokens(turn.reaction, tokens, agent)] };
    })
    .filter(({ ids }) => ids.length > 0);
}

const heardContext = (turn: Turn, listener: number, tokens: ViewTokens) =>
  isHeard(turn.agent, listener, tokens) ? turnContext(turn, tokens, listener) : [];

/** The beginning of an agent's first context: its prompt, then the world's opening observation. */
export function openingContext(
  { prompts, opening }: Pick<TrajectorySoFar, 'prompts' | 'opening'>,
  agent: number,
  tokens: ViewTokens,
): number[] {
  return [...(prompts[agent] ?? []), ...observedTokens(opening, tokens, agent)];
}

type TrajectorySoFar = Pick<Trajectory, 'problem' | 'prompts' | 'opening' | 'turns'>;

/**
 * The context of an agent's next turn, if a new context is built for each turn. This context consists of the prompt and
 * of the newest messages of the agent itself and of each agent that it hears, each with the world's answer. The world's
 * opening observation is included until the world has answered a message. If agents talk in plain words, the context is
 * a chat with all messages that the agent has sampled or received.
 */
export function freshContext(trajectory: TrajectorySoFar, agent: number, tokens: ViewTokens): Stretch[] {
  if (tokens.inWords) return chatContext(trajectory, agent, { ...tokens, inWords: tokens.inWords });
  const { prompts, turns } = trajectory;
  const hasNews = turns.some(({ reaction }) => isRead(reaction, agent));
  const newest = [...prompts.keys()].flatMap((speaker) => turns.findLast((turn) => turn.agent === speaker) ?? []);
  const sets = setsOf(newest.sort((a, b) => a.index - b.index));
  return [
    { turn: null, ids: hasNews ? (prompts[agent] ?? []) : openingContext(trajectory, agent, tokens) },
    ...sets.flatMap((set) => {
      const own = set.find((turn) => (turn.agent as number) === agent);
      const said = own ? [{ turn: own, ids: [...vocabularyAt(tokens, agent).headers[own.role], ...own.tokens] }] : [];
      return [...said, ...setContext(set, agent, tokens)];
    }),
  ];
}

/** The tokens of the chat that an agent reads before its next turn, divided by the turns from which they come. */
function chatContext(
  trajectory: TrajectorySoFar,
  agent: number,
  { inWords, ...tokens }: ViewTokens & { inWords: ReadInWords },
): Stretch[] {
  const { problem } = trajectory;
  const known = knownInWords(trajectory, agent, tokens);
  const messages = known.map(({ message }) => message);
  const ids = inWords(problem, agent, messages);
  const stretches: Stretch[] = [];
  let at = 0;
  for (const [i, { turn }] of known.entries()) {
    // Finds the tokens of the chat that come from a turn: those that would be different if the turn were empty.
    const without = inWords(
      problem,
      agent,
      messages.map((one, j) => (j === i ? { ...one, text: '' } : one)),
    );
    const [from, to] = differing(ids, without);
    if (to <= Math.max(from, at)) continue;
    stretches.push(
      { turn: null, ids: ids.slice(at, Math.max(from, at)) },
      { turn, ids: ids.slice(Math.max(from, at), to) },
    );
    at = to;
  }
  return [...stretches, { turn: null, ids: ids.slice(at) }].filter((stretch) => stretch.ids.length > 0);
}

/** The messages and observations that an agent has read or sampled, with the turns from which they come. */
function knownInWords(
  { opening, prompts, turns }: TrajectorySoFar,
  agent: number,
  tokens: Omit<ViewTokens, 'inWords'>,
): { turn: Turn | null; message: HeardInWords }[] {
  const isOwn = (turn: Turn) => (turn.agent as number) === agent;
  const observed = (reaction: Reaction | undefined, turn: Turn | null) =>
    isRead(reaction, agent)
      ? [{ turn, message: { ...spokenBy(turn), isOwn: false, isWorld: true, text: reaction?.observation?.text ?? '' } }]
      : [];
  const recent = tokens.isRecent
    ? [...prompts.keys()].flatMap((speaker) => turns.findLast((turn) => turn.agent === speaker) ?? [])
    : turns;
  const hasNews = tokens.isRecent && turns.some(({ reaction }) => isRead(reaction, agent));
  const heard = setsOf([...recent].sort((a, b) => a.index - b.index)).flatMap((set) => [
    ...set.filter(isOwn),
    ...set.filter((turn) => !isOwn(turn)),
  ]);
  return [
    ...observed(hasNews ? undefined : opening, null),
    ...heard.flatMap((turn) => {
      const { text } = isOwn(turn) ? turn : { ...turn, ...turn.heardAs };
      const isMasked = turn.maskedFor?.includes(agent) === true;
      const message = { ...spokenBy(turn), isOwn: isOwn(turn), text: isMasked ? '' : text };
      const isKnown = isOwn(turn) || isHeard(turn.agent, agent, tokens);
      return [...(isKnown ? [{ turn, message }] : []), ...observed(turn.reaction, turn)];
    }),
  ];
}

const spokenBy = (turn: Turn | null) => ({ role: turn?.role ?? 'reasoning', agent: turn?.agent ?? 0 }) as const;

/**
 * The range [from, to) of the first list that differs from the second list. Before and after this range, both lists are
 * equal.
 */
function differing(ids: readonly number[], others: readonly number[]): [number, number] {
  const shorter = Math.min(ids.length, others.length);
  let from = 0;
  while (from < shorter && ids[from] === others[from]) from++;
  let behind = 0;
  while (behind < shorter - from && ids.at(-1 - behind) === others.at(-1 - behind)) behind++;
  return [from, ids.length - behind];
}

export interface ViewRow {
  ids: number[];
  /** Whether the row's agent sampled the token. */
  isAction: boolean[];
  /** For each sampled token, the index of its turn; −1 for all other tokens. */
  turnIds: number[];
  /** For each sampled token, its log-probability when it was sampled; 0 for all other tokens. */
  logprobs: number[];
}

/** A row of a dialogue that has already been sampled. */
export interface SaidRow extends ViewRow {
  /**
   * For each token, the index of the turn that contains it or to which it is a response; −1 for tokens before the first
   * turn of the dialogue.
   */
  ofTurn: number[];
}

/**
 * The rows of one agent in a dialogue, in order. Each row ends with its last sampled token. The list is empty if the
 * agent did not speak.
 */
export function viewRows(trajectory: Trajectory, agent: number, tokens: ViewTokens): SaidRow[] {
  const { turns } = trajectory;
  const own = ownTurns(trajectory).filter((turn) => (turn.agent as number) === agent);
  if (own.length === 0) return [];
  if (!tokens.context) return [viewRow(trajectory, agent, tokens)];
  return own.map((turn) => {
    const [row, push] = emptyRow();
    const before = { ...trajectory, turns: turns.slice(0, setOf(turn)) };
    for (const stretch of freshContext(before, agent, tokens)) push(stretch);
    push({ turn, ids: headerOf(tokens, agent, turn.role) });
    push({ turn, ids: turn.tokens }, true);
    return row;
  });
}

function emptyRow(): [SaidRow, (stretch: Stretch, isAction?: boolean) => void] {
  const row: SaidRow = { ids: [], isAction: [], turnIds: [], ofTurn: [], logprobs: [] };
  const push = ({ turn, ids }: Stretch, isAction = false) => {
    const index = turn?.index ?? -1;
    ids.forEach((id, t) => {
      row.ids.push(id);
      row.isAction.push(isAction);
      row.turnIds.push(isAction ? index : -1);
      row.ofTurn.push(index);
      row.logprobs.push(isAction ? (turn?.logprobs[t] ?? 0) : 0);
    });
  };
  return [row, push];
}

/** The single row of an agent whose context grows. It ends with the last token that the agent sampled. */
export function viewRow(trajectory: Trajectory, agent: number, tokens: ViewTokens): SaidRow {
  const [row, push] = emptyRow();
  push({ turn: null, ids: openingContext(trajectory, agent, tokens) });
  let end = row.ids.length;
  for (const set of setsOf(trajectory.turns)) {
    const own = set.find((turn) => (turn.agent as number) === agent);
    if (own) {
      push({ turn: own, ids: vocabularyAt(tokens, agent).headers[own.role] });
      const isInherited = own.index < (trajectory.branch?.from ?? 0);
      push({ turn: own, ids: own.tokens }, !isInherited);
      if (!isInherited) end = row.ids.length;
    }
    for (const stretch of setContext(set, agent, tokens)) push(stretch);
  }
  for (const column of Object.values(row) as unknown[][]) column.length = end;
  return row;
}
