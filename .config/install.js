// Runs before start, test, check and bench: installs what package-lock.json names when it is missing or stale.
// Plain JavaScript that an old Node understands: the pinned Node arrives only with the install.
import { execFileSync, execSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { pinnedNode, pinnedVersion } from './runtime.js';

const lock = readFileSync('package-lock.json');
const wanted = createHash('sha256')
  .update(lock)
  .update(process.platform + process.arch)
  .digest('hex');
const mark = 'node_modules/.tillroll-installed';

if (!existsSync(mark) || readFileSync(mark, 'utf8') !== wanted) {
  const own = process.version.slice(1);
  const runtime =
    own === pinnedVersion
      ? ''
      : ` and Node ${pinnedVersion}, on which everything runs, whatever Node the machine has (here ${own})`;
  process.stderr.write(`Installing packages${runtime}: first start, or a changed package-lock.json …\n`);
  execSync('npm ci --no-audit --no-fund --loglevel=error', { stdio: ['ignore', 'ignore', 'inherit'] });
  execFileSync(pinnedNode, ['.config/compile.js'], { stdio: 'inherit' });
  writeFileSync(mark, wanted);
}
