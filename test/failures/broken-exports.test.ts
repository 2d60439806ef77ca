import { expect } from 'chai';
import { once } from 'node:events';
import { text as streamText } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { memoryEngines } from '#runtime/config-engines.ts';
import { orderExportRoute } from '#projection/contexts/orders/order-export.routes.ts';
import type { PageAnswer, PageQuestion } from '#projection/engine/exports/export.ts';
import { createExports, type Exports } from '#projection/engine/exports/open-export.ts';
import { readInThread, type PageReader } from '#projection/engine/exports/page-readers.ts';
import { Api, asAdmin } from '#test/support/api.ts';
import { when } from '#test/support/refusal.ts';

const PAGE_BYTES = 100_000;
const page = (text = 'x'.repeat(PAGE_BYTES)): PageAnswer => ({
  text: new TextEncoder().encode(text),
  rows: text.length,
  next: ['2026-03-01', text],
});

const view = { view: 'orders' };
const always = { collectionOf: () => 'orders_v1_1', stored: () => Promise.resolve('orders_v1_1') };

/** Exports of pages that this gives, and what it was asked for. */
const exportsOf = (read: (question: PageQuestion) => PageAnswer | Promise<PageAnswer>) => {
  const asked: PageQuestion[] = [];
  const pages: Pick<PageReader, 'read'> = {
    read: async (question) => {
      asked.push(question);
      await nextTurn();
      return read(question);
    },
  };
  return { exports: createExports({ reader: always, pages }), asked };
};

const manyTurns = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await nextTurn();
};

describe('An export that breaks off', () => {
  it('reads no more once its caller has left, even while nothing is found', async () => {
    for (const found of [page(), { ...page(''), rows: 0 }]) {
      const { exports, asked } = exportsOf(() => found);
      const stream = await exports.open(view, {}, 'ndjson');
      stream.resume();
      await manyTurns();
      stream.destroy();
      await once(stream, 'close');
      const before = asked.length;
      expect(before).to.be.above(2);
      await manyTurns();
      expect(asked.length).to.be.at.most(before + 1);
    }
  });

  it('reads no further ahead than a caller takes', async () => {
    const { exports, asked } = exportsOf(() => page());
    const stream = await exports.open(view, {}, 'ndjson');
    stream.once('readable', () => undefined);
    await manyTurns();
    expect(asked.length).to.be.at.most(2);
    stream.destroy();
  });

  describe('over HTTP', () => {
    let failsAt = 0;
    let api: Api;
    before(async () => {
      const { exports } = exportsOf(({ rowsBefore }) => {
        if (rowsBefore >= failsAt) throw new EngineUnavailable('the disk is gone');
        return page();
      });
      api = await Api.open([
        orderExportRoute({ exports, moments: { of: () => Promise.reject(new Error('nobody asks')) } }),
      ]);
    });
    after(() => api.close());

    const ask = (format: string): Promise<Response> =>
      fetch(
        `${api.base}/backoffice/api/v1/orders/export?fromDate=2026-03-01&toDate=2026-03-31&format=${format}`,
        { method: 'POST', headers: asAdmin },
      );

    it('is refused as anything else where nothing has gone out yet', async () => {
      failsAt = 0;
      const answer = await ask('csv');
      expect(answer.status).to.equal(503);
      expect(await answer.json()).to.include({ success: false, code: 'engine-unavailable' });
    });

    it('cuts the connection half-way, so that a part never passes for the whole', async () => {
      failsAt = 3 * PAGE_BYTES;
      for (const format of ['json', 'csv', 'ndjson']) {
        const answer = await ask(format);
        expect(answer.status).to.equal(200);
        await when(answer.text()).thenFails(TypeError, 'terminated');
      }
    });
  });

  it('ends with its thread, and the next one starts another', async () => {
    const entry = new URL(
      `data:text/javascript,${encodeURIComponent(`
        import { parentPort } from 'node:worker_threads';
        parentPort.on('message', ({ rowsBefore }) => {
          if (rowsBefore > 0) process.exit(1);
          parentPort.postMessage({ text: new Uint8Array(8), rows: 8, next: ['2026-03-01', 'a'] });
        });`)}`,
    );
    const pages = readInThread(entry, { engines: memoryEngines, applicationKey: Buffer.alloc(32) });
    const exports = createExports({ reader: always, pages });
    for (let time = 0; time < 2; time++) {
      const stream = await exports.open(view, {}, 'ndjson');
      await when(stream.toArray()).thenFails(EngineUnavailable, 'broke off');
    }
  });

  it('goes on where it was when a rebuild takes over', async () => {
    let serving = 'orders_v1_1';
    const reader = { collectionOf: () => serving, stored: () => Promise.resolve(serving) };
    const read = async ({ collection, rowsBefore }: PageQuestion): Promise<PageAnswer> => {
      if (rowsBefore === 2) serving = 'orders_v1_2';
      // What has been replaced is dropped.
      if (rowsBefore === 2 && collection === 'orders_v1_1') throw new EngineUnavailable('it is gone');
      return { ...page(`${collection}\n`), rows: 1, next: rowsBefore < 3 ? ['2026-03-01', 'a'] : null };
    };
    const stream = await createExports({ reader, pages: { read } }).open(view, {}, 'ndjson');
    const text = await streamText(stream);
    const [first, second] = ['orders_v1_1\n', 'orders_v1_2\n'];
    expect(text).to.equal(first + first + second + second);
  });

  it('is refused where ten are under way, until one of them ends', async () => {
    const { exports } = exportsOf(() => page());
    const open = (from: Exports) => from.open(view, {}, 'csv');
    const [first, ...others] = await Promise.all(Array.from({ length: 10 }, () => open(exports)));
    await when(open(exports)).thenRefused('too-busy');
    first?.destroy();
    await manyTurns();
    others.push(await open(exports));
    for (const stream of others) stream.destroy();
  });
});
