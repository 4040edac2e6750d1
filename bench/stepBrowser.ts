// placeholder
import type { Row } from './stepTable.ts';
export async function measureInChromium(): Promise<Row[]> {
  return [];
}
