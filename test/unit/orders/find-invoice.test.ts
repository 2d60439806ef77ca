import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { createInvoiceFinder } from '#command/contexts/orders/find-invoice.ts';
import { newId } from '#kernel/ids.ts';
import type { EventStore } from '#ports/event-store.ts';
import { appendPlain } from '#test/support/plain-log.ts';

/** An invoice with an order; their ids. */
const invoiceIn = async (
  log: EventStore,
): Promise<{ readonly invoiceId: string; readonly orderId: string }> => {
  const [invoiceId, orderId] = [newId(), newId()];
  await appendPlain(log, `invoice-${invoiceId}`, [{ type: 'InvoiceCreated', data: { orderId } }]);
  return { invoiceId, orderId };
};

describe('the invoice of an order', () => {
  it('is found in a log that was restored and grew past where it had been looked through', async () => {
    const stateStore = createMemoryDocumentStore();
    const lostLog = createMemoryEventStore();
    const { orderId: lostOrder } = await invoiceIn(lostLog);
    await invoiceIn(lostLog);
    const before = await createInvoiceFinder({ store: lostLog, stateStore });
    expect(await before.find(lostOrder)).to.be.a('string');

    const store = createMemoryEventStore();
    const found = await createInvoiceFinder({ store, stateStore });
    expect(await found.find(newId())).to.equal(null);
    const instead = [await invoiceIn(store), await invoiceIn(store), await invoiceIn(store)];
    for (const { invoiceId, orderId } of instead) expect(await found.find(orderId)).to.equal(invoiceId);

    const another = await createInvoiceFinder({ store, stateStore });
    const { invoiceId, orderId } = await invoiceIn(store);
    expect(await another.find(orderId)).to.equal(invoiceId);
  });
});
