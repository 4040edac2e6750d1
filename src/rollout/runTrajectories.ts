// The turn loop, which runs all dialogues in the program. A round is an ordered list of sets of agents that speak
// simultaneously. All dialogues of a batch are run in lock-step, but each of them may end at a different time. The
// protocol and the world determine who speaks, who hears what, and what is rewarded; this module contains no code for
// individual protocols or worlds. The world may answer each message before other agents hear it.
import { mean } from '../base/stats.ts';
import type { Problem } from '../records/problem.ts';
import { setsOf, type Trajectory, type Turn } from '../records/trajectory.ts';
import { mostCommon } from '../tasks/answers/majority.ts';
import { feedbackOf } from '../text/chatTemplate.ts';
import type { RolloutRequest, JudgedAnswer } from './request.ts';
import { openWorld, react, type Answering } from './reactions.ts';
import { hear, lacksRoom, openSpeaker, speak, takeRows, type Speaker } from './speakers.ts';
import { isHeard } from './view.ts';

/** Dialogues in progress. */
interface Batch {
  request: RolloutRequest;
  trajectories: readonly Trajectory[];
  speakers: Speaker[];
  isOver: boolean[];
  /** Whether the dialogue ends with the current round. */
  isEnding: boolean[];
  /** For each row, the newest answer of each agent. These answers are used to check whether the agents agree. */
  answers: (string | null)[][];
}

/** Runs all dialogues until they end; rewards are computed later. */
export async function runTrajectories(request: RolloutRequest): Promise<Trajectory[]> {
  const { protocol, settings, onTurn } = request;
  const trajectories = request.problems.map((problem, row) => openTrajectory(request, problem, row));
  const [isOver, isEnding] = [trajectories.map(() => false), trajectories.map(() => false)];
  const speakers: Speaker[] = [];
  const batch: Batch = { request, trajectories, speakers, isOver, isEnding, answers: trajectories.map(() => []) };
  try {
    if (request.world?.open) await Promise.all(trajectories.map((one) => openWorld(answering(request), one)));
    for (const agent of protocol.roles.keys()) speakers.push(openSpeaker(request, agent, trajectories));
    for (let round = 0; round < settings.roundLimit; round++) {
      for (const agents of protocol.round) {
        if (isOver.every(Boolean)) return trajectories;
        await speakAtOnce(batch, agents, round);
        await onTurn?.(trajectories);
      }
      if (protocol.stopsWhenAgreed) endAgreed(batch, protocol.stopsWhenAgreed);
      isEnding.forEach((ends, row) => {
        if (ends) isOver[row] = true;
      });
    }
    if (protocol.finisher === null) {
      trajectories.forEach((trajectory, row) => {
        const last = setsOf(trajectory.turns).at(-1) ?? [];
        if (!isOver[row] && last.some(({ isTruncated }) => !isTruncated)) trajectory.finishCode = 0;
      });
    }
    return trajectories;
  } finally {
    for (const { session } of speakers) session?.dispose();
  }
}

