import { expect } from 'chai';
import { disputeDecider } from '#command/contexts/payments/dispute.decider.ts';
import type { DisputeCommand } from '#command/contexts/payments/dispute.commands.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { given } from '#test/support/given.ts';

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

/** Where the orders have moved, one command after another. */
const moves = (...commands: readonly DisputeCommand[]): string[] => {
  const events: InvoiceEvent[] = [mugs.placed, paid];
  for (const command of commands)
    events.push(
      ...given(disputeDecider, events)
        .when(command, { now: '2026-03-02T09:00:00.000Z', today: '2026-03-02' })
        .events(),
    );
  return events.flatMap((event) => (event.type === 'OrderStatusChanged' ? [event.data.to] : []));
};

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
