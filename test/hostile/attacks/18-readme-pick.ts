import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../support/tillroll-process.ts';
import { finding, type Attack } from '../attack.ts';

const answer = '(console.log("ran what it was answered"),{"name":1})';

/** Returns the tour in the README with code instead of data. */
export const attack: Attack = {
  title: "answer the README's tour with code",
  before: 'its `pick` ran answers as code',
  kind: 'harmless',
  run: async () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const pick = /^pick\(\).*$/m.exec(readme)?.[0];
    if (pick === undefined) throw new Error('the README has no pick');
    const script = `${pick}\npick name`;
    const { stdout } = spawnSync('sh', ['-c', script], { input: answer, encoding: 'utf8', timeout: 10_000 });
    const fair = spawnSync('sh', ['-c', script], {
      input: '{"name":"Ada"}',
      encoding: 'utf8',
      timeout: 10_000,
    });
    return Promise.resolve(
      finding('it parses them', [
        ...(stdout.includes('ran what') ? ['an answer ran as code'] : []),
        ...(fair.stdout.trim() === 'Ada'
          ? []
          : [`picked ${fair.stdout.trim() || 'nothing'} instead of a name`]),
      ]),
    );
  },
};
