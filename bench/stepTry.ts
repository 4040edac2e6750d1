import { openEngine, type EngineName } from './stepEngine.ts';
import { stepWork } from './stepWork.ts';
const [name, backend, workload = 'A', n = '6'] = process.argv.slice(2);
const engine = await openEngine(name as EngineName, stepWork(workload as 'A'), backend as string);
console.log(engine.backend, engine.adapter, engine.parameters, engine.note);
for (let i = 0; i < Number(n); i++) {
  const cpu = process.cpuUsage();
  const t = performance.now();
  const { loss, submitMs } = await engine.step();
  const used = process.cpuUsage(cpu);
  console.log(i, loss, (performance.now() - t).toFixed(1), 'cpu', ((used.user + used.system) / 1000).toFixed(1), submitMs?.toFixed(2));
}
process.exit(0);
