import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

// The rules of .config/lint-rules.js, each broken once.

interface Report {
  readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
}

const pure = 'shared-kernel/reference/planted.ts';
const other = 'command-service/engine/planted.ts';
const breaches = [
  'export const now = Date.now();',
  'export const at = new Date();',
  'export const chance = Math.random();',
  'export const id = crypto.randomUUID();',
  'setTimeout(() => undefined, 1);',
].join('\n');
const wide = `// ${'wide '.repeat(24)}`;

/** By file, which rules of ours it breaks. */
const brokenIn = (files: Readonly<Record<string, string>>): Readonly<Record<string, readonly string[]>> => {
  const tree = mkdtempSync(join(tmpdir(), 'lint-rules-'));
  try {
    for (const file of ['.oxlintrc.json', '.config/lint-rules.js']) cpSync(file, join(tree, file));
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      writeFileSync(join(tree, file), `${text}\n`);
    }
    const lint = [resolve('node_modules/oxlint/bin/oxlint'), '--format', 'json', '.'];
    const { stdout } = spawnSync(process.execPath, lint, { cwd: tree, encoding: 'utf8' });
    const { diagnostics } = JSON.parse(stdout) as Report;
    const broken = (name: string): readonly string[] =>
      diagnostics
        .filter(({ filename, code }) => filename === name && code.startsWith('tillroll'))
        .map(({ code }) => code);
    return Object.fromEntries(Object.keys(files).map((name) => [name, broken(name)]));
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
};

describe('The lint rules of our own', () => {
  it('notice what pure code must not ask, the environment, and a comment that is too wide', () => {
    const file = `${wide}\n${breaches}\nexport const name = process.env['NAME'];`;
    const everywhere = ['tillroll(comment-width)', 'tillroll(no-environment)'];
    const broken = brokenIn({ [pure]: file, [other]: file });
    expect(broken[pure]).to.have.members([...everywhere, ...Array(5).fill('tillroll(pure)')]);
    expect(broken[other]).to.have.members(everywhere);
  });
});
