#!/usr/bin/env node
// `npx tillroll`: runs tillroll.ts on the pinned Node, whatever Node the machine has. Plain JavaScript for old ones.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const pinned = fileURLToPath(
  new URL(`node_modules/node/bin/node${process.platform === 'win32' ? '.exe' : ''}`, root),
);
const node = existsSync(pinned) ? pinned : process.execPath;
const child = spawn(node, [fileURLToPath(new URL('tillroll.ts', root)), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
