import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { startMongoServer } from '../support/mongo-server.ts';
import { root } from '../support/tillroll-process.ts';
import type { Attack, Finding } from './attack.ts';

/*
 * What takes several processes, engines that fail or a barrier cannot be shown over HTTP at one shop: the test that
 * makes it happen is run instead.
 */

const LONGEST_MS = 120_000;

const runMocha = async (
  files: readonly string[],
  tests: string,
  env: NodeJS.ProcessEnv,
): Promise<Finding> => {
  const child = spawn(
    process.execPath,
    [join(root, 'node_modules/mocha/bin/mocha.js'), '--grep', tests, ...files],
    {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LONGEST_MS,
      killSignal: 'SIGKILL',
    },
  );
  const stop = (): void => void child.kill('SIGKILL');
  process.once('exit', stop);
  let printed = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => (printed = (printed + text).slice(-20_000)));
  const [code] = (await once(child, 'close')) as [number | null];
  process.removeListener('exit', stop);
  const counts = /(\d+) passed, (\d+) failed, (\d+) skipped\s*$/.exec(printed);
  const names = files.map((file) => file.slice(file.lastIndexOf('/') + 1).replace('.test.ts', '')).join(', ');
  if (!counts) return { now: `${names}: ended without counts`, held: false };
  const [, passed, failed, skipped] = counts.map(Number);
  const left = skipped ? `, ${skipped} left out` : '';
  return {
    now: `${names}: ${passed} passed, ${failed} failed${left}`,
    held: code === 0 && failed === 0 && (passed ?? 0) > 0,
  };
};

/** Below `test/`, without `.test.ts`. */
const filesOf = (patterns: readonly string[]): readonly string[] => [
  ...new Set(patterns.flatMap((pattern) => globSync(`test/${pattern}.test.ts`, { cwd: root }).sort())),
];

/**
 * Runs the tests that show a row: of these files those whose names match, by default all. Where there are none the row
 * is not shown, which does not count as held.
 */
export const shownBy = (patterns: readonly string[], tests = ''): Attack['run'] => {
  return async () => {
    const files = filesOf(patterns);
    return files.length === 0
      ? { now: `not shown: there is no test/${patterns.join(', test/')}`, held: false }
      : runMocha(files, tests, process.env);
  };
};

/** The same for tests that need MongoDB: TEST_READ_STORE names it, else a server with its protocol is started. */
export const shownOnMongo = (patterns: readonly string[], tests: string): Attack['run'] => {
  return async () => {
    const { TEST_READ_STORE } = process.env;
    const server = TEST_READ_STORE ? null : await startMongoServer();
    const url = TEST_READ_STORE || server?.url;
    try {
      if (url === undefined)
        return { now: 'not shown: it takes Java and Maven, or TEST_READ_STORE', held: false };
      return await runMocha(filesOf(patterns), tests, { ...process.env, TEST_READ_STORE: url });
    } finally {
      await server?.dispose();
    }
  };
};
