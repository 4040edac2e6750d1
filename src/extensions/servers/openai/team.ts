// A team as a model of the chat API: one message of the user is a problem, and the answer is the team's answer. The system
// message contains the hidden part of the problem, and the turns of the dialogue are the reasoning.
import * as v from 'valibot';
import { ConfigError } from '../../../base/errors.ts';
import { Draws, streams } from '../../../base/random.ts';
import { problemSchema, type Problem } from '../../../records/problem.ts';
import type { Trajectory } from '../../../records/trajectory.ts';
import { finish } from '../../../text/chatTemplate.ts';
import type { TypedProblem, World } from '../../../tasks/world.ts';
import { longestDialogue, playDialogue, type ServedTeam } from '../../../../cli/serve/team.ts';
import { read } from '../../../../cli/serve/http.ts';
import { usageOf } from './answers.ts';
import { readChat, seedOf, stopsOf, turnOf, type ChatFields } from './openai.ts';

/** A parsed request to a team. */
export interface TeamQuestion {
  problem: Problem;
  temperature: number;
  seed: number;
  count: number;
  /** Texts before which an answer ends. */
  stops: readonly string[];
  isStreamed: boolean;
  hasUsage: boolean;
}

/** The number of held-out problems that are searched in a world that cannot read typed problems. */
const mostSearched = 1000;

/** The fields of a request to a team that other chats do not have. */
const teamForm = v.object({
  level: v.nullish(v.pipe(v.number('a whole number'), v.safeInteger('a whole number'))),
  /** A complete problem, if its text alone does not determine it. */
  problem: v.exactOptional(problemSchema),
});

/**
 * Reads a request. `other` is the seed of a request without a seed. Throws ConfigError if a field is invalid or cannot be
 * applied to a team, and FormatError if the world cannot read the problem.
 */
export function readTeamAsked(body: unknown, other: number, { team }: Pick<ServedTeam, 'team'>): TeamQuestion {
  const given = readChat(body, teamForm.entries);
  refuseForTeam(given, longestDialogue(team));
  const { level, problem } = read(teamForm, body);
  return {
    problem: problem
      ? wholeProblem(problem, given, team.world)
      : typedProblem(given, team.world, level ?? team.config.world.level),
    temperature: given.temperature ?? 1,
    seed: given.seed == null ? other : seedOf(given.seed),
    count: given.n ?? 1,
    stops: stopsOf(given),
    isStreamed: given.stream ?? false,
    hasUsage: given.stream_options?.include_usage ?? false,
  };
}

/** Throws ConfigError for fields that would change the answer of a single model but cannot change that of a team. */
function refuseForTeam(given: ChatFields, longest: number): void {
  const refuse = (name: string, expected: string, got: unknown) => {
    throw new ConfigError(
      `${name}: expected ${expected}, got ${JSON.stringify(got)}; a team samples as in its evaluation, so leave the field out or name one agent of the team as the model.`,
    );
  };
  if ((given.top_p ?? 1) < 1) refuse('top_p', '1', given.top_p);
  if ((given.top_k ?? 0) > 0) refuse('top_k', '0', given.top_k);
  if ((given.min_p ?? 0) > 0) refuse('min_p', '0', given.min_p);
  if (given.logprobs) refuse('logprobs', 'false', true);
  for (const name of ['max_completion_tokens', 'max_tokens'] as const)
    if ((given[name] ?? Infinity) < longest)
      refuse(name, `at least ${longest}, which is the longest dialogue of this team`, given[name]);
}

/** The texts of the problem in the messages of a request. */
function typedIn({ messages }: ChatFields, { hidden }: World): TypedProblem {
  const turns = messages.map((one, i) => turnOf(one, `messages.${i}`));
  const asked = turns.filter(({ role }) => role === 'user');
  const at = turns.findIndex(({ role }) => role !== 'user' && role !== 'system');
  if (at >= 0 || asked.length !== 1)
    throw new ConfigError(
      `messages${at >= 0 ? `.${at}.role` : ''}: expected one message of the user, after the hidden part of the problem as messages of the system, got ${turns.map(({ role }) => role).join(', ')}; begin a new chat for each problem.`,
    );
  const told = turns.flatMap(({ role, content }) => (role === 'system' ? [content] : []));
  const names = hidden.map(({ name }) => name);
  return { shown: asked[0]?.content ?? '', hidden: hiddenIn(told.join('\n'), names) };
}

