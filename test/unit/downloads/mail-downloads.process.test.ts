import { expect } from 'chai';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { mailDownloads } from '#command/contexts/downloads/mail-downloads.process.ts';
import { isKnown } from '#command/contexts/invoices/invoice.state.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import { decidedAt, invoice, mugOrder } from '#test/support/builders/invoice.ts';
import { given, inContext } from '#test/support/given.ts';
import { givenProcess } from '#test/support/given-process.ts';

const { InvoiceCancelled } = invoiceEvents.create;
const now = '2026-03-01T09:05:00.000Z';
const files = {
  fileIds: Array.from({ length: 600 }, (_, index) => `${index}.pdf`),
  ...{ isInstant: true, expiryDays: 30, maxDownloads: 0 },
};
const lines = mugOrder('order').lines.map((line) => ({ ...line, isDigital: true }));
const library = invoice('library', { content: { orders: [{ ...mugOrder('order'), lines }] } });
const decider = inContext(invoiceDecider, decidedAt(now, { downloadsOf: () => files }));

/** Its links were made again, of which one event holds 500. */
const begun = given(decider, [library.placed, library.captured()]).after({ type: 'RegenerateDownloads' });
const makeMore = { type: 'MakeMoreLinks' } as const;

/** The note of an invoice, which decides what is sent to it. */
const mailing = (paid: typeof begun) =>
  givenProcess(
    mailDownloads,
    { invoiceId: library.id, invoice: paid.state(isKnown) },
    { MakeMoreLinks: () => ({ events: paid.when(makeMore).events() }) },
  );
const waitsForMail = (paid: typeof begun) => paid.state(isKnown).isToBeMailed;

// docs/rules/downloads.md#mail
describe('the note of more links than one event holds', () => {
  it('waits for all of them, and is made once', async () => {
    await mailing(begun).thenSends('MakeMoreLinks');
    const whole = begun.after(makeMore);
    expect(waitsForMail(whole)).to.equal(true);
    await mailing(whole).thenSends('NoteDownloadsMailed');
    expect(waitsForMail(whole.after({ type: 'NoteDownloadsMailed' }))).to.equal(false);
  });

  it('is not waited for where the invoice was cancelled before the rest was made', async () => {
    const cancelled = begun.happened(
      InvoiceCancelled({
        ...library.invoiceName,
        ...{ reason: 'Gone', cancelledAt: now, cancelledBy: 'staff', orderIds: [] },
        balance: library.placed.data.balance,
      }),
    );
    await mailing(cancelled).thenSends('MakeMoreLinks', 'NoteDownloadsMailed');
    expect(waitsForMail(cancelled.after({ type: 'NoteDownloadsMailed' }))).to.equal(false);
  });
});
