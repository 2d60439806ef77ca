import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { askOffline } from '#command/cli/what-if/offline-what-if.ts';
import { printWhatIf } from '#command/cli/what-if/print-what-if.ts';
import { askShop } from '#command/cli/what-if/what-if-command.ts';
import { whatIfPage } from '#command/cli/what-if/what-if-page.ts';
import type { WhatIfAnswer } from '#contracts/what-if.contract.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import { silentLogger } from '#runtime/logging.ts';
import type { RunningShop } from '#runtime/running-shop.ts';
import { bought, mugs, shopWith } from '#test/support/builders/sold-log.ts';
import { appendPlain } from '#test/support/plain-log.ts';
import { openEngines } from '../../../shared-kernel/open-engines.ts';
import { openRuntime } from '../../../shared-kernel/open-runtime.ts';

const side = (sales: number, discounts: number, uses: number) => ({
  sales,
  discounts,
  averageOrderValue: sales,
  ordersTouched: uses,
  uses,
});

const answer: WhatIfAnswer = {
  notes: ['Not a forecast.', 'Left no trace.'],
  from: '2030-06-01',
  to: '2030-06-01',
  currency: 'GBP',
  rule: {
    change: 'added',
    id: 'any',
    name: 'Tea & <b>cake</b>',
    recorded: { uses: 0, takenOff: 0 },
    recomputed: { uses: 1, takenOff: 2 },
  },
  orders: 1,
  ordersChanged: 1,
  check: {
    sales: 3,
    asRecorded: 1,
    leftAsSold: [{ reason: 'manual-order', sales: 1 }],
    differenceCount: 1,
    differences: [
      {
        invoiceId: 'any',
        invoiceNumber: 'INV-0007',
        date: '2030-06-01',
        reason: 'unexplained',
        figures: [{ figure: 'total', currency: 'GBP', recorded: 24, recomputed: 21.6 }],
      },
    ],
  },
  total: { recorded: side(24, 0, 0), recomputed: side(21.6, 2, 1) },
  days: [{ date: '2030-06-01', orders: 1, recorded: side(24, 0, 0), recomputed: side(21.6, 2, 1) }],
};

describe('tillroll what-if', () => {
  const pageText = (page: string): string =>
    page.replace(/<style>.*?<\/style>/gs, '').replace(/<[^>]+>/g, ' ');

  it('prints recorded beside recomputed, what the rule did, what was checked, and what it is not', () => {
    const text = printWhatIf(answer);
    expect(text).to.match(/Sales +£24\.00 +£21\.60 +−£2\.40/);
    expect(text).to.include('The rule would have taken £2.00 off 1 order. 1 of 1 order would have come to');
    expect(text).to.include('of 3 sales 1 come out as recorded, to the minor unit; 1 do not.');
    expect(text).to.include('1 written by staff');
    expect(text).to.include('INV-0007 of 2030-06-01: unexplained (total £24.00 recorded, £21.60 recomputed)');
    expect(text).to.include('Not a forecast.').and.to.include('Left no trace.');
  });

  it('writes the same on a page with charts that needs nothing else', () => {
    const page = whatIfPage(answer);
    expect(page).to.include('Tea &amp; &lt;b&gt;cake&lt;/b&gt;').and.not.to.include('<b>cake');
    expect(page).not.to.match(/<script|https?:\/\/(?!www\.w3\.org)|<link|@import/);
    expect(page.match(/<svg class="tr-chart"/g)).to.have.length(5);
    const text = pageText(page);
    expect(text).to.include('1 Jun 2030').and.to.include('−£2.40').and.to.include('Not a forecast.');
    expect(text).to.include('INV-0007 of 2030-06-01');
  });

  it('watches a running shop until it is done, and says why it failed', async () => {
    const progress = { share: 0.5 };
    const shopThat = (end: object): RunningShop => {
      const runs = [
        { status: 'Running', progress, result: null },
        { progress, result: null, ...end },
      ];
      const call = (method: string) => Promise.resolve(method === 'POST' ? { id: 'one' } : runs.shift());
      return { call } as unknown as RunningShop;
    };
    const shares: number[] = [];
    const done = await askShop(shopThat({ status: 'Completed', result: answer }), {}, (share) =>
      shares.push(share),
    );
    expect(done).to.equal(answer);
    expect(shares).to.deep.equal([0.5]);
    const failing = askShop(shopThat({ status: 'Failed', message: 'It stopped.' }), {}, () => undefined);
    const error = await failing.catch((reason: unknown) => reason);
    expect(error).to.have.property('message', 'The what-if failed: It stopped.');
  });

  describe('where no shop runs', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tillroll-what-if-'));
    const config = loadConfig({ env: { DATA_DIR: folder } });
    before(async () => {
      const { applicationKey } = loadKeys(config);
      const engines = await openEngines(config.engines);
      const runtime = await openRuntime({ engines, applicationKey, log: silentLogger() });
      for (const { stream = '', type, data } of [...shopWith(), ...bought('one', mugs(2))])
        await appendPlain(engines.store, stream, [{ type, data }]);
      await runtime.close();
    });
    after(() => rmSync(folder, { recursive: true }));

    const rule = { name: 'Tenth', category: 'AmountOffOrder', method: 'Automatic', valueType: 'Percentage' };
    const ask = (value: number) => {
      const body = { discount: { ...rule, value }, from: '2030-06-01', to: '2030-06-01' };
      return askOffline(config, body, () => undefined);
    };

    it('reads the log of its folder, and refuses what a shop would', async () => {
      const { total, check } = await ask(10);
      expect(check).to.include({ sales: 1, asRecorded: 1 });
      expect(total.recomputed).to.include({ sales: 21.6, discounts: 2 });
      const refused = await ask(150).catch((reason: unknown) => reason);
      expect(String(refused)).to.include('discount.value: must be a percentage above 0 and up to 100');
    });
  });
});
