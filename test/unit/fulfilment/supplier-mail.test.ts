import { expect } from 'chai';
import { supplierDirectProvider } from '#adapters/fulfilment-providers/supplier-direct.ts';
import { supplierOrder } from '#command/contexts/fulfilment/supplier-order.ts';
import { defaultMailConfigurations } from '#mails/default-configurations.ts';
import { renderMail } from '#mails/render-mail.ts';
import { sampleConfig, sampleStore } from '#mails/store-facts.ts';
import type { FulfilmentOrder } from '#ports/fulfilment-provider.ts';
import { createMailTemplates } from '#runtime/mail-templates.ts';
import { someOrder, someSupplier } from '#test/contract/fulfilment-provider.contract.ts';
import { addressOf } from '#test/support/builders/invoice.ts';

const templates = createMailTemplates('/nowhere');

/** docs/guides/writing-a-fulfilment-provider.md#what-it-does */
describe('the mail to a supplier', () => {
  const written = async (order: FulfilmentOrder) => {
    const shipped = defaultMailConfigurations.find(({ topic }) => topic === 'fulfilment.supplier_order');
    if (!shipped) throw new Error('it is not shipped');
    const notification = supplierOrder(order, 'orders@potteries.example', 'Potteries');
    const template = await templates.load(shipped.templatePath);
    const mail = renderMail(shipped, template, { notification, store: sampleStore, config: sampleConfig });
    return mail.kind === 'mail' ? mail : expect.fail(mail.reason);
  };
  const textOf = async (order: FulfilmentOrder): Promise<readonly string[]> =>
    (await written(order)).text.split('\n');
  const line = { lineItemId: 'line', sku: 'MUG', name: 'Mug', quantity: 2, unitPrice: 9.5 };

  it('names options, what was chosen beneath its line, and what staff have noted', async () => {
    const lines = await textOf({
      ...someOrder,
      lineItems: [
        { ...line, extendedData: { Size: 'large', Colour: 'blue' } },
        { ...line, sku: 'MUG-GOLD', name: 'Wrap: Gold', extendedData: { parentLineItemId: 'line' } },
      ],
      internalNotes: 'Wrap it twice.\nLeave by the back door.',
    });
    expect(lines.slice(2, 4)).to.deep.equal([
      '2 x MUG Mug (Size: large, Colour: blue)',
      '  + 2 x MUG-GOLD Wrap: Gold',
    ]);
    expect(lines).to.include.members(['Note: Wrap it twice.', 'Note: Leave by the back door.']);
  });

  it('has no line that a name has made', async () => {
    const forged = 'Ada\r\n1000 x GOLD Bar\u2028To: somewhere else';
    const lines = await textOf({
      ...someOrder,
      lineItems: [{ ...line, name: forged, extendedData: { [forged]: forged } }],
      shippingAddress: addressOf(forged),
    });
    expect(lines.filter((text) => /^(1000|To: somewhere)/.test(text))).to.deep.equal([]);
    expect(lines).to.include('Ada 1000 x GOLD Bar To: somewhere else');
  });

  it('goes to the supplier alone', async () => {
    expect((await written(someOrder)).to).to.deep.equal(['orders@potteries.example']);
  });

  it('that is switched off leaves the order unsubmitted, and says why', async () => {
    const provider = supplierDirectProvider({
      check: () => Promise.reject(new Error('nothing is fetched')),
      mailOrder: async () => false,
    });
    const details = { idempotencyKey: 'key', supplier: someSupplier, subject: null };
    const outcome = await provider.submitOrder?.({}, someOrder, details);
    expect(outcome).to.deep.equal({
      kind: 'failed',
      message: 'no mail of the topic fulfilment.supplier_order is switched on',
    });
  });
});
