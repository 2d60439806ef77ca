import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where this version is. */
export const here = fileURLToPath(new URL('..', import.meta.url));

/** Another version of the shop, in a folder of its own. */
export interface Version {
  readonly root: string;
  /** Abbreviated hash and subject of its commit. */
  readonly title: string;
}

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: here, encoding: 'utf8' }).trim();

const lockFile = (root: string): string => readFileSync(join(root, 'package-lock.json'), 'utf8');

/**
 * Unpacks a commit into a folder of its own, so that nothing is left in the repository however this ends. It shares our
 * packages unless its lock file asks for others. Errors: no such commit; its packages cannot be installed.
 */
export const checkOut = (commit: string, folder: string): Version => {
  const title = git('log', '-1', '--format=%h %s', `${commit}^{commit}`, '--');
  const root = join(folder, 'other');
  const archive = join(folder, 'other.tar');
  mkdirSync(root);
  git('archive', '--format=tar', `--output=${archive}`, commit);
  execFileSync('tar', ['-xf', archive, '-C', root]);
  rmSync(archive);
  if (lockFile(root) === lockFile(here)) symlinkSync(join(here, 'node_modules'), join(root, 'node_modules'));
  else execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, stdio: ['ignore', 2, 2] });
  return { root, title };
};
