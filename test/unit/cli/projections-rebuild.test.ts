import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Command, CommanderError } from 'commander';
import type { ProjectionResponse } from '#contracts/projections.contract.ts';
import { addProjectionServiceCommands, watchRebuilds, type Progress } from '#projection/cli.ts';
import { offlineProjections } from '#projection/cli/offline-projections.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import { when } from '#test/support/refusal.ts';

type Rebuild = NonNullable<ProjectionResponse['rebuild']>;

const unused = (): never => expect.fail('nothing is to be opened');

/** What the command line says of these arguments, and how it exits. */
const refused = async (...args: readonly string[]): Promise<readonly [number, string]> => {
  let said = '';
  const program = new Command().exitOverride().configureOutput({
    writeOut: (text) => (said += text),
    writeErr: (text) => (said += text),
  });
  addProjectionServiceCommands(program, unused, unused, unused, unused);
  try {
    await program.parseAsync(['projections', 'rebuild', ...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return [error.exitCode, said];
    throw error;
  }
  return expect.fail(`${args.join(' ')} was taken`);
};

describe('tillroll projections rebuild', () => {
  it('wants names, or --all, and not both', async () => {
    for (const args of [[], ['orders', '--all']]) {
      const [code, said] = await refused(...args);
      expect(code).to.equal(1);
      expect(said).to.contain('--all');
    }
  });

  it('explains itself', async () => {
    const [code, said] = await refused('--help');
    expect(code).to.equal(0);
    expect(said).to.contain('[names...]').and.to.contain('--all');
  });

  describe('while it waits', () => {
    const at = (position: number): Rebuild => ({
      ...{
        phase: 'filling',
        position,
        head: 9,
        eventsRead: position,
        eventsPerSecond: 3,
        share: position / 9,
      },
      ...{ secondsLeft: 2, askedBy: 'ada', startedAt: null, isDone: false, failure: null },
    });
    const done: Rebuild = { ...at(9), phase: null, isDone: true };
    const never = new AbortController().signal;

    /** What is seen at one look after the other. */
    const watched = (
      looks: readonly Readonly<Record<string, Rebuild | null>>[],
      signal: AbortSignal = never,
    ) => {
      const seen: Progress[] = [];
      const cancelled: string[] = [];
      const left = [...looks];
      const look = async () => new Map(Object.entries(left.shift() ?? expect.fail('looked too often')));
      const names = Object.keys(looks[0] ?? {});
      const onProgress = (progress: Progress): void => void seen.push(progress);
      const cancel = async (name: string): Promise<void> => void cancelled.push(name);
      return { seen, cancelled, end: watchRebuilds(names, { look, onProgress, cancel, signal }) };
    };

    it('shows the one that is furthest behind, until all are done', async () => {
      const { seen, end } = watched([
        { orders: at(4), days: at(2) },
        { orders: done, days: done },
      ]);
      expect(await end).to.deep.equal(['orders', 'days']);
      expect(seen).to.deep.equal([{ position: 2, head: 9, phase: 'filling', eventsPerSecond: 3 }]);
    });

    it('cancels what is not done when it is interrupted, and says so once that has ended', async () => {
      const stop = new AbortController();
      stop.abort();
      const ended = { ...at(4), phase: null, isDone: true, failure: 'cancelled by ada' };
      const { cancelled, end } = watched(
        [
          { orders: at(4), days: done },
          { orders: at(4), days: done },
          { orders: ended, days: done },
        ],
        stop.signal,
      );
      await when(end).thenFails(
        Error,
        'The rebuild of orders ended: cancelled by ada\nThe other 1 are rebuilt.',
      );
      expect(cancelled).to.deep.equal(['orders']);
    });

    it('says which failed and why, and how many did not', async () => {
      const failed = { ...done, failure: 'thirteen' };
      const { end } = watched([{ orders: done, days: failed, customers: done }]);
      await when(end).thenFails(Error, 'The rebuild of days ended: thirteen\nThe other 2 are rebuilt.');
    });

    it('says that the read store was emptied', async () => {
      const { end } = watched([{ orders: null, days: at(3) }]);
      await when(end).thenFails(Error, 'orders: the read store was emptied meanwhile');
    });
  });

  describe('where no shop runs', () => {
    let folder: string;
    before(() => (folder = mkdtempSync(join(tmpdir(), 'tillroll-rebuild-'))));
    after(() => rmSync(folder, { recursive: true }));

    it('rebuilds those that are named, or all', async () => {
      const config = loadConfig({ env: { DATA_DIR: folder } });
      loadKeys(config);
      const quiet = (): void => undefined;
      const never = new AbortController().signal;
      const names = ['orders', 'customers'];
      expect(await offlineProjections.rebuild(config, names, quiet, never)).to.deep.equal(names);
      const known = (await offlineProjections.list(config)).map(({ name }) => name);
      expect(await offlineProjections.rebuild(config, null, quiet, never)).to.deep.equal(known);
      await when(offlineProjections.rebuild(config, ['orders', 'ordres'], quiet, never)).thenFails(
        Error,
        'There is no projection "ordres"',
      );
    });
  });
});
