import { InvalidArgumentError, type Command } from 'commander';
import type { KeptSeals } from '../../contexts/audit/verification/seals.check.ts';
import type { VerificationReport } from '#contracts/verification.contract.ts';
import type { Config } from '#runtime/config.ts';
import type { OfflineAudit, OnVerifyProgress } from './offline-audit.ts';

type LoadAudit = () => Promise<OfflineAudit>;

const numberFrom1 =
  (most: number) =>
  (text: string): number => {
    const number = Number(text);
    if (Number.isSafeInteger(number) && number >= 1 && number <= most) return number;
    throw new InvalidArgumentError(`Must be a whole number from 1 to ${most}.`);
  };

/** As `GET /audit/seals` has it. */
const MOST_SEALS = 1000;

interface SealsOptions {
  readonly limit: number;
  readonly before?: number;
  readonly json?: true;
  readonly data?: string;
}

interface VerifyOptions {
  readonly views?: true;
  readonly seal?: string;
  readonly json?: string;
  readonly data?: string;
}

const dataOption = ['--data <folder>', 'where the data is kept; over DATA_DIR'] as const;

export const addAudit = (program: Command, loadAudit: LoadAudit): void => {
  const audit = program.command('audit').description('Proof that the event log is what the shop wrote');
  audit
    .command('seals')
    .description('Print the seals of the event log with their public key, to keep a copy elsewhere')
    .option(
      '--limit <count>',
      `how many, the newest first; at most ${MOST_SEALS}`,
      numberFrom1(MOST_SEALS),
      100,
    )
    .option('--before <number>', 'those before this seal', numberFrom1(Number.MAX_SAFE_INTEGER))
    .option('--json', 'as one document, which verify --seal takes')
    .option(...dataOption)
    .action(async (options: SealsOptions) => {
      const { printSeals } = await import('./print-audit.ts');
      const { before = null, limit, json = false } = options;
      const page = await (await loadAudit()).seals(await configFor(options), { before, limit });
      process.stdout.write(json ? `${JSON.stringify(page, null, 2)}\n` : printSeals(page));
    });
  audit
    .command('verify')
    .description(
      'Verify the whole event log, beside a running shop or without one; exits with 1 if it is not sound',
    )
    .option('--views', 'compare every document of the read models with a fresh fold of the log, too')
    .option(
      '--seal <file>',
      'compare seals that were kept elsewhere: what GET /audit/seals returned, or one of them',
    )
    .option('--json <file>', 'write the report to this file')
    .option(...dataOption)
    .action(async (options: VerifyOptions) => {
      const report = await verify(options, await loadAudit());
      const { printVerification } = await import('./print-audit.ts');
      process.stdout.write(printVerification(report));
      if (!report.isSound) process.exitCode = 1;
      // Last: what took so long to find out is told and kept, also where the file cannot be written.
      if (options.json !== undefined) await writeReport(report, options.json);
    });
};

const configFor = async ({ data }: { readonly data?: string }): Promise<Config> => {
  const { loadConfig } = await import('#runtime/config.ts');
  return loadConfig(data === undefined ? {} : { overrides: { DATA_DIR: data } });
};

const verify = async (options: VerifyOptions, audit: OfflineAudit): Promise<VerificationReport> => {
  const { views = false, seal, data } = options;
  const kept = seal === undefined ? null : await keptIn(seal);
  const config = await configFor(options);
  const report = await withBar((onProgress) =>
    audit.verify(config, { kept, isWithViews: views, onProgress }),
  );
  // Of a copy, nothing is written.
  const problem = data === undefined ? await audit.keep(config, report) : null;
  if (problem !== null) process.stderr.write(`The report was not kept: ${problem}\n`);
  return report;
};

const keptIn = async (file: string): Promise<KeptSeals> => {
  const [{ readFile }, { parseKeptSeals }] = await Promise.all([
    import('node:fs/promises'),
    import('./kept-seals.ts'),
  ]);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Error(`--seal ${file} cannot be read: ${(error as Error).message}`);
  });
  return parseKeptSeals(file, text);
};

const writeReport = async (report: VerificationReport, file: string): Promise<void> => {
  const { writeFile } = await import('node:fs/promises');
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`).catch((error: unknown) => {
    throw new Error(`The report could not be written to ${file}: ${(error as Error).message}`);
  });
};

/** One bar for each phase, each with an estimate. */
const withBar = async <Answer>(work: (onProgress: OnVerifyProgress) => Promise<Answer>): Promise<Answer> => {
  const { progressBar } = await import('#runtime/progress-bar.ts');
  const bar = progressBar('{phase} {bar} {percentage} %  {eta_formatted}');
  bar.start(1, 0, { phase: 'log' });
  try {
    return await work(({ phase, done, total }) => {
      bar.setTotal(Math.max(total, 1));
      bar.update(done, { phase });
    });
  } finally {
    bar.stop();
  }
};
