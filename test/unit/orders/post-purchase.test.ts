import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { isKnown } from '#command/contexts/invoices/invoice.state.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { decidedAt, invoice } from '#test/support/builders/invoice.ts';
import { given, inContext } from '#test/support/given.ts';

const folder = new URL('../../support/fixtures/events/', import.meta.url);
/** An event as the shop writes it, but for some of its data. */
const event = (type: string, changes: object = {}): InvoiceEvent => {
  const data = JSON.parse(readFileSync(new URL(`${type}.v1.json`, folder), 'utf8')) as object;
  return { type, data: { ...data, ...changes } } as InvoiceEvent;
};

// docs/rules/post-purchase.md#steps
describe('a charge after a purchase that is undone', () => {
  it('is no payment any more, also where it had not come to an end before it was given back', () => {
    const { addId, transactionId } = event('PostPurchaseChargeUndone').data as Record<string, string>;
    const charge = { transactionId, isTaken: false };
    const failed = given(invoiceDecider, [
      invoice('mugs').placed,
      event('PostPurchaseOpened'),
      event('PostPurchaseAddBegun', { addId }),
      event('PostPurchaseAddFailed', { addId, charge }),
    ]);
    const undoneBy = (how: string) =>
      failed.happened(event('PostPurchaseChargeUndone', { how })).state(isKnown).postPurchase?.undone;
    expect(undoneBy('refunded')).to.deep.equal([transactionId]);
    expect(undoneBy('voided')).to.deep.equal([]);
    expect(undoneBy('kept')).to.deep.equal([]);
  });
});

describe('a charge after a purchase that its provider tells of first', () => {
  it('is recorded with what the provider says of it, as any other payment', () => {
    const { id: invoiceId, placed } = invoice('mugs');
    const begun = event('PostPurchaseAddBegun');
    const details = {
      risk: { score: 83, source: 'sandbox' },
      settlement: { currency: 'USD', amountMinor: 1210, exchangeRate: '1.26' },
      webhookEventId: 'evt_1',
    };
    const decider = inContext(invoiceDecider, decidedAt('2026-03-01T09:05:00.000Z', { invoiceId }));
    const events = given(decider, [placed, event('PostPurchaseOpened'), begun])
      .when({
        type: 'RecordProviderPayment',
        ...{ provider: 'sandbox', method: null, transactionId: 'tra_1', sessionId: 'tra_1' },
        ...{ amount: 960, currency: 'GBP', keptMethodId: null, ...details },
      })
      .events();
    expect(events.map(({ type }) => type)).to.include.members(['PostPurchaseAdded', 'InvoiceEdited']);
    const payment = events.find(({ type }) => type === 'PaymentCaptured')?.data;
    expect(payment).to.deep.include({ ...details, transactionId: 'tra_1', amount: 960 });
  });
});
