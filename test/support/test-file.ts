import Mocha from 'mocha';
import { cpuSeconds } from './cpu-seconds.ts';

/** What an error is known by once it has left its process. */
export interface ReportedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly actual?: string;
  readonly expected?: string;
  readonly cause?: ReportedError;
}

export interface TestResult {
  readonly titles: readonly string[];
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly error?: ReportedError;
}

export interface FileResult {
  readonly file: string;
  readonly tests: readonly TestResult[];
  readonly milliseconds: number;
  /** Left out: its process ended before it could tell. */
  readonly cpuSeconds?: number;
}

const told = (thrown: unknown): ReportedError => {
  const error: Error & { actual?: unknown; expected?: unknown; showDiff?: boolean } =
    thrown instanceof Error ? thrown : new Error(`thrown: ${String(thrown)}`);
  const { name, message, stack = `${name}: ${message}`, actual, expected, cause } = error;
  return {
    ...{ name, message, stack },
    // As text by now: the report that mocha runs with has made it that.
    ...(error.showDiff !== false &&
      typeof actual === 'string' &&
      typeof expected === 'string' && { actual, expected }),
    ...(cause === undefined ? {} : { cause: told(cause) }),
  };
};

const loaded = async (file: string, options: Mocha.MochaOptions): Promise<Mocha> => {
  const mocha = new Mocha({ ...options, reporter: Mocha.reporters.Base }).addFile(file);
  await mocha.loadFilesAsync();
  return mocha;
};

/** Runs the tests of one file. A file that cannot be loaded is a test that failed. */
export const runTestFile = async (file: string, options: Mocha.MochaOptions): Promise<FileResult> => {
  const [began, cpuBefore] = [performance.now(), cpuSeconds()];
  const tests: TestResult[] = [];
  const note = (outcome: TestResult['outcome'], test: Mocha.Runnable, error?: unknown): void => {
    tests.push({ outcome, titles: test.titlePath(), ...(outcome === 'failed' && { error: told(error) }) });
  };
  try {
    const mocha = await loaded(file, options);
    await new Promise<void>((resolve) => {
      mocha
        .run(() => resolve())
        .on('pass', (test) => note('passed', test))
        .on('pending', (test) => note('skipped', test))
        .on('fail', (test, error) => note('failed', test, error));
    });
    // It listens to the process for errors of nobody, and must not take those of the next file for its own.
    mocha.dispose();
  } catch (error) {
    tests.push({ outcome: 'failed', titles: [`${file} cannot be loaded`], error: told(error) });
  }
  const milliseconds = performance.now() - began;
  return { file, tests, milliseconds, cpuSeconds: cpuSeconds() - cpuBefore };
};
