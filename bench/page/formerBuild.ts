// The page of another commit, built with the packages that are installed here: a commit that needs others does not build.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';

/** The folder of the page of a commit, built now if it was not before. Throws where git does not know the commit. */
export function formerBuild(commit: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { maxBuffer: 2 ** 30 });
  const folder = path.resolve('.cache', 'beside', git('rev-parse', '--verify', `${commit}^{commit}`).toString().trim());
  if (!existsSync(`${folder}/dist/index.html`)) {
    mkdirSync(folder, { recursive: true });
    execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit) });
    if (!existsSync(`${folder}/node_modules`)) symlinkSync(path.resolve('node_modules'), `${folder}/node_modules`);
    execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: folder, stdio: 'inherit' });
  }
  return `${folder}/dist`;
}
