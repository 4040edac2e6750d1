// Writes dialogues as a log of Inspect AI (version 2, JSON), which Inspect's viewer and `read_eval_log` can open. Each
// problem of an iteration is a sample, and the dialogues about this problem are the epochs of the sample. Each sample
// has two scores: whether the team was right, and the reward. The messages are the same as in the JSON Lines; `model`
// is the speaker's name.
import { reasonInEnglish } from '../../base/spoken.ts';
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { chatMessages, type TrajectoryWriter } from '../jsonl.ts';

export type InspectedRun = Pick<RunRecord, 'id' | 'name' | 'createdMs' | 'config'>;

const encoder = new TextEncoder();

/** The scores under `results` are means over all dialogues, like the results of Inspect's metric `mean`. */
export function inspectLog(run: InspectedRun): TrajectoryWriter {
  const head = JSON.stringify({
    ...{ version: 2, status: 'success', eval: evaluationOf(run) },
    ...{ plan: { name: run.config.agents.protocol }, stats: {} },
  });
  const totals = { samples: 0, right: 0, reward: 0 };
  // The closing brace of the JSON object is written after the last sample, because the samples are inside this object.
  let before = `${head.slice(0, -1)},"samples":[\n`;
  const taken = () => {
    const text = before;
    before = '';
    return text;
  };
  return {
    add(iteration, trajectories) {
      const tries = new Map<number, number>();
      const lines = trajectories.map((trajectory) => {
        const epoch = (tries.get(trajectory.group) ?? 0) + 1;
        tries.set(trajectory.group, epoch);
        const separator = totals.samples > 0 ? ',\n' : '';
        totals.samples++;
        totals.right += Number(trajectory.isRight);
        totals.reward += trajectory.reward;
        return separator + JSON.stringify({ ...sampleOf(run, iteration, trajectory), epoch });
      });
      return encoder.encode(taken() + lines.join(''));
    },
    end: () => encoder.encode(`${taken()}\n],"results":${JSON.stringify(resultsOf(totals))}}\n`),
  };
}

function evaluationOf({ id, name, createdMs, config }: InspectedRun) {
  const { world } = config;
  return {
    ...{ eval_id: id, run_id: id, task_id: world.name, task: world.name, model: `cothink/${name}` },
    created: new Date(createdMs).toISOString(),
    task_args: { world, agents: config.agents },
    dataset: { name: world.name },
    ...{ config: {}, packages: {} },
    scorers: [{ name: 'right' }, { name: 'reward' }],
  };
}

function sampleOf(run: InspectedRun, iteration: number, trajectory: Trajectory) {
  const { problem, turns, answer, isRight, reward, finishCode, index, group } = trajectory;
  const modelOf = (role: string | undefined) => `cothink/${run.name}/${role ?? ''}`;
  const messages = chatMessages(trajectory).map(({ role, name, content }) => ({
    ...{ role, content },
    ...(role === 'assistant' && { model: modelOf(name) }),
    ...(role === 'tool' && { function: name }),
    ...(role === 'system' && { metadata: { name } }),
  }));
  const last = turns.at(-1);
  const message = { role: 'assistant', content: answer ?? '', model: modelOf(last?.role) };
  const reason = turns.findLast((turn) => turn.reason.length > 0)?.reason;
  const told = { answer, ...(reason && { explanation: reasonInEnglish(reason) }) };
  const { world, level, slice, hidden } = problem;
  return {
    id: `${iteration}-${group}`,
    ...{ input: problem.shown, target: problem.answer, messages },
    output: { model: message.model, choices: [{ message, stop_reason: last?.isTruncated ? 'max_tokens' : 'stop' }] },
    scores: { right: { value: Number(isRight), ...told }, reward: { value: reward, answer } },
    metadata: {
      ...{ iteration, index, problem: problem.id, world, level, slice, hidden, finish_code: finishCode },
      rewards: turns.map((turn) => turn.reward),
    },
  };
}

function resultsOf({ samples, right, reward }: { samples: number; right: number; reward: number }) {
  const score = (name: string, sum: number) => ({
    ...{ name, scorer: name },
    metrics: samples > 0 ? { mean: { name: 'mean', value: sum / samples } } : {},
  });
  return {
    total_samples: samples,
    completed_samples: samples,
    scores: [score('right', right), score('reward', reward)],
  };
}
