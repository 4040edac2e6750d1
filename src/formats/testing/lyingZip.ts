// A zip whose headers state false sizes, for tests and for the benchmark that measures the cost of malicious files.
import { Deflate } from 'fflate';
import { joinedBytes } from '../../base/joined.ts';

/** A zip with one file of `bytes` zeros. Both headers of this file state a wrong size. */
export function lyingZip(name: string, bytes: number, states: number): Uint8Array {
  const parts: Uint8Array[] = [];
  const deflate = new Deflate({ level: 9 }, (part) => parts.push(part));
  const piece = new Uint8Array(1 << 20);
  for (let left = bytes; left > 0; left -= piece.length)
    deflate.push(piece.subarray(0, Math.min(left, piece.length)), left <= piece.length);
  const packed = joinedBytes(parts);
  const title = new TextEncoder().encode(name);
  const head = (signature: number, size: number, before: number) => {
    const view = new DataView(new ArrayBuffer(size));
    view.setUint32(0, signature, true);
    view.setUint16(before + 4, 8, true);
    view.setUint32(before + 14, packed.length, true);
    view.setUint32(before + 18, states, true);
    view.setUint16(before + 22, title.length, true);
    return new Uint8Array(view.buffer);
  };
  const local = head(0x04034b50, 30, 4);
  const central = head(0x02014b50, 46, 6);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, 1, true);
  end.setUint16(10, 1, true);
  end.setUint32(12, central.length + title.length, true);
  end.setUint32(16, local.length + title.length + packed.length, true);
  return joinedBytes([local, title, packed, central, title, new Uint8Array(end.buffer)]);
}
