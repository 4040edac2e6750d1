// Markdown by hand.

/** A table: a head and rows of cells; an absent cell is a dash. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => escapeCell(String(cell ?? '–'))).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function escapeCell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

export function code(text) {
  return `\`${text}\``;
}
