import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Command } from 'commander';
import type { VerificationReport } from '#contracts/verification.contract.ts';
import { addAudit } from '#projection/cli/audit/audit-command.ts';
import type { OfflineAudit } from '#projection/cli/audit/offline-audit.ts';
import { newId } from '#kernel/ids.ts';

const sound: VerificationReport = {
  isSound: true,
  startedAt: '2030-06-01T10:00:00.000Z',
  finishedAt: '2030-06-01T11:00:00.000Z',
  position: 3,
  events: 3,
  recordedUntil: null,
  checks: [],
  seals: { count: 0, isCompared: false, covering: null, uncovered: 3 },
  views: null,
  problems: [],
};

/** What a command writes to the terminal meanwhile. */
const printed = async (work: () => Promise<void>): Promise<string> => {
  const streams = [process.stdout, process.stderr];
  const writes = streams.map(({ write }) => write);
  let text = '';
  for (const stream of streams)
    stream.write = (written: string | Uint8Array) => {
      text += String(written);
      return true;
    };
  try {
    await work();
  } finally {
    streams.forEach((stream, index) => {
      const [write] = writes.slice(index);
      if (write) stream.write = write;
    });
  }
  return text;
};

// docs/rules/proof.md#verification
describe('tillroll audit', () => {
  let kept: VerificationReport[];
  beforeEach(() => (kept = []));

  const audit: OfflineAudit = {
    seals: () => Promise.reject(new Error('seals were read')),
    verify: () => Promise.resolve(sound),
    keep: async (_, report) => {
      kept.push(report);
      return null;
    },
  };
  const refusalOf = async (...words: readonly string[]): Promise<string> => {
    const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
    addAudit(program, () => Promise.resolve(audit));
    for (const command of program.commands.flatMap(({ commands }) => commands))
      command.exitOverride().configureOutput({ writeErr: () => undefined });
    return program.parseAsync(['audit', ...words], { from: 'user' }).then(
      () => 'none',
      (error: unknown) => String(error),
    );
  };

  it('prints and keeps the result of a verification whose file cannot be written', async () => {
    const file = join(tmpdir(), newId(), 'report.json');
    let refusal = '';
    const text = await printed(async () => {
      refusal = await refusalOf('verify', '--json', file);
    });
    expect(refusal).to.include(`could not be written to ${file}`);
    expect(text).to.include('The log is sound.');
    expect(kept).to.deep.equal([sound]);
  });

  for (const [option, wrong] of [
    ['--limit', '0'],
    ['--limit', '1001'],
    ['--before', 'x'],
  ] as const)
    it(`refuses seals ${option} ${wrong} before anything is read`, async () => {
      expect(await refusalOf('seals', option, wrong))
        .to.include(option)
        .and.include('Must be a whole number from 1 to');
    });
});
