#!/usr/bin/env node
// The way in: runs tillroll.ts on the pinned Node, whatever Node the machine has. Plain JavaScript for old ones.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { pinnedNode, pinnedVersion, setUpRuntime } from './runtime.js';

if (process.version === `v${pinnedVersion}` || process.execPath === pinnedNode || !existsSync(pinnedNode)) {
  setUpRuntime();
  const { runCommandLine } = await import('../tillroll.ts');
  await runCommandLine();
} else {
  const args = ['--max-semi-space-size=10', ...process.argv.slice(1)];
  const child = spawn(pinnedNode, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
}
