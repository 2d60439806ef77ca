import { expect } from 'chai';
import { expiresAt, type UnpaidAge } from '#command/contexts/invoices/unpaid-invoice.state.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';

/** Minutes after an invoice was made at minute 0 in which it expires. */
const minuteOf = (age: Partial<Record<keyof UnpaidAge, number>>, limits = defaultStoreSettings): number => {
  const { idleSince = 0, attemptedAt, heldUntil, endsAt } = age;
  const at = {
    createdAt: 0,
    idleSince: idleSince * 60_000,
    attemptedAt: attemptedAt === undefined ? null : attemptedAt * 60_000,
    heldUntil: heldUntil === undefined ? null : heldUntil * 60_000,
    endsAt: endsAt === undefined ? null : endsAt * 60_000,
  };
  return expiresAt(at, limits) / 60_000;
};

describe('an unpaid invoice', () => {
  it('expires an hour after it was made', () => expect(minuteOf({})).to.equal(60));

  it('stays for an hour after a session was opened', () => {
    expect(minuteOf({ idleSince: 59 })).to.equal(119);
  });

  it('stays for a day after an attempt whose outcome may still come', () => {
    expect(minuteOf({ attemptedAt: 30 })).to.equal(30 + 1440);
    expect(minuteOf({ idleSince: 20, attemptedAt: 1430 })).to.equal(1430 + 1440);
  });

  it('stays as long as goods are held for a payment that was promised', () => {
    expect(minuteOf({ heldUntil: 10_080 })).to.equal(10_080);
    expect(minuteOf({ heldUntil: 70, attemptedAt: 30 })).to.equal(30 + 1440);
  });

  it('ends early if it holds much, unless an outcome is pending', () => {
    expect(minuteOf({ endsAt: 10 })).to.equal(10);
    expect(minuteOf({ endsAt: 10, idleSince: 9 })).to.equal(10);
    expect(minuteOf({ endsAt: 10, heldUntil: 10_080 })).to.equal(10);
    expect(minuteOf({ endsAt: 10, attemptedAt: 9 })).to.equal(9 + 1440);
    expect(minuteOf({ endsAt: 100 })).to.equal(60);
  });

  it('is never kept for longer than a day by sessions that were opened', () => {
    expect(minuteOf({ idleSince: 1379 })).to.equal(1439);
    expect(minuteOf({ idleSince: 1400 })).to.equal(1440);
    expect(minuteOf({ idleSince: 2000 })).to.equal(1440);
  });

  it('goes by the settings of the shop', () => {
    const limits = { ...defaultStoreSettings, unpaidHoldMinutes: 5, unpaidInvoiceExpiryMinutes: 30 };
    expect(minuteOf({}, limits)).to.equal(5);
    expect(minuteOf({ idleSince: 27 }, limits)).to.equal(30);
    expect(minuteOf({ attemptedAt: 1 }, limits)).to.equal(31);
  });
});
