// Trajectories as JSON Lines of chat messages: one trajectory a line, so a run can be written iteration by iteration
// and read by anything that reads chat data. The first message is the rule's token, `system`, named after who saw it;
// the expression is `user`; each turn is an `assistant` whose `name` is its role.
// Log-probabilities are float32 numbers, written with the nine digits that give the same float32 back.
import * as v from 'valibot';
import { FormatError } from '../base/errors.ts';
import { agentId, roles, type Role } from '../records/ids.ts';
import { ruleNames } from '../records/problem.ts';
import { rewardNames, type RewardParts, type Trajectory } from '../records/trajectory.ts';

export interface JsonlTrajectory {
  iteration: number;
  trajectory: Trajectory;
}

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const tokens = v.array(whole);
// JSON has no NaN; it is written as null.
const number = v.pipe(
  v.nullable(v.number()),
  v.transform((x) => x ?? Number.NaN),
);
const role = v.picklist(roles);

const turnSchema = v.object({
  index: whole,
  round: whole,
  agent: whole,
  role,
  tokens,
  logprobs: v.array(number),
  reward: number,
  parts: v.object(Object.fromEntries(rewardNames.map((name) => [name, number]))),
  reason: v.string(),
  is_truncated: v.boolean(),
  is_finish: v.boolean(),
  set: v.exactOptional(whole),
  is_right: v.exactOptional(v.boolean()),
  score: v.exactOptional(number),
  belief: v.exactOptional(number),
  influence: v.exactOptional(number),
  feedback: v.exactOptional(whole),
  masked_for: v.exactOptional(tokens),
});

const lineSchema = v.object({
  id: v.string(),
  iteration: whole,
  index: whole,
  group: whole,
  problem: v.object({
    id: v.string(),
    level: whole,
    expression: v.string(),
    rule: v.picklist(ruleNames),
    answer: v.string(),
  }),
  prompts: v.array(tokens),
  messages: v.array(
    v.object({ role: v.picklist(['system', 'user', 'assistant']), name: v.optional(role), content: v.string() }),
  ),
  turns: v.array(turnSchema),
  finish_code: v.picklist([0, 1, 2, 3]),
  answer: v.nullable(v.string()),
  is_right: v.boolean(),
  reward: number,
  branch: v.exactOptional(v.object({ tree: whole, from: whole })),
});
type Line = v.InferInput<typeof lineSchema>;

const short = (logprob: number) => (Number.isFinite(logprob) ? Number(logprob.toPrecision(9)) : null);

/** The lines of one iteration, the last one ended too: chunks may simply be put one after the other. */
export function writeJsonl(iteration: number, trajectories: readonly Trajectory[]): string {
  return trajectories.map((trajectory) => `${JSON.stringify(toLine(iteration, trajectory))}\n`).join('');
}

function toLine(iteration: number, trajectory: Trajectory): Line {
  const { index, group, problem, prompts, turns } = trajectory;
  // Agent 0 sees the rule unless the settings say otherwise; `prompts` hold what each was shown.
  const informed = turns.find((turn) => turn.agent === 0)?.role;
  const name = informed === undefined ? {} : { name: informed };
  return {
    id: `${iteration}-${index}`,
    iteration,
    index,
    group,
    problem,
    prompts,
    messages: [
      { role: 'system', ...name, content: `<${problem.rule}>` },
      { role: 'user', content: problem.expression },
      ...turns.map((turn) => ({ role: 'assistant' as const, name: turn.role, content: turn.text })),
    ],
    turns: turns.map((turn) => ({
      index: turn.index,
      round: turn.round,
      agent: turn.agent,
      role: turn.role,
      tokens: turn.tokens,
      logprobs: turn.logprobs.map(short),
      reward: turn.reward,
      parts: turn.parts,
      reason: turn.reason,
      is_truncated: turn.isTruncated,
      is_finish: turn.isFinish,
      ...(turn.set !== undefined && { set: turn.set }),
      ...(turn.isRight !== undefined && { is_right: turn.isRight }),
      ...(turn.score !== undefined && { score: turn.score }),
      ...(turn.belief !== undefined && { belief: turn.belief }),
      ...(turn.influence !== undefined && { influence: turn.influence }),
      ...(turn.feedback !== undefined && { feedback: turn.feedback }),
      ...(turn.maskedFor && { masked_for: turn.maskedFor }),
    })),
    finish_code: trajectory.finishCode,
    answer: trajectory.answer,
    is_right: trajectory.isRight,
    reward: trajectory.reward,
    ...(trajectory.branch && { branch: trajectory.branch }),
  };
}

/** Reads what `writeJsonl` wrote; empty lines are skipped. Throws FormatError with the line and the field. */
export function readJsonl(text: string): JsonlTrajectory[] {
  const read: JsonlTrajectory[] = [];
  let number = 0;
  for (const line of text.split('\n')) {
    number++;
    if (line.trim() !== '') read.push(readLine(line, number));
  }
  return read;
}

function readLine(text: string, number: number): JsonlTrajectory {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new FormatError(`line ${number}: expected JSON, got something else (${(cause as Error).message}).`);
  }
  const parsed = v.safeParse(lineSchema, json);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const field = v.getDotPath(issue) ?? 'the whole line';
    throw new FormatError(`line ${number}: ${field}: expected ${issue.expected ?? 'less'}, got ${issue.received}.`);
  }
  return { iteration: parsed.output.iteration, trajectory: toTrajectory(parsed.output, number) };
}

function toTrajectory(line: v.InferOutput<typeof lineSchema>, number: number): Trajectory {
  const said = line.messages.filter((message) => message.role === 'assistant');
  const unequal = (what: string, expected: number, got: number) =>
    new FormatError(`line ${number}: ${what}: expected ${expected}, one for each, got ${got}.`);
  if (said.length !== line.turns.length) throw unequal('assistant messages', line.turns.length, said.length);
  return {
    index: line.index,
    group: line.group,
    problem: line.problem,
    prompts: line.prompts,
    turns: line.turns.map((turn, i) => {
      if (turn.logprobs.length !== turn.tokens.length) {
        throw unequal(`turns.${i}.logprobs`, turn.tokens.length, turn.logprobs.length);
      }
      return {
        index: turn.index,
        round: turn.round,
        agent: agentId(turn.agent),
        role: turn.role satisfies Role,
        tokens: turn.tokens,
        logprobs: turn.logprobs.map(Math.fround),
        text: said[i]?.content ?? '',
        isTruncated: turn.is_truncated,
        isFinish: turn.is_finish,
        parts: turn.parts as RewardParts,
        reason: turn.reason,
        reward: turn.reward,
        ...(turn.set !== undefined && { set: turn.set }),
        ...(turn.is_right !== undefined && { isRight: turn.is_right }),
        ...(turn.score !== undefined && { score: turn.score }),
        ...(turn.belief !== undefined && { belief: turn.belief }),
        ...(turn.influence !== undefined && { influence: turn.influence }),
        ...(turn.feedback !== undefined && { feedback: turn.feedback }),
        ...(turn.masked_for && { maskedFor: turn.masked_for }),
      };
    }),
    finishCode: line.finish_code,
    answer: line.answer,
    isRight: line.is_right,
    reward: line.reward,
    ...(line.branch && { branch: line.branch }),
  };
}
