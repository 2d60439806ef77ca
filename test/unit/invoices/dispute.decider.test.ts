import { expect } from 'chai';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import type { DisputeCommand } from '#command/contexts/invoices/payments/dispute.commands.ts';
import { decidedAt, invoice } from '#test/support/builders/invoice.ts';
import { given, inContext } from '#test/support/given.ts';

const mugs = invoice('mugs');
const paid = mugs.captured();

const opens = (disputeId: string): DisputeCommand => ({
  type: 'OpenDispute',
  provider: 'sandbox',
  paymentId: paid.data.paymentId,
  disputeId,
  amount: null,
  reason: null,
});
const ends = (disputeId: string, outcome: 'won' | 'lost'): DisputeCommand => ({
  type: 'ResolveDispute',
  provider: 'sandbox',
  disputeId,
  outcome,
});

const rules = inContext(invoiceDecider, decidedAt('2026-03-02T09:00:00.000Z'));
const bought = given(rules, [mugs.placed, paid]);

/** Where the orders have moved, one command after another. */
const moves = (...commands: readonly DisputeCommand[]): string[] => movesAfter(bought, commands);

const movesAfter = ({ after, history: { length } }: typeof bought, commands: readonly DisputeCommand[]) =>
  after(...commands)
    .history.slice(length)
    .flatMap((event) => (event.type === 'OrderStatusChanged' ? [event.data.to] : []));

describe('two disputes of one payment', () => {
  it('hold its orders until the last of them is won', () => {
    const both = [opens('dp_1'), opens('dp_2')];
    expect(moves(...both, ends('dp_1', 'won'))).to.deep.equal(['OnHold']);
    expect(moves(...both, ends('dp_1', 'won'), ends('dp_2', 'won'))).to.deep.equal(['OnHold', 'Pending']);
  });

  it('leave them on hold where one of them was lost', () => {
    const both = [opens('dp_1'), opens('dp_2')];
    expect(moves(...both, ends('dp_1', 'lost'), ends('dp_2', 'won'))).to.deep.equal(['OnHold']);
    expect(moves(...both, ends('dp_2', 'lost'), ends('dp_1', 'won'))).to.deep.equal(['OnHold']);
  });
});

describe('a dispute of a payment whose order is on hold for its provider', () => {
  it('keeps the order on hold, and leaves it to the provider once it is won', () => {
    const held = mugs.moved('OnHold', 'order', 'Processing');
    const onHold = bought.happened({ ...held, data: { ...held.data, isHeldByProvider: true as const } });
    const [opened] = onHold.when(opens('dp_1')).events();
    expect(opened?.data).to.deep.include({ heldOrderIds: [held.data.orderId] });
    expect(movesAfter(onHold, [opens('dp_1'), ends('dp_1', 'won')])).to.deep.equal([]);
  });
});
