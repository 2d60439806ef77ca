import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { postPurchaseDecider } from '#command/contexts/orders/post-purchase.decider.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { fold } from '#kernel/decider.ts';
import { invoice } from '#test/support/builders/invoice.ts';

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
    const undoneBy = (how: string) => {
      const state = fold(postPurchaseDecider, [
        invoice('mugs').placed,
        event('PostPurchaseOpened'),
        event('PostPurchaseAddBegun', { addId }),
        event('PostPurchaseAddFailed', { addId, charge }),
        event('PostPurchaseChargeUndone', { how }),
      ]);
      return 'postPurchase' in state ? state.postPurchase?.undone : undefined;
    };
    expect(undoneBy('refunded')).to.deep.equal([transactionId]);
    expect(undoneBy('voided')).to.deep.equal([]);
    expect(undoneBy('kept')).to.deep.equal([]);
  });
});