const isText = (one: Problem, { shown, hidden }: TypedProblem) =>
  one.shown === shown && Object.entries(hidden).every(([name, text]) => one.hidden[name] === text);

/** The problem that is given as a whole, beside its texts. Throws ConfigError if it is not the problem of the messages. */
function wholeProblem(problem: Problem, given: ChatFields, world: World): Problem {
  expectLevel(world, problem.level);
  if (problem.world === world.name && isText(problem, typedIn(given, world))) return problem;
  throw new ConfigError(
    `problem: expected a problem of the world ${world.name} with the texts in the messages, got another one; send its own texts as messages.`,
  );
}

/** The problem whose texts are in the messages. */
function typedProblem(given: ChatFields, world: World, level: number): Problem {
  expectLevel(world, level);
  const typed = typedIn(given, world);
  if (world.read) return world.read(typed, level);
  const found = world.heldOut(level, mostSearched).find((one) => isText(one, typed));
  if (found) return found;
  throw new ConfigError(
    `messages: the world ${world.name} reads no typed problems, and none of its held-out problems on level ${level} has this text; send the text of one of these problems, or add the whole problem as the field problem.`,
  );
}

function expectLevel({ levels, name }: World, level: number): void {
  if (levels.some((one) => one.level === level)) return;
  throw new ConfigError(`level: expected a level from 1 to ${levels.length} of the world ${name}, got ${level}.`);
}

/**
 * Reads the hidden texts of a problem. Each begins on a line of its own with its name and a colon. If the world has only
 * one hidden text, the name may be left out. Throws ConfigError if a text is given that the world does not have.
 */
export function hiddenIn(told: string, names: readonly string[]): Record<string, string> {
  const [only, ...others] = names;
  if (told.trim() === '') return {};
  const seen = new Set<string>();
  const heads = [...told.matchAll(/^(\w+):[ \t]?/gm)].filter(([, name = '']) => {
    const isNew = names.includes(name) && !seen.has(name);
    seen.add(name);
    return isNew;
  });
  if (heads[0]?.index !== 0) {
    if (only !== undefined && others.length === 0) return { [only]: told };
    const lines = names.map((name) => `“${name}: …”`).join(' and ');
    throw new ConfigError(
      names.length === 0
        ? 'messages: expected no message of the system, because problems of this world have no hidden part; leave it out.'
        : `messages: expected a message of the system with the lines ${lines}; begin each hidden text with its name.`,
    );
  }
  return Object.fromEntries(
    heads.map(({ 0: head, 1: name = '', index }, i) => {
      const text = told.slice(index + head.length, heads[i + 1]?.index ?? told.length);
      return [name, i + 1 < heads.length ? text.replace(/\n$/, '') : text];
    }),
  );
}

/** The message of the system that contains the hidden texts of a problem; empty if there are none. */
export function hiddenText(hidden: Readonly<Record<string, string>>): string {
  const texts = Object.entries(hidden);
  const [[name, text] = ['', ''], ...others] = texts;
  return others.length === 0 && !text.startsWith(`${name}:`)
    ? text
    : texts.map(([name, text]) => `${name}: ${text}`).join('\n');
}

/** The messages with which a client asks for the solution of a problem. */
export function messagesFor({ shown, hidden }: Pick<Problem, 'shown' | 'hidden'>): { role: string; content: string }[] {
  const told = hiddenText(hidden);
  return [...(told === '' ? [] : [{ role: 'system', content: told }]), { role: 'user', content: shown }];
}

/** A training problem that is the same in each call, for examples. */
export const exampleProblem = ({ config, world }: ServedTeam['team']): Problem =>
  world.draw(config.world.level, new Draws(0, streams.problems, 0), 'training');

/** A message of an agent, or a reply of the world, whose agent is null. */
interface SpokenTurn {
  role: string;
  agent: number | null;
  text: string;
}

/** One answer of a team. */
export interface TeamAnswer {
  turns: readonly SpokenTurn[];
  /** The turns, one per line, each after the role that spoke. */
  reasoning: string;
  /** The team's answer; empty if it gave none. */
  content: string;
  reason: 'stop' | 'length';
  /** The number of sampled tokens. */
  tokens: number;
}

