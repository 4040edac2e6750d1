// What an attack found, one row for each thing attacked.

export interface AttackRow {
  part: 'kills' | 'readers' | 'store';
  what: string;
  /** Inputs, kills or visits. */
  count: number;
  note: string;
  /** What went wrong, in words; empty where nothing did. */
  faults: string[];
}

/** A row as a line of the terminal, its first faults below it. */
export function rowText({ what, count, note, faults }: AttackRow): string {
  const head = `${faults.length === 0 ? 'ok    ' : 'FAULTY'} ${what}: ${count}${note && `, ${note}`}`;
  const few = faults.slice(0, 5).map((fault) => `         ${fault}`);
  const rest = faults.length > 5 ? [`         and ${faults.length - 5} more`] : [];
  return [head, ...few, ...rest].join('\n');
}
