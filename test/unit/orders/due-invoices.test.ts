import { expect } from 'chai';
import { createDueInvoices } from '#command/contexts/orders/reminders/due-invoices.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { givenStream } from '#test/support/given.ts';
import { restarted } from '#test/support/restart-part.ts';

const { InvoiceCancelled, InvoiceReminded, PurchaseOrderAccepted } = invoiceEvents.create;

const days = {
  reminderDaysBeforeDue: 7,
  overdueReminderIntervalDays: 7,
  maxOverdueReminders: 3,
  timeZone: 'UTC',
};
const mugs = invoice('mugs', { content: { accountTerms: { dueDate: '2026-03-31T23:30:00.000Z' } } });
const unpaid = mugs.confirmed(invoiceBalance(2640, 0, 0));
const reminded = (kind: 'dueSoon' | 'overdue', number: number, remindedDay: string) =>
  InvoiceReminded({
    ...mugs.invoiceName,
    ...{ kind, number, dayDue: '2026-03-31', days: 1, remindedDay },
    remindedAt: `${remindedDay}T06:00:00.000Z`,
  });

const after = (...events: readonly DomainEvent[]) =>
  givenStream(mugs.stream, ...events).foldInto(createDueInvoices);
const taken = (due: ReturnType<typeof createDueInvoices>, today: string, wanted = days) =>
  due.takeDue(today, wanted, 10).length;

describe('invoices that may need a reminder', () => {
  it('are returned once, by days in the shop’s time zone, and again when they are put back', () => {
    const due = after(mugs.placed, unpaid);
    expect(taken(due, '2026-03-23')).to.equal(0);
    expect(due.takeDue('2026-03-24', days, 10)).to.deep.equal([mugs.id]);
    expect(taken(due, '2026-03-24')).to.equal(0);
    due.putBack(mugs.id);
    due.putBack(idNamed('another'));
    expect(taken(due, '2026-03-24')).to.equal(1);
    // On 1 April in Berlin.
    due.putBack(mugs.id);
    expect(taken(due, '2026-03-24', { ...days, timeZone: 'Europe/Berlin' })).to.equal(0);
    expect(taken(due, '2026-03-25', { ...days, timeZone: 'Europe/Berlin' })).to.equal(1);
  });

  it('wait for the next reminder after each one', () => {
    const due = after(mugs.placed, unpaid, reminded('dueSoon', 1, '2026-03-24'));
    expect(taken(due, '2026-03-31')).to.equal(0);
    const again = restarted(createDueInvoices(), after(unpaid, reminded('overdue', 1, '2026-04-01')));
    expect(taken(again, '2026-04-07')).to.equal(0);
    expect(taken(again, '2026-04-08')).to.equal(1);
    expect(taken(after(unpaid, reminded('overdue', 3, '2026-04-15')), '2027-01-01')).to.equal(0);
  });

  it('follow the terms of their purchase order', () => {
    const accepted = PurchaseOrderAccepted({
      ...mugs.invoiceName,
      requestId: idNamed('request'),
      purchaseOrderNumber: 'PO 1',
      dueDate: '2026-04-30T10:00:00.000Z',
      balance: invoiceBalance(2640, 0, 0),
      acceptedAt: '2026-03-31T10:00:00.000Z',
    });
    const due = after(mugs.placed, accepted, unpaid);
    expect(taken(due, '2026-04-22')).to.equal(0);
    expect(taken(due, '2026-04-23')).to.equal(1);
  });

  it('are those with a due date that are neither paid nor cancelled', () => {
    const cancelled = InvoiceCancelled({
      ...mugs.invoiceName,
      reason: 'A mistake.',
      cancelledAt: '2026-03-02T10:00:00.000Z',
      balance: invoiceBalance(0, 0, 0),
    });
    expect(after(unpaid, mugs.captured(640)).count()).to.equal(1);
    for (const events of [[mugs.confirmed()], [unpaid, mugs.captured()], [unpaid, cancelled], [mugs.placed]])
      expect(after(...events).count()).to.equal(0);
    const plain = invoice('mugs').confirmed(invoiceBalance(2640, 0, 0));
    expect(after(plain).count()).to.equal(0);
  });

  it('are owed again where an edit makes them cost more, and no more where it makes them cost less', () => {
    const { content } = mugs.placed.data;
    const edited = (total: number) =>
      ({
        type: 'InvoiceEdited',
        data: { content, balance: invoiceBalance(total, 2640, 0), isOfSale: true },
      }) as DomainEvent;
    expect(after(mugs.confirmed(), edited(3000)).count()).to.equal(1);
    expect(after(mugs.confirmed(), edited(3000), edited(2000)).count()).to.equal(0);
  });
});
