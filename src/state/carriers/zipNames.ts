// Checks which file names a zip contains, without unpacking the zip. A zip contains the names as plain text, both
// before the content of each file and at its end.

/** The number of bytes that are read at the beginning and at the end of the zip. */
const startBytes = 512;
const endBytes = 2 ** 16;

/**
 * Whether a file is a zip that contains a file of this name. Only the first and the last bytes of the zip are searched.
 */
export async function zipNames(file: File, name: string): Promise<boolean> {
  if (!/\.zip$/i.test(file.name)) return false;
  const parts = [file.slice(0, startBytes), file.slice(Math.max(0, file.size - endBytes))];
  const texts = await Promise.all(
    parts.map(async (part) => new TextDecoder('latin1').decode(await part.arrayBuffer())),
  );
  return texts.some((text) => text.includes(name));
}