/** Plays the dialogues of a request one after another. `hear` receives each part of the answers as soon as it is known. */
export async function teamAnswers(
  served: ServedTeam,
  { count, stops, ...asked }: TeamQuestion,
  { left, hear }: { left: AbortSignal; hear: (choice: number, part: Partial<TeamAnswer>) => void },
): Promise<TeamAnswer[]> {
  const answers: TeamAnswer[] = [];
  for (let choice = 0; choice < count; choice++) {
    let told = '';
    hear(choice, {});
    const tell = (soFar: Trajectory) => {
      const reasoning = reasoningOf(spokenIn(soFar), served);
      if (reasoning !== told) hear(choice, { reasoning: reasoning.slice(told.length) });
      told = reasoning;
    };
    const dialogue = await playDialogue(served, { ...asked, choice }, { left, hear: tell });
    const turns = spokenIn(dialogue);
    const answer: TeamAnswer = {
      ...{ turns, reasoning: reasoningOf(turns, served) },
      content: stopped(dialogue.answer ?? '', stops),
      reason: dialogue.finishCode === 0 ? 'stop' : 'length',
      tokens: dialogue.turns.reduce((sum, { tokens }) => sum + tokens.length, 0),
    };
    answers.push(answer);
    hear(choice, { content: answer.content, reason: answer.reason });
  }
  return answers;
}

/** The text before the first stop text. */
function stopped(text: string, stops: readonly string[]): string {
  const places = stops.map((stop) => text.indexOf(stop)).filter((place) => place >= 0);
  return text.slice(0, Math.min(text.length, ...places));
}

/** The turns and the replies of the world, in order. */
function spokenIn({ opening, turns }: Trajectory): SpokenTurn[] {
  const replied = (text: string | undefined) => (text === undefined ? [] : [{ role: 'world', agent: null, text }]);
  return [
    ...replied(opening?.observation?.text),
    ...turns.flatMap(({ role, agent, text, isFinish, reaction }) => [
      { role, agent, text: isFinish ? `${text}${finish}` : text },
      ...replied(reaction?.observation?.text),
    ]),
  ];
}

/** The turns as lines, each after the role that spoke. */
function reasoningOf(turns: readonly SpokenTurn[], { team: { protocol } }: ServedTeam): string {
  const isAlone = (role: string) => protocol.roles.filter((other) => other === role).length === 1;
  const speaker = ({ role, agent }: SpokenTurn) => (agent === null || isAlone(role) ? role : `${role} ${agent + 1}`);
  return turns.map((turn) => `${speaker(turn)}: ${turn.text}\n`).join('');
}

/** The description of a response that is the same in all of its chunks. */
export interface TeamHead {
  id: string;
  /** Seconds since 1970. */
  created: number;
  model: string;
  /** The number of tokens that the agents read at the start. */
  promptTokens: number;
}

const lengthsOf = (answers: readonly TeamAnswer[]) => answers.map(({ tokens }) => tokens);

/** The complete response. */
export function teamResponse(head: TeamHead, answers: readonly TeamAnswer[]): object {
  const { id, created, model } = head;
  return {
    ...{ id, object: 'chat.completion', created, model },
    choices: answers.map(({ reasoning, turns, content, reason }, index) => ({
      index,
      message: { role: 'assistant', content, reasoning_content: reasoning, turns, refusal: null },
      logprobs: null,
      finish_reason: reason,
    })),
    usage: usageOf(head, lengthsOf(answers)),
  };
}

/** The chunk of a streamed response for a part of an answer; an empty part opens the answer. */
export function teamChunk(head: TeamHead, choice: number, { reasoning, content, reason }: Partial<TeamAnswer>): object {
  const delta =
    reasoning !== undefined
      ? { reasoning_content: reasoning }
      : content !== undefined
        ? { content }
        : { role: 'assistant', content: '' };
  return chunkOf(head, [{ index: choice, delta, logprobs: null, finish_reason: reason ?? null }]);
}

/** The last chunk, with the token counts, of a response whose client has asked for them. */
export const teamUsage = (head: TeamHead, answers: readonly TeamAnswer[]): object => ({
  ...chunkOf(head, []),
  usage: usageOf(head, lengthsOf(answers)),
});

const chunkOf = ({ id, created, model }: TeamHead, choices: object[]) => ({
  ...{ id, object: 'chat.completion.chunk', created, model },
  choices,
});
