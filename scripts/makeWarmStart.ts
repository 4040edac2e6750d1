// Makes the warm starts that ship with the page: `npm run warmstart [WORLD | NAME…]` makes those of a world or single
// ones by file name. Each equals the result of `warmStart.source = train` with the settings and the seed in the world's
// form, and is stored as float32 safetensors.
import { mkdirSync, writeFileSync } from 'node:fs';
import { startBackend } from '../bench/shared/nodeBackend.ts';
import { ConfigError } from '../src/base/errors.ts';
import { shippedWarmStarts, type ShippedWarmStart } from '../src/config/warmStarts.ts';
import { writeSafetensors } from '../src/formats/safetensors.ts';
import { decodingPolicy } from '../src/model/decoding/decoder.ts';
import { initialWeights } from '../src/model/network/parameters.ts';
import { parseConfig } from '../src/config/parse.ts';
import { evaluateTeam } from '../src/training/evaluation/evaluate.ts';
import { Gate } from '../src/training/team/gate.ts';
import { disposeNetwork, downloadNetwork, freshState, uploadNetwork } from '../src/training/team/network.ts';
import { assembleTeam } from '../src/training/team/team.ts';
import { trainWarmStart } from '../src/training/imitation/warmStart.ts';

const wanted = process.argv.slice(2);
const isWanted = ({ name, settings }: ShippedWarmStart, by: string) => by === name || by === settings.world?.name;
for (const by of wanted) {
  if (shippedWarmStarts.some((shipped) => isWanted(shipped, by))) continue;
  const names = shippedWarmStarts.map(({ name }) => name).join(', ');
  throw new ConfigError(`no warm start is called ${by}; there are ${names}, and all of a world by its name.`);
}
const engine = await startBackend('simd', { ours: true });
mkdirSync('public/warmstart', { recursive: true });
for (const shipped of shippedWarmStarts) {
  if (wanted.length > 0 && !wanted.some((by) => isWanted(shipped, by))) continue;
  const config = parseConfig(shipped.settings);
  const team = assembleTeam(config);
  const network = uploadNetwork(freshState(initialWeights(team.shape, config.run.seed), team.shape, false), team.shape);
  const started = performance.now();
  await trainWarmStart(team, [network], {
    gate: new Gate(),
    onStep: (step, loss) => {
      if (step % 100 === 0) console.log(`${shipped.name} · step ${step} · loss ${loss.toFixed(4)}`);
    },
  });
  const policies = team.networkOf.map(() => decodingPolicy(network.tree, team.shape));
  const { accuracy, low, high } = await evaluateTeam(team, { policies, iteration: 0, withMasked: false });
  const { weights } = await downloadNetwork(network);
  const bytes = writeSafetensors(weights, { name: shipped.name, accuracy: accuracy.toFixed(4) });
  writeFileSync(`public/warmstart/${shipped.name}.safetensors`, bytes);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(
    `${shipped.name}: accuracy ${accuracy.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}], ${bytes.length} bytes, ${seconds} s on ${engine}`,
  );
  disposeNetwork(network);
}
process.exit(0);