function openTrajectory(request: RolloutRequest, problem: Problem, row: number): Trajectory {
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

/**
 * Runs one turn of each agent of a set in every unfinished dialogue. The agents of the set hear each other only after
 * all of them have spoken.
 */
async function speakAtOnce(batch: Batch, agents: readonly number[], round: number): Promise<void> {
  const { request, trajectories, speakers, isOver } = batch;
  // If the context of one agent of the set might become too long, the dialogue ends before any agent of the set speaks.
  trajectories.forEach((trajectory, row) => {
    if (isOver[row] || !agents.some((agent) => lacksRoom(request, speakers[agent] as Speaker, { agent, row }))) return;
    trajectory.finishCode = 2;
    isOver[row] = true;
  });
  const isActive = isOver.map((over) => !over);
  if (!isActive.some(Boolean)) return;
  const said = await Promise.all(
    agents.map((agent, place) =>
      speak(request, speakers[agent] as Speaker, { agent, place, round, trajectories, isActive }),
    ),
  );
  for (const [place, turns] of said.entries()) {
    const before = said.slice(0, place);
    await answerAll(batch, turns, before);
    await request.settle?.({
      ...{ agents, round, trajectories, isEnding: batch.isEnding, turns, before },
      takeRows: (from) => takeRows(speakers[agents[place] as number] as Speaker, from),
    });
  }
  const sets = trajectories.map(({ turns: { length } }, row) => {
    const set = said.flatMap((turns) => turns[row] ?? []);
    set.forEach((turn, place) => Object.assign(turn, { index: length + place, ...(place > 0 && { set: length }) }));
    return set;
  });
  await judge(batch, sets);
  if (request.protocol.shuffled) exchange(request, sets);
  sets.forEach((set, row) => {
    if (set.length === 0) return;
    if (request.protocol.maskPeers || request.protocol.unheard) maskSome(request, set, row);
    const trajectory = trajectories[row] as Trajectory;
    trajectory.turns.push(...set);
    hear(request, speakers, { trajectory, row, set });
    end(batch, set, row);
  });
}

const answering = ({ world = {}, tokens, settings }: RolloutRequest): Answering => ({
  ...{ world, tokens, observationWindow: settings.observationWindow ?? 0 },
});

/**
 * Requests the world's answers to the messages that one agent of a set has sampled in all dialogues. The agents of a
 * set are processed in order.
 */
async function answerAll(
  { request, trajectories }: Batch,
  turns: readonly (Turn | null)[],
  before: readonly (Turn | null)[][],
): Promise<void> {
  if (!request.world?.react) return;
  await Promise.all(
    turns.map(async (turn, row) => {
      const earlier = before.flatMap((ofAgent) => ofAgent[row] ?? []);
      if (turn) await react(answering(request), trajectories[row] as Trajectory, earlier, turn);
    }),
  );
}

/**
 * Requests the scores of the answers of a set. These scores are needed for feedback after the answers, for checking
 * whether agents agree, and for choosing the team's answer.
 */
async function judge({ request, trajectories, answers }: Batch, sets: readonly Turn[][]): Promise<void> {
  const { protocol } = request;
  if (!protocol.hasFeedback && !protocol.stopsWhenAgreed && !protocol.isDecided) return;
  const said = sets.flatMap((set, row) =>
    set.map((turn) => ({ trajectory: trajectories[row] as Trajectory, turn, row })),
  );
  const found = await request.judge(said);
  said.forEach(({ turn, row }, i) => {
    const { answer, score, belief } = found[i] as JudgedAnswer;
    (answers[row] as (string | null)[])[turn.agent] = answer;
    if (belief !== undefined) turn.belief = belief;
    if (protocol.hasFeedback) turn.feedback = feedbackOf(score);
  });
}

/**
 * Records for which agents the messages of a set are masked: either for all agents, or for listeners that are drawn at
 * random.
 */
function maskSome({ protocol, tokens, maskDraw }: RolloutRequest, set: readonly Turn[], row: number): void {
  const { unheard = [], maskPeers = 0 } = protocol;
  for (const turn of set) {
    const listeners = [...protocol.roles.keys()].filter((listener) => isHeard(turn.agent, listener, tokens));
    const masked = listeners.filter(
      (listener) => unheard.includes(turn.agent) || (maskPeers > 0 && maskDraw(row, turn.index, listener) < maskPeers),
    );
    if (masked.length > 0) turn.maskedFor = masked;
  }
}

/**
 * Replaces the messages of shuffled agents. The other agents hear a message that the same agent has just sampled for
 * another problem or, if there is no such message, in another dialogue. A given turn that already has a
 * replacement keeps it.
 */
function exchange({ protocol, problems, maskDraw, lanes = 1 }: RolloutRequest, sets: readonly Turn[][]): void {
  const dialogueOf = (row: number) => Math.floor(row / lanes);
  for (const agent of protocol.shuffled ?? []) {
    const said = sets.flatMap((set, row) => {
      const turn = set.find((one) => (one.agent as number) === agent);
      return turn ? [{ row, turn, problem: problems[row]?.id }] : [];
    });
    const whole = said.filter(({ row }) => row % lanes === 0);
    for (const own of said) {
      if (own.turn.heardAs) continue;
      const strange = whole.filter(({ problem }) => problem !== own.problem);
      const others = strange.length > 0 ? strange : whole.filter(({ row }) => dialogueOf(row) !== dialogueOf(own.row));
      if (others.length === 0) continue;
      const other = others[Math.floor(maskDraw(own.row, own.turn.index, agent) * others.length)];
      if (other) own.turn.heardAs = asHeard(other.turn);
    }
  }
}

const asHeard = ({ tokens, text, isTruncated, isFinish, feedback }: Turn): NonNullable<Turn['heardAs']> => ({
  ...{ tokens: [...tokens], text, isTruncated, isFinish },
  ...(feedback !== undefined && { feedback }),
});

/**
 * Ends a dialogue after a set of turns if a turn was truncated, if the world ends the dialogue, or if an agent that may
 * end the dialogue has sampled the finish token.
 */
function end({ request, trajectories, isOver, isEnding }: Batch, set: readonly Turn[], row: number): void {
  const { protocol, settings } = request;
  const trajectory = trajectories[row] as Trajectory;
  if (settings.stopWhenTruncated && set.some(({ isTruncated }) => isTruncated)) {
    trajectory.finishCode = 3;
    isOver[row] = true;
  } else if (set.some(({ reaction }) => reaction?.isOver)) {
    trajectory.finishCode = 0;
    isOver[row] = true;
  } else if (set.some(({ isFinish, agent }) => isFinish && agent === protocol.finisher)) {
    trajectory.finishCode = 0;
    if (settings.finishEnds === 'atOnce') isOver[row] = true;
    else isEnding[row] = true;
  }
}

/** Ends dialogues in which enough agents have given the same answer. */
function endAgreed({ request, trajectories, isOver, answers }: Batch, share: number): void {
  trajectories.forEach((trajectory, row) => {
    if (isOver[row]) return;
    const given = answers[row] as (string | null)[];
    const { answer, count } = mostCommon(given);
    if (count < share * request.protocol.roles.length) return;
    if (beliefIn(trajectory, (agent) => given[agent] === answer) < (request.settings.agreedScore ?? 0)) return;
    trajectory.finishCode = 0;
    isOver[row] = true;
  });
}

/** The mean of the verifier's probabilities for the newest answers of the agents for which `counts` is true. */
function beliefIn({ turns, prompts }: Trajectory, counts: (agent: number) => boolean): number {
  const newest = [...prompts.keys()].filter(counts).map((agent) => turns.findLast((turn) => turn.agent === agent));
  return mean(newest.map((turn) => turn?.belief ?? 0));
}
