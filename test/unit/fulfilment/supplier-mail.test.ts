import { expect } from 'chai';
import { supplierDirectProvider } from '#adapters/fulfilment-providers/supplier-direct.ts';
import type { FulfilmentOrder } from '#ports/fulfilment-provider.ts';
import { someOrder, someSupplier } from '#test/contract/fulfilment-provider.contract.ts';
import { addressOf } from '#test/support/builders/invoice.ts';

/** docs/guides/writing-a-fulfilment-provider.md#what-it-does */
describe('the mail to a supplier', () => {
  const textOf = async (order: FulfilmentOrder): Promise<readonly string[]> => {
    let text = '';
    const provider = supplierDirectProvider({
      check: () => Promise.reject(new Error('nothing is fetched')),
      sendMail: (_, mail) => Promise.resolve(void (text = mail.text)),
    });
    await provider.submitOrder?.({}, order, { idempotencyKey: 'key', supplier: someSupplier });
    return text.split('\n');
  };
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
    expect(lines).to.include.members(['Notes:', 'Wrap it twice.', 'Leave by the back door.']);
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
});
