// Writes dialogues as a Parquet file, with one row for each dialogue and one row group for each iteration. The columns
// have the same names as the fields of the JSON Lines. The part of a problem that only its world uses, and the state of
// the world, are only in the JSON Lines, because the fields of these data differ from world to world.
import { reasonInEnglish } from '../../base/spoken.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { chatMessages, type TrajectoryWriter } from '../jsonl.ts';
import { parquetTable, type Columns } from './parquetTable.ts';

const turn = {
  ...{ index: 'INT32', round: 'INT32', agent: 'INT32', role: 'STRING', text: 'STRING' },
  ...{ tokens: ['INT32'], logprobs: ['FLOAT'], is_truncated: 'BOOLEAN', is_finish: 'BOOLEAN' },
  ...{ parts: 'JSON', reason: 'STRING', reward: 'DOUBLE', is_right: 'BOOLEAN?' },
  ...{ score: 'DOUBLE?', belief: 'DOUBLE?', influence: 'DOUBLE?' },
} as const satisfies Columns;

const columns = {
  ...{ id: 'STRING', iteration: 'INT32', index: 'INT32', group: 'INT32' },
  problem: {
    ...{ id: 'STRING', world: 'STRING', level: 'INT32', shown: 'STRING', hidden: 'JSON', answer: 'STRING' },
    slice: 'STRING',
  },
  messages: [{ role: 'STRING', name: 'STRING?', content: 'STRING' }],
  turns: [turn],
  ...{ finish_code: 'INT32', answer: 'STRING?', is_right: 'BOOLEAN', reward: 'DOUBLE' },
  /** For a branch: the number of its tree, and the number of turns that the branch shares with the trunk. */
  ...{ branch_tree: 'INT32?', branch_from: 'INT32?' },
} as const satisfies Columns;

export function parquetFile(): TrajectoryWriter {
  const table = parquetTable('dialogues', columns);
  return {
    add: (iteration, trajectories) => table.add(trajectories.map((trajectory) => rowOf(iteration, trajectory))),
    end: () => table.end(),
  };
}

type Row = Record<keyof typeof columns, unknown>;

function rowOf(iteration: number, trajectory: Trajectory): Row {
  const { index, group, problem, turns, finishCode, answer, isRight, reward, branch } = trajectory;
  return {
    ...{ id: `${iteration}-${index}`, iteration, index, group },
    problem,
    messages: chatMessages(trajectory),
    turns: turns.map(({ isTruncated, isFinish, isRight: isTurnRight, reason, ...rest }) => ({
      ...{ ...rest, reason: reasonInEnglish(reason) },
      ...{ is_truncated: isTruncated, is_finish: isFinish, is_right: isTurnRight },
    })),
    ...{ finish_code: finishCode, answer, is_right: isRight, reward },
    ...{ branch_tree: branch?.tree, branch_from: branch?.from },
  };
}
