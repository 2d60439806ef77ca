import { expect } from 'chai';
import { unpaidLimits } from '#command/contexts/checkout/placement/unpaid-limits.ts';

// docs/rules/checkout.md#unpaid-invoices
describe('How much may stand unpaid where an order is asked for', () => {
  const settings = {
    ...{ openInvoicesPerAddress: 20, heldUnitsPerAddress: 50, largeHoldMinutes: 10 },
    openInvoicesPerAgent: 1000,
  };
  const hash = (kind: string, value: string): string => `${kind[0]} ${value}`.slice(0, 16);
  const limits = (changes: Partial<typeof settings> = {}) => unpaidLimits({ ...settings, ...changes }, hash);
  const ip = '192.0.2.7';

  it('is counted by network for a shopper', () => {
    expect(limits()({ ip })).to.deep.equal({
      openInvoices: { address: `c ${ip}`, limit: 20 },
      largeHolds: { units: 50, minutes: 10 },
    });
  });

  it('is counted by profile for a signed agent, but for the goods: another profile holds no more', () => {
    expect(limits()({ ip, agent: 'https://a' })).to.deep.equal({
      openInvoices: { address: 'a https://a', limit: 1000, heldAt: `c ${ip}` },
      largeHolds: { units: 1000, minutes: 10 },
    });
  });

  it('is what one setting still bounds where the other says 0', () => {
    const noUnits = limits({ heldUnitsPerAddress: 0 })({ ip, agent: 'https://a' });
    expect([noUnits.openInvoices?.limit, noUnits.largeHolds]).to.deep.equal([1000, null]);
    const noOrders = limits({ openInvoicesPerAgent: 0 })({ ip, agent: 'https://a' });
    expect([noOrders.openInvoices?.heldAt, noOrders.largeHolds?.units]).to.deep.equal([`c ${ip}`, 50]);
    expect(limits({ openInvoicesPerAgent: 0, heldUnitsPerAddress: 0 })({ ip, agent: 'x' })).to.deep.equal({
      ...{ openInvoices: null, largeHolds: null },
    });
  });
});
