import { cpSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const sources = [
  ...['package.json', 'tsconfig.json', 'tillroll.ts', 'shared-kernel', 'test/support'],
  ...['command-service', 'projection-service', 'dispatcher-service'],
];

/** A copy of the sources to be changed by a test while others read the originals. The caller removes it. */
export const copyTree = (name: string): string => {
  const tree = mkdtempSync(join(tmpdir(), `${name}-`));
  const filter = (file: string): boolean => !file.includes('demo-downloads');
  for (const source of sources) cpSync(source, join(tree, source), { recursive: true, filter });
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
  return tree;
};
