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

type Rebuild = ProjectionResponse['rebuild'];

const unused = (): never => expect.fail('nothing is to be opened');

/** What the command line says of these arguments, and how it exits. */
const refused = async (...args: readonly string[]): Promise<readonly [number, string]> => {
  let said = '';
  const program = new Command().exitOverride().configureOutput({
    writeOut: (text) => (said += text),
    writeErr: (text) => (said += text),
  });
  addProjectionServiceCommands(program, unused, unused, unused);
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
    const done: Rebuild = { position: 9, head: 9, isDone: true, failure: null };
    const at = (position: number): Rebuild => ({ position, head: 9, isDone: false, failure: null });

    /** What is seen at one look after the other. */
    const watched = (...looks: readonly Readonly<Record<string, Rebuild>>[]) => {
      const seen: Progress[] = [];
      const left = [...looks];
      const look = async () => new Map(Object.entries(left.shift() ?? expect.fail('looked too often')));
      const names = Object.keys(looks[0] ?? {});
      return { seen, end: watchRebuilds(names, look, (progress) => seen.push(progress)) };
    };

    it('shows the one that is furthest behind, until all are done', async () => {
      const { seen, end } = watched({ orders: at(4), days: at(2) }, { orders: done, days: done });
      expect(await end).to.deep.equal(['orders', 'days']);
      expect(seen.map(({ position, head }) => [position, head])).to.deep.equal([[2, 9]]);
    });

    it('says which failed and why, and how many did not', async () => {
      const failed = { ...done, failure: 'thirteen' };
      const { end } = watched({ orders: done, days: failed, customers: done });
      await when(end).thenFails(Error, 'The rebuild of days failed: thirteen\nThe other 2 are rebuilt.');
    });

    it('says that the read store was emptied', async () => {
      const { end } = watched({ orders: null, days: at(3) });
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
      const names = ['orders', 'customers'];
      expect(await offlineProjections.rebuild(config, names, quiet)).to.deep.equal(names);
      const known = (await offlineProjections.list(config)).map(({ name }) => name);
      expect(await offlineProjections.rebuild(config, null, quiet)).to.deep.equal(known);
      await when(offlineProjections.rebuild(config, ['orders', 'ordres'], quiet)).thenFails(
        Error,
        'There is no projection "ordres"',
      );
    });
  });
});
