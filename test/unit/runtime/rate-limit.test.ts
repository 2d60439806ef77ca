import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { openSqliteDocumentStore } from '#adapters/sqlite/sqlite-document-store.ts';
import { createRateLimits, type RateLimits, type Taken } from '#http/rate-limit.ts';
import type { DocumentStore } from '#ports/document-store.ts';

const waitOf = (taken: Taken): number => (taken.isTaken ? 0 : taken.retryAfterSeconds);

interface OpenedStore {
  readonly stateStore: DocumentStore;
  readonly dispose: () => Promise<void>;
}

const stores: Readonly<Record<string, () => Promise<OpenedStore>>> = {
  memory: async () => ({ stateStore: createMemoryDocumentStore(), dispose: async () => undefined }),
  SQLite: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tillroll-limits-'));
    const stateStore = await openSqliteDocumentStore({ file: join(folder, 'state.db'), mode: 'inline' });
    const dispose = async (): Promise<void> => {
      await stateStore.close();
      rmSync(folder, { recursive: true });
    };
    return { stateStore, dispose };
  },
};

for (const [engine, openStore] of Object.entries(stores)) {
  describe(`A rate limit in ${engine}`, () => {
    let time = 0;
    let stateStore: DocumentStore;
    let dispose: OpenedStore['dispose'];
    let limits: RateLimits;
    /** Another process on the same store. */
    const open = () =>
      createRateLimits({ stateStore, now: () => time, keyedHash: (kind, value) => `${value}…… of ${kind}` });
    beforeEach(async () => {
      time = Date.UTC(2026, 0, 1);
      ({ stateStore, dispose } = await openStore());
      limits = await open();
    });
    afterEach(() => dispose());

    it('lets a fixed number pass per minute, for each key and name', async () => {
      const limit = limits.perWindow('guess', 60);
      expect([await limit.take('a', 2), await limit.take('a', 2)].map(waitOf)).to.deep.equal([0, 0]);
      time += 15_000;
      expect(waitOf(await limit.take('a', 2))).to.equal(45);
      expect(waitOf(await limit.take('b', 2))).to.equal(0);
      expect(waitOf(await limits.perWindow('other', 60).take('a', 2))).to.equal(0);
      time += 45_000;
      expect(waitOf(await limit.take('a', 2)), 'a new window').to.equal(0);
    });

    it('counts for all processes together, also those at the same moment', async () => {
      const processes = [limits, await open(), await open()].map((one) => one.perWindow('guess', 60));
      const all = processes.flatMap((limit) => Array.from({ length: 10 }, () => limit.take('a', 7)));
      expect((await Promise.all(all)).filter(({ isTaken }) => isTaken)).to.have.length(7);
    });

    it('forgets what is given back, never more than was counted', async () => {
      const limit = limits.perWindow('guess', 60);
      await limit.take('a', 1);
      await limit.giveBack('a');
      await limit.giveBack('a');
      expect(waitOf(await limit.take('a', 1))).to.equal(0);
      expect(waitOf(await limit.take('a', 1))).to.equal(60);
    });

    it('keeps no key in clear, and nothing once its time is over', async () => {
      const hashed = await createRateLimits({ stateStore, now: () => time, keyedHash: () => 'hashed' });
      await hashed.perWindow('guess', 60).take('bea@shop.example', 1);
      await hashed
        .throttle('account', { free: 1, stepSeconds: 1, longestSeconds: 3, forgottenAfterSeconds: 900 })
        .take('bea');
      expect(JSON.stringify(await stateStore.find('rateCounters'))).to.not.include('bea');
      time += 60_000;
      expect(await limits.sweep()).to.equal(1);
      time += 840_000;
      expect([await limits.sweep(), await stateStore.count('rateCounters')]).to.deep.equal([1, 0]);
    });
  });

  describe(`A throttle in ${engine}`, () => {
    const rules = { free: 3, stepSeconds: 1, longestSeconds: 4, forgottenAfterSeconds: 900 };
    let time = 0;
    let stateStore: DocumentStore;
    let dispose: OpenedStore['dispose'];
    const open = async () => {
      const limits = await createRateLimits({ stateStore, now: () => time, keyedHash: (_, value) => value });
      return limits.throttle('account', rules);
    };
    beforeEach(async () => {
      time = Date.UTC(2026, 0, 1);
      ({ stateStore, dispose } = await openStore());
    });
    afterEach(() => dispose());

    it('is any at first, then slower with each, and never stands still', async () => {
      const throttle = await open();
      const waits: number[] = [];
      for (let attempt = 0; attempt < 8; attempt++) {
        for (let wait = waitOf(await throttle.take('a')); wait > 0; wait = waitOf(await throttle.take('a'))) {
          waits.push(wait);
          time += wait * 1000;
        }
      }
      expect(waits).to.deep.equal([1, 2, 3, 4, 4]);
    });

    it('grows no slower by what was not let through', async () => {
      const throttle = await open();
      for (let attempt = 0; attempt < 100; attempt++) await throttle.take('a');
      expect(waitOf(await throttle.take('a'))).to.equal(1);
    });

    it('lets one through at a time, whichever process is asked', async () => {
      const processes = [await open(), await open()];
      const [first] = processes;
      for (let attempt = 0; attempt < 3; attempt++) await first?.take('a');
      time += 1000;
      const all = processes.flatMap((throttle) => Array.from({ length: 10 }, () => throttle.take('a')));
      expect((await Promise.all(all)).filter(({ isTaken }) => isTaken)).to.have.length(1);
    });

    it('starts over when it is cleared, and when it was left alone for long', async () => {
      const throttle = await open();
      for (let attempt = 0; attempt < 3; attempt++) await throttle.take('a');
      await throttle.clear('a');
      for (let attempt = 0; attempt < 3; attempt++) expect(waitOf(await throttle.take('a'))).to.equal(0);
      time += 900_000;
      for (let attempt = 0; attempt < 3; attempt++) expect(waitOf(await throttle.take('a'))).to.equal(0);
      expect(waitOf(await throttle.take('a'))).to.equal(1);
    });
  });
}
