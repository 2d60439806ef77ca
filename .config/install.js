// Runs before start, test, check and bench: installs what package-lock.json names when it is missing or stale. When
// several start at once, one installs and the others wait.
// Plain JavaScript that an old Node understands: the pinned Node arrives only with the install.
import { execFileSync, execSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { pinnedNode, pinnedVersion } from './runtime.js';

const lock = readFileSync('package-lock.json');
const wanted = createHash('sha256')
  .update(lock)
  .update(process.platform + process.arch)
  .digest('hex');
const mark = 'node_modules/.tillroll-installed';
const turn = '.tillroll-installing';
const LOOK_MILLISECONDS = 200;

const isInstalled = () => existsSync(mark) && readFileSync(mark, 'utf8') === wanted;

const isRunning = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** False while another process installs; clears the mark of one that was killed. */
const takeTurn = () => {
  try {
    writeFileSync(turn, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  try {
    // It is empty for a moment: created first, then written.
    const holder = Number(readFileSync(turn, 'utf8'));
    if (holder > 0 && !isRunning(holder)) rmSync(turn, { force: true });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  return false;
};

const install = () => {
  const own = process.version.slice(1);
  const runtime =
    own === pinnedVersion
      ? ''
      : ` and Node ${pinnedVersion}, on which everything runs, whatever Node the machine has (here ${own})`;
  process.stderr.write(`Installing packages${runtime}: first start, or a changed package-lock.json …\n`);
  execSync('npm ci --no-audit --no-fund --loglevel=error', { stdio: ['ignore', 'ignore', 'inherit'] });
  execFileSync(pinnedNode, ['.config/compile.js'], { stdio: 'inherit' });
  writeFileSync(mark, wanted);
};

while (!isInstalled()) {
  if (!takeTurn()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MILLISECONDS);
  else
    try {
      if (!isInstalled()) install();
    } finally {
      rmSync(turn, { force: true });
    }
}
