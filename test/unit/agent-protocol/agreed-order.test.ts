import { expect } from 'chai';
import { isAsAgreed, type AgreedOrder } from '#command/contexts/agent-protocol/completing/agreed-order.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { addressOf, invoice } from '#test/support/builders/invoice.ts';

// docs/rules/agent-sessions.md#completing
describe('An order that an agent has agreed to', () => {
  const { content, shippingAddress } = invoice('mugs').placed.data;
  const agreed: AgreedOrder = {
    units: { [idNamed('mug')]: 2 },
    total: 2640,
    shippingAddress,
    shippingOptions: [`so:${idNamed('parcel')}`],
  };
  const isCharged = (changes: Partial<AgreedOrder>): boolean =>
    isAsAgreed({ content, shippingAddress }, { ...agreed, ...changes });

  it('is the one that was shown, or costs less', () => {
    expect(isCharged({})).to.equal(true);
    expect(isCharged({ total: 2641 })).to.equal(true);
    expect(isCharged({ total: 2639 })).to.equal(false);
  });

  it('has the goods, the address and the way of sending that the agent chose last', () => {
    for (const other of [
      { units: { [idNamed('mug')]: 1 } },
      { units: { [idNamed('mug')]: 2, [idNamed('cup')]: 1 } },
      { shippingAddress: { ...addressOf('Ada Lovelace'), addressOne: '1 New Street' } },
      { shippingOptions: [`so:${idNamed('express')}`] },
    ])
      expect(isCharged(other), JSON.stringify(other)).to.equal(false);
  });

  it('goes anywhere where the agent selected no place: nothing is sent', () => {
    expect(isCharged({ shippingAddress: null })).to.equal(true);
  });
});
