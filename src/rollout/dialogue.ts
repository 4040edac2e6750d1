// The one turn loop. A round is an ordered list of sets of speakers; all dialogues of a batch go
// through it in lock-step, each with its own end. What is said, heard and paid lies in the
// protocol and the world; nothing here is specific to either.
import type { AgentId } from '../records/ids.ts';
import type { Problem } from '../records/problem.ts';
import type { ContextChunk, DecodeSession, Policy } from '../records/policy.ts';
import type { Trajectory, Turn } from '../records/trajectory.ts';
import { rewardNames, type RewardParts } from '../records/trajectory.ts';
import type { Protocol } from './protocol.ts';
import type { RolloutSettings } from './settings.ts';
import { turnContext, turnEnd, type ViewTokens } from './view.ts';

/** Room for one trajectory's draws: 32 turns of 128 tokens. */
export const drawsPerTurn = 128;
export const drawsPerTrajectory = 32 * drawsPerTurn;

export interface DialogueRequest {
  problems: readonly Problem[];
  /** Group of each problem. */
  groups: readonly number[];
  protocol: Protocol;
  settings: RolloutSettings;
  /** By agent. */
  policies: readonly Policy[];
  tokens: ViewTokens;
  /** Token ids of an agent's view of a problem. */
  prompt: (problem: Problem, agent: number) => number[];
  decode: (ids: readonly number[]) => string;
  /** The number in [0, 1) with which token `token` of turn `turn` of trajectory `row` is drawn. */
  uniform: (row: number, turn: number, token: number) => number;
  /** Agents whose messages the others do not hear (attention-masked, positions kept): the masked control. */
  hiddenSpeakers?: readonly number[];
  /** After each set of speakers: may wait (pause) and hears of the dialogues so far. */
  onTurn?: (trajectories: readonly Trajectory[]) => Promise<void>;
}

interface Speaker {
  session: DecodeSession;
  /** Context not yet appended, by row. */
  pending: { tokens: number[]; visible: boolean[] }[];
  /** Tokens of each row so far, pending ones included. */
  lengths: number[];
}

/** Runs all dialogues to their ends; rewards are not yet assessed. */
export async function runDialogues(request: DialogueRequest): Promise<Trajectory[]> {
  const { protocol, settings, onTurn } = request;
  const trajectories = request.problems.map((problem, row) => openTrajectory(request, problem, row));
  const isOver = trajectories.map(() => false);
  const isEnding = trajectories.map(() => false);
  const speakers: Speaker[] = [];
  try {
    for (const agent of protocol.roles.keys()) speakers.push(openSpeaker(request, agent, trajectories));
    for (let round = 0; round < settings.roundLimit; round++) {
      for (const agents of protocol.round) {
        if (isOver.every(Boolean)) return trajectories;
        const said = await Promise.all(
          agents.map((agent) =>
            speak(request, { speaker: speakers[agent] as Speaker, agent, round, trajectories, isOver }),
          ),
        );
        for (const turns of said) {
          turns.forEach((turn, row) => {
            if (!turn) return;
            const trajectory = trajectories[row] as Trajectory;
            turn.index = trajectory.turns.length;
            trajectory.turns.push(turn);
            hear(speakers, turn, {
              row,
              tokens: request.tokens,
              isHidden: request.hiddenSpeakers?.includes(turn.agent) === true,
            });
            if (turn.isTruncated && settings.stopWhenTruncated) {
              trajectory.finishCode = 3;
              isOver[row] = true;
            } else if (turn.isFinish && turn.agent === protocol.finisher) {
              trajectory.finishCode = 0;
              if (settings.finishEnds === 'atOnce') isOver[row] = true;
              else isEnding[row] = true;
            }
          });
        }
        await onTurn?.(trajectories);
      }
      isEnding.forEach((ends, row) => {
        if (ends) isOver[row] = true;
      });
    }
    if (protocol.finisher === null) {
      trajectories.forEach((trajectory, row) => {
        if (!isOver[row] && !trajectory.turns.at(-1)?.isTruncated) trajectory.finishCode = 0;
      });
    }
    return trajectories;
  } finally {
    for (const { session } of speakers) session.dispose();
  }
}

