// Writes a Parquet file with any columns, one row group at a time. A record defines the columns; lists and records may
// be nested.
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

type Leaf = 'STRING' | 'JSON' | 'BOOLEAN' | 'INT32' | 'FLOAT' | 'DOUBLE';
/** The type of a column. `?` means that a value may be absent. A list states the type of its entries. */
type Form = Leaf | `${Leaf}?` | readonly [Form] | { readonly [name: string]: Form };

export type Columns = Readonly<Record<string, Form>>;

/**
 * Starts a file. Each call of `add` returns the bytes of one row group, and `end` returns the last bytes of the file.
 */
export function parquetTable<C extends Columns>(name: string, columns: C) {
  const writer = new ByteWriter();
  const schema = [{ name, num_children: Object.keys(columns).length }, ...elementsOf(columns)];
  const parquet = new ParquetWriter({ writer, schema, createdBy: 'cothink' });
  const taken = () => {
    const bytes = writer.getBytes().slice();
    writer.index = 0; // the write position; the total continues to count
    return bytes as Uint8Array<ArrayBuffer>;
  };
  return {
    add(rows: readonly Readonly<Record<keyof C, unknown>>[]) {
      const columnData = Object.keys(columns).map((column) => ({
        name: column,
        data: rows.map((row) => row[column]),
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

/** The columns in the order of the Parquet schema, a parent before its children. */
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
