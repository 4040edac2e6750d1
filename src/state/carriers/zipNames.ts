// The names in a zip that was dropped, without unpacking it. A zip contains them as plain text before the content of
// each file, and again at its end.

/** The number of bytes that are read at the beginning and at the end. */
const startBytes = 512;
const endBytes = 2 ** 16;

/** Whether a file is a zip that has a file of this name at its beginning, or in the last part of its list. */
export async function zipNames(file: File, name: string): Promise<boolean> {
  if (!/\.zip$/i.test(file.name)) return false;
  const parts = [file.slice(0, startBytes), file.slice(Math.max(0, file.size - endBytes))];
  const texts = await Promise.all(
    parts.map(async (part) => new TextDecoder('latin1').decode(await part.arrayBuffer())),
  );
  return texts.some((text) => text.includes(name));
}
