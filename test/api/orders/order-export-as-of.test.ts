import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { invoiceEvents, invoiceNumberEvents } from '#events/invoice.events.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';
import { INVOICE_NUMBERS } from '#values/invoice-number.ts';
import { streamOf } from '#values/stream-name.ts';
import { invoice, twoMugs } from '#test/support/builders/invoice.ts';
import type { GivenEvent } from '#test/support/given.ts';
import { openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';
import { asAdmin } from '#test/support/api.ts';
import { manage, withHeaders } from '#test/support/requests.ts';
import { body, header } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const { InvoiceCancelled, InvoiceDeleted } = invoiceEvents.create;
const { InvoiceNumberTaken } = invoiceNumberEvents.create;

const path = '/orders/export';

/** A sale of a day in February, and its number before it. */
const soldOn = (day: number, number: number) => {
  const date = `2026-02-${String(day).padStart(2, '0')}`;
  const content = { createdAt: `${date}T09:00:00.000Z`, businessDay: date };
  return { ...invoice(`sale ${number}`, { number: `INV-000${number}`, content }), date };
};
type Sale = ReturnType<typeof soldOn>;

const happened = ({ id, date, sold }: Sale, recordedOn = date): readonly GivenEvent[] =>
  [
    { ...InvoiceNumberTaken({ invoiceId: id }), stream: streamOf.invoiceNumbers(INVOICE_NUMBERS) },
    ...sold(),
  ].map((event) => ({ ...event, recordedAt: `${recordedOn}T09:00:00.000Z` }));

const amounts = {
  balance: invoiceBalance(0, 2640, 0),
  sale: { amounts: twoMugs().amounts, cost: 600, items: 2, returns: 0 },
};

// docs/rules/exports.md#as-of
describe('POST /orders/export as of a moment', () => {
  let shop: ReadingShop;
  before(async () => {
    const [first, second, third] = [soldOn(1, 1), soldOn(2, 2), soldOn(20, 3)];
    const cancelledAt = '2026-02-10T12:00:00.000Z';
    const deletedAt = '2026-02-11T12:00:00.000Z';
    const whole = { orderIds: [], paymentIds: [], completedDays: [], wasCancelled: false };
    shop = await openReadingShop([
      ...happened(first),
      ...happened(second),
      {
        ...InvoiceCancelled({ ...first.invoiceName, reason: 'regret', cancelledAt, ...amounts }),
        stream: first.stream,
        recordedAt: cancelledAt,
      },
      {
        ...InvoiceDeleted({ ...second.invoiceName, deletedBy: 'bea', deletedAt, ...whole, ...amounts }),
        stream: second.stream,
        recordedAt: deletedAt,
      },
      ...happened(third),
    ]);
  });
  after(() => shop.close());

  const asked = (given: object) =>
    shop.ask(
      withHeaders(asAdmin, manage.post(path, { fromDate: '2026-02-01', toDate: '2026-02-28', ...given })),
    );
  const numbers = async (given: object): Promise<readonly string[]> =>
    ((await asked(given).then(200)).body as { invoiceNumber: string }[]).map(
      ({ invoiceNumber }) => invoiceNumber,
    );

  it('says what it would have said then: what was cancelled or deleted since is there', async () => {
    expect(await numbers({})).to.deep.equal(['INV-0003']);
    expect(await numbers({ asOf: '2026-02-01' })).to.deep.equal(['INV-0001']);
    expect(await numbers({ asOf: '2026-02-09' })).to.deep.equal(['INV-0001', 'INV-0002']);
    expect(await numbers({ asOf: '2026-02-10T11:59:59Z' })).to.deep.equal(['INV-0001', 'INV-0002']);
    expect(await numbers({ asOf: '2026-02-10T13:00:00+01:00' })).to.deep.equal(['INV-0002']);
    expect(await numbers({ asOf: '2026-02-10', includeCancelled: true })).to.deep.equal([
      'INV-0001',
      'INV-0002',
    ]);
    expect(await numbers({ asOf: '2026-02-12' })).to.deep.equal([]);
    expect(await numbers({ asOf: '2026-01-31' })).to.deep.equal([]);
    expect(await numbers({ asOf: '2026-03-01' })).to.deep.equal(['INV-0003']);
  });

  it('is about the days that are asked for, whatever the moment', async () => {
    expect(await numbers({ asOf: '2026-02-09', fromDate: '2026-02-02' })).to.deep.equal(['INV-0002']);
    expect(await numbers({ asOf: '2026-02-09', toDate: '2026-02-01' })).to.deep.equal(['INV-0001']);
    expect(await numbers({ asOf: '2026-02-28', fromDate: '2026-02-19', toDate: '2026-02-20' })).to.deep.equal(
      ['INV-0003'],
    );
  });

  it('names the moment in its header; one still to come, or without an offset, is 400', async () => {
    await asked({ asOf: '2026-02-09' })
      .then(200)
      .and(header('tillroll-as-of', '2026-02-09T23:59:59.999Z; position=10'));
    await asked({}).then(200).and(header('tillroll-as-of', null));
    for (const asOf of ['2026-03-02', '2026-03-01T12:00:01Z', '2026-02-09T10:00:00', 'yesterday'])
      await asked({ asOf })
        .then(400)
        .and(body(({ errors }) => expect(errors[0], asOf).to.match(/^asOf: /)));
  });
});

// Its day is that of the order, which a crash interrupted before it took its number.
describe('POST /orders/export as of a moment, of a sale whose number was taken days later', () => {
  let shop: ReadingShop;
  before(async () => {
    shop = await openReadingShop([...happened(soldOn(1, 1)), ...happened(soldOn(5, 2), '2026-02-20')]);
  });
  after(() => shop.close());

  it('has it on its day, as the export of now has', async () => {
    const numbersOf = async (given: object): Promise<readonly string[]> => {
      const window = { fromDate: '2026-02-05', toDate: '2026-02-05' };
      const asked = withHeaders(asAdmin, manage.post(path, { ...window, ...given }));
      const rows = (await shop.ask(asked).then(200)).body as { invoiceNumber: string }[];
      return rows.map(({ invoiceNumber }) => invoiceNumber);
    };
    expect(await numbersOf({})).to.deep.equal(['INV-0002']);
    expect(await numbersOf({ asOf: '2026-02-28' })).to.deep.equal(['INV-0002']);
    expect(await numbersOf({ asOf: '2026-02-19' })).to.deep.equal([]);
  });
});

describe('POST /orders/export as of a moment, read from files by its thread', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillroll-export-'));
  let shop: TestShop;
  before(async () => {
    const at = (name: string): string => `sqlite:${join(folder, name)}`;
    shop = await TestShop.open({
      environment: {
        ...{ DATA_DIR: folder, EVENT_STORE: at('events.db') },
        ...{ READ_STORE: at('read.db'), STATE_STORE: at('state.db') },
      },
    });
  });
  after(async () => {
    await shop.close();
    rmSync(folder, { recursive: true });
  });

  it('tells of a sale that was cancelled later, with what is personal, as it was told before', async () => {
    const mug = await shop.sell('mug', { price: 10 });
    const shopper = shop.shopper();
    await shopper.prepare(mug, 2, 'ada@example.com');
    const { invoiceId } = (await shopper.pay()).body as { invoiceId: string };
    await shopper.payWith(invoiceId);
    await shop.settle();
    const window = { fromDate: '2000-01-01', toDate: '2999-12-31' };
    const rows = async (given: object) => {
      const { status, text } = await shop.admin.ask(
        manage.post(`${path}?format=ndjson`, { ...window, ...given }),
      );
      expect(status, text).to.equal(200);
      return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as object]));
    };
    const before = await rows({});
    expect(before).to.have.length(1);
    expect(before[0]).to.include({ customerEmail: 'ada@example.com', total: 29, paymentStatus: 'Paid' });

    const asOf = new Date(Date.now() + 30_000).toISOString();
    await shop.tester.post('/testing/clock', { advanceSeconds: 60 });
    const cancelled = await shop.admin.ask(manage.post(`/orders/${invoiceId}/cancel`, { reason: 'regret' }));
    expect(cancelled.status, cancelled.text).to.equal(200);
    await shop.settle();
    expect(await rows({})).to.deep.equal([]);
    expect(await rows({ asOf })).to.deep.equal(before);

    const { customerId } = await shop.shown(`/orders/${invoiceId}`);
    await shop.shop.runtime.codec.keys.forget(customerId);
    const [forgotten] = await rows({ asOf });
    expect(forgotten).to.include({ invoiceNumber: 'INV-0001', customerEmail: null, customerName: null });
  });
});
