import { expect } from 'chai';
import { followRecentInvoices, type RecentInvoices } from '#dispatcher/contexts/mails/recent-invoices.ts';
import type { Recorded } from '#kernel/event.ts';
import { newId } from '#kernel/ids.ts';
import { createFeed, type Feed } from '#log/feed.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { openMails, type OpenMails } from '#test/support/open-mails.ts';
import { appendPlain, plainDecoder, silentLog } from '#test/support/plain-log.ts';

// docs/rules/mail-deliveries.md#queued
describe('The invoices that mails find at hand', () => {
  let shop: OpenMails;
  let feed: Feed;
  let recent: RecentInvoices;
  /** Of all events of invoices. */
  const subject = idNamed('customer');

  const open = async (): Promise<void> => {
    const plain = plainDecoder();
    const about = (event: Recorded): Recorded => ({ ...event, metadata: { ...event.metadata, subject } });
    const codec = {
      decodeAll: async (batch: Parameters<typeof plain.decodeAll>[0]) =>
        (await plain.decodeAll(batch)).map(about),
    };
    feed = createFeed({ store: shop.store, codec, clock: shop.clock, log: silentLog });
    recent = await followRecentInvoices({ ...shop, feed });
    await feed.start();
  };
  beforeEach(async () => {
    shop = await openMails();
    await shop.keys.ensure({ id: subject });
    await open();
  });
  afterEach(async () => {
    await recent.stop();
    await feed.stop();
    await shop.close();
  });

  const append = async (stream: string, ...types: readonly string[]): Promise<number> => {
    const position = await appendPlain(
      shop.store,
      stream,
      types.map((type) => ({ type, data: {} })),
    );
    feed.hurry();
    await Promise.all(feed.followers.map((one) => one.waitFor(position, 2000)));
    return position;
  };
  const invoice = (): string => `invoice-${newId()}`;
  const typesUpTo = async (position: number) =>
    (await recent.upTo(position))?.map(({ type }) => type) ?? null;

  it('are whole up to the event that is asked for', async () => {
    const [one, other] = [invoice(), invoice()];
    const created = await append(one, 'InvoiceCreated');
    await append(other, 'InvoiceCreated', 'SaleConfirmed');
    const paid = await append(one, 'PaymentCaptured', 'SaleConfirmed');
    expect(await typesUpTo(paid)).to.deep.equal(['InvoiceCreated', 'PaymentCaptured', 'SaleConfirmed']);
    expect(await typesUpTo(paid - 1)).to.deep.equal(['InvoiceCreated', 'PaymentCaptured']);
    expect(await typesUpTo(created)).to.deep.equal(['InvoiceCreated']);
  });

  it('are none that were begun before, nor other streams', async () => {
    const early = invoice();
    await append(early, 'InvoiceCreated');
    await recent.stop();
    await open();
    expect(await typesUpTo(await append(early, 'SaleConfirmed'))).to.equal(null);
    expect(await typesUpTo(await append(`stock-${newId()}`, 'StockRanLow'))).to.equal(null);
  });

  it('are none with an event that is not an invoice’s, as it would be missing', async () => {
    const mixed = invoice();
    await append(mixed, 'InvoiceCreated', 'StockRanLow');
    expect(await typesUpTo(await append(mixed, 'SaleConfirmed'))).to.equal(null);
  });

  it('are no more than the last 256, with 50 events at most', async () => {
    const first = await append(invoice(), 'InvoiceCreated');
    let last = 0;
    for (let count = 0; count < 256; count++) last = await append(invoice(), 'InvoiceCreated');
    expect(await typesUpTo(first)).to.equal(null);
    expect(await typesUpTo(last)).to.deep.equal(['InvoiceCreated']);
    const long = invoice();
    const more = Array.from({ length: 49 }, () => 'OrderStatusChanged');
    expect(await typesUpTo(await append(long, 'InvoiceCreated', ...more))).to.have.length(50);
    expect(await typesUpTo(await append(long, 'SaleConfirmed'))).to.equal(null);
  });

  it('are not shown once their customer is forgotten', async () => {
    const position = await append(invoice(), 'InvoiceCreated');
    expect(await typesUpTo(position)).to.deep.equal(['InvoiceCreated']);
    await shop.keys.forget(subject);
    expect(await typesUpTo(position)).to.equal(null);
  });

  it('are let go of once they say that they have forgotten their customer', async () => {
    const stream = invoice();
    const position = await append(stream, 'InvoiceCreated');
    const forgotten = await append(stream, 'InvoiceForgotten');
    const later = await append(stream, 'OrderStatusChanged');
    for (const one of [position, forgotten, later]) expect(await typesUpTo(one)).to.equal(null);
  });
});
