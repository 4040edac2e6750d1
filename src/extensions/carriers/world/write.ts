// Writes the world of a run as a world file.
import { ConfigError } from '../../../base/errors.ts';
import { writeWorldFile } from '../../../formats/worldFile.ts';
import { writeWhole } from '../../../../cli/files.ts';
import type { Write } from '../../../../cli/stored/carrier.ts';

export const write: Write = async ({ archived, run }, _, file) => {
  const world = await archived.world();
  if (!world)
    throw new ConfigError(
      `--as: the run ${run.name} uses a built-in world, ${run.config.world.name}; only a world that was written or imported can be exported.`,
    );
  await writeWhole(file, writeWorldFile(world));
};
