// Dialogues as Parquet, a row each and a row group for each iteration: the columns of the JSON Lines that tables are made of,
// by the same names. What only the world reads of a problem, and the state of a world, are in the JSON Lines alone.
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { Trajectory } from '../../records/trajectory.ts';
import { chatMessages, type DialogueFile } from '../jsonl.ts';

type Leaf = 'STRING' | 'JSON' | 'BOOLEAN' | 'INT32' | 'FLOAT' | 'DOUBLE';
/** `?`: may be absent. A list holds what stands in it. */
type Form = Leaf | `${Leaf}?` | readonly [Form] | { readonly [name: string]: Form };

const turn = {
  ...{ index: 'INT32', round: 'INT32', agent: 'INT32', role: 'STRING', text: 'STRING' },
  ...{ tokens: ['INT32'], logprobs: ['FLOAT'], is_truncated: 'BOOLEAN', is_finish: 'BOOLEAN' },
  ...{ parts: 'JSON', reason: 'STRING', reward: 'DOUBLE', is_right: 'BOOLEAN?' },
  ...{ score: 'DOUBLE?', belief: 'DOUBLE?', influence: 'DOUBLE?' },
} as const satisfies Form;

const columns = {
  ...{ id: 'STRING', iteration: 'INT32', index: 'INT32', group: 'INT32' },
  problem: {
    ...{ id: 'STRING', world: 'STRING', level: 'INT32', shown: 'STRING', hidden: 'JSON', answer: 'STRING' },
    slice: 'STRING',
  },
  messages: [{ role: 'STRING', name: 'STRING?', content: 'STRING' }],
  turns: [turn],
  ...{ finish_code: 'INT32', answer: 'STRING?', is_right: 'BOOLEAN', reward: 'DOUBLE' },
  /** Of a candidate that the dialogue did not go on from: where it left its trunk. */
  ...{ branch_tree: 'INT32?', branch_from: 'INT32?' },
} as const satisfies Record<string, Form>;

export function parquetFile(): DialogueFile {
  const writer = new ByteWriter();
  const schema = [{ name: 'dialogues', num_children: Object.keys(columns).length }, ...elementsOf(columns)];
  const parquet = new ParquetWriter({ writer, schema, createdBy: 'cothink' });
  const taken = () => {
    const bytes = writer.getBytes().slice();
    writer.index = 0; // where it writes; what it has written is counted on
    return bytes as Uint8Array<ArrayBuffer>;
  };
  return {
    add(iteration, trajectories) {
      const rows = trajectories.map((trajectory) => rowOf(iteration, trajectory));
      const columnData = Object.keys(columns).map((name) => ({
        name,
        data: rows.map((row) => row[name as keyof Row]),
      }));
      void parquet.write({ columnData, rowGroupSize: Math.max(1, rows.length) }); // promises nothing without `flush`
      return taken();
    },
    end() {
      void parquet.finish();
      return taken();
    },
  };
}

type Row = Record<keyof typeof columns, unknown>;

function rowOf(iteration: number, trajectory: Trajectory): Row {
  const { index, group, problem, turns, finishCode, answer, isRight, reward, branch } = trajectory;
  return {
    ...{ id: `${iteration}-${index}`, iteration, index, group },
    problem,
    messages: chatMessages(trajectory),
    turns: turns.map(({ isTruncated, isFinish, isRight: isTurnRight, ...rest }) => ({
      ...rest,
      ...{ is_truncated: isTruncated, is_finish: isFinish, is_right: isTurnRight },
    })),
    ...{ finish_code: finishCode, answer, is_right: isRight, reward },
    ...{ branch_tree: branch?.tree, branch_from: branch?.from },
  };
}

/** Columns as Parquet's schema lists them: a parent before its children. */
const elementsOf = (fields: Readonly<Record<string, Form>>): SchemaElement[] =>
  Object.entries(fields).flatMap(([name, form]) => elementOf(name, form));

function elementOf(name: string, form: Form): SchemaElement[] {
  if (typeof form === 'string') {
    const type = form.replace('?', '') as Leaf;
    const repetition = form.endsWith('?') ? 'OPTIONAL' : 'REQUIRED';
    if (type === 'STRING' || type === 'JSON')
      return [
        { name, type: 'BYTE_ARRAY', converted_type: type === 'JSON' ? 'JSON' : 'UTF8', repetition_type: repetition },
      ];
    return [{ name, type, repetition_type: repetition }];
  }
  if (isList(form))
    return [
      { name, converted_type: 'LIST', repetition_type: 'REQUIRED', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...elementOf('element', form[0]),
    ];
  return [{ name, repetition_type: 'REQUIRED', num_children: Object.keys(form).length }, ...elementsOf(form)];
}

const isList = (form: Form): form is readonly [Form] => Array.isArray(form);