function openTrajectory(request: DialogueRequest, problem: Problem, row: number): Trajectory {
  return {
    index: row,
    group: request.groups[row] as number,
    problem,
    prompts: request.protocol.roles.map((_, agent) => request.prompt(problem, agent)),
    turns: [],
    finishCode: 1,
    answer: null,
    isRight: false,
    reward: 0,
  };
}

function openSpeaker(request: DialogueRequest, agent: number, trajectories: readonly Trajectory[]): Speaker {
  const policy = request.policies[agent] as Policy;
  const prompts = trajectories.map((trajectory) => trajectory.prompts[agent] as number[]);
  return {
    session: policy.open(trajectories.length),
    pending: prompts.map((prompt) => ({ tokens: [...prompt], visible: prompt.map(() => true) })),
    lengths: prompts.map((prompt) => prompt.length),
  };
}

interface Moment {
  speaker: Speaker;
  agent: number;
  round: number;
  trajectories: readonly Trajectory[];
  isOver: boolean[];
}

/** One turn of one agent in every dialogue that goes on; null where it has nothing to say. */
async function speak(
  request: DialogueRequest,
  { speaker, agent, round, trajectories, isOver }: Moment,
): Promise<(Turn | null)[]> {
  const { protocol, settings, tokens } = request;
  const role = protocol.roles[agent] as Turn['role'];
  const header = tokens.headers[role];
  const window = settings.windows[role];
  const room = (request.policies[agent] as Policy).maxPositions;
  trajectories.forEach((trajectory, row) => {
    if (isOver[row] || (speaker.lengths[row] as number) + header.length + window <= room) return;
    trajectory.finishCode = 2;
    isOver[row] = true;
  });
  const isActive = isOver.map((over) => !over);
  if (!isActive.some(Boolean)) return trajectories.map(() => null);

  speaker.session.append(
    speaker.pending.map((pending, row): ContextChunk => {
      if (!isActive[row]) return { tokens: [] };
      return { tokens: [...pending.tokens, ...header], visible: [...pending.visible, ...header.map(() => true)] };
    }),
  );
  const uniforms = new Float32Array(trajectories.length * window);
  trajectories.forEach((trajectory, row) => {
    for (let t = 0; t < window; t++) uniforms[row * window + t] = request.uniform(row, trajectory.turns.length, t);
  });
  const { temperature } = settings;
  const endIds = [tokens.endOfTurn, tokens.finish];
  const sampled = await speaker.session.sample({ window, isActive, uniforms, temperature, endIds });
  return trajectories.map((_, row) => {
    if (!isActive[row]) return null;
    const length = sampled.lengths[row] as number;
    const ids = Array.from(sampled.ids.subarray(row * window, row * window + length));
    const last = ids[length - 1] as number;
    const isTruncated = !endIds.includes(last);
    speaker.pending[row] = { tokens: [], visible: [] };
    speaker.lengths[row] = (speaker.lengths[row] as number) + header.length + length;
    return {
      index: 0,
      round,
      agent: agent as AgentId,
      role,
      tokens: ids,
      logprobs: Array.from(sampled.logprobs.subarray(row * window, row * window + length)),
      text: request.decode(isTruncated ? ids : ids.slice(0, -1)),
      isTruncated,
      isFinish: last === tokens.finish,
      parts: noParts(),
      reason: '',
      reward: 0,
    };
  });
}

/** Puts a turn into the pending context of every other agent, and its closing into the speaker's own. */
function hear(
  speakers: readonly Speaker[],
  turn: Turn,
  { row, tokens, isHidden }: { row: number; tokens: ViewTokens; isHidden: boolean },
): void {
  speakers.forEach((speaker, agent) => {
    const isOwn = agent === (turn.agent as number);
    const context = isOwn ? turnEnd(turn, tokens) : turnContext(turn, tokens);
    const pending = speaker.pending[row] as Speaker['pending'][number];
    pending.tokens.push(...context);
    pending.visible.push(...context.map(() => isOwn || !isHidden));
    speaker.lengths[row] = (speaker.lengths[row] as number) + context.length;
  });
}

/** All components zero. */
export function noParts(): RewardParts {
  return Object.fromEntries(rewardNames.map((name) => [name, 0])) as RewardParts;
}
