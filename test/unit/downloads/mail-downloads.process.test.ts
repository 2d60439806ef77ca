import { expect } from 'chai';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import type { DownloadsCommand } from '#command/contexts/invoices/downloads/downloads.commands.ts';
import { mailDownloads } from '#command/contexts/downloads/mail-downloads.process.ts';
import { isKnown } from '#command/contexts/invoices/invoice.state.ts';
import { runSteps } from '#command/engine/run-process.ts';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { decidedAt, invoice, mugOrder } from '#test/support/builders/invoice.ts';
import { given } from '#test/support/given.ts';

const now = '2026-03-01T09:05:00.000Z';
const {
  invoiceName,
  placed,
  captured,
  id: invoiceId,
} = invoice('library', {
  content: {
    orders: [
      {
        ...mugOrder('order'),
        lines: mugOrder('order').lines.map((line) => ({ ...line, isDigital: true })),
      },
    ],
  },
});
const fileIds = Array.from({ length: 600 }, (_, index) => `${index}.pdf`);
const files = { fileIds, isInstant: true, expiryDays: 30, maxDownloads: 0 };
const { InvoiceCancelled } = invoiceEvents.create;

// docs/rules/downloads.md#mail
describe('the mail of more links than one event holds', () => {
  /** Runs until the invoice waits for no mail; what was sent, by how many links it knew. */
  const deliver = async (history: InvoiceEvent[]): Promise<readonly number[]> => {
    const mails: number[] = [];
    for (let runs = 0; runs < 5; runs++) {
      const state = given(invoiceDecider, history).state();
      if (!isKnown(state) || !state.isToBeMailed) return mails;
      await runSteps(mailDownloads, { invoiceId, invoice: state }, (ask) => {
        if ('call' in ask) return Promise.resolve(void mails.push(state.downloads?.links.length ?? 0));
        const context = decidedAt(now, { downloadsOf: () => files });
        const sent = given(invoiceDecider, history).when(ask.command as DownloadsCommand, context);
        const events = sent.events();
        history.push(...events);
        return Promise.resolve({ events, state: given(invoiceDecider, history).state() });
      });
    }
    return expect.fail('it is never over');
  };
  const paid = (): InvoiceEvent[] => {
    const history: InvoiceEvent[] = [placed, captured()];
    const made = given(invoiceDecider, history).when(
      { type: 'RegenerateDownloads' },
      decidedAt(now, { downloadsOf: () => files }),
    );
    return [...history, ...made.events()];
  };

  it('names all of them, and is sent once', async () => {
    expect(await deliver(paid())).to.deep.equal([600]);
  });

  it('is not waited for where the invoice was cancelled before the rest was made', async () => {
    const { balance } = placed.data;
    const cancelled = InvoiceCancelled({
      ...invoiceName,
      ...{ reason: 'Gone', cancelledAt: now, cancelledBy: 'staff', orderIds: [], balance },
    });
    expect(await deliver([...paid(), cancelled])).to.deep.equal([500]);
  });
});
