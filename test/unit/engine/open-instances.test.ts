import { expect } from 'chai';
import { createOpenInstances } from '#command/engine/open-instances.ts';
import { modules } from '#command/modules.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { closedBalance } from '#values/invoice-balance.ts';
import { restarted } from '#test/support/restart-part.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { placementEnded, placementFailed } from '#test/support/builders/placement.ts';
import { placementOf } from '#test/support/builders/order.ts';
import { givenEvents, givenStream, inStream } from '#test/support/given.ts';

const { OrderExpired, OrderPlacementStarted } = checkoutEvents.create;
const { InvoiceCancelled, PaymentAttempted, PaymentDeclined, PaymentNotAttempted } = invoiceEvents.create;

const basket = streamOf.basket(idNamed('basket'));
const mugs = invoice('mugs');

const started = OrderPlacementStarted(placementOf());
const asked = PaymentAttempted({
  attemptId: idNamed('attempt'),
  provider: 'sandbox',
  method: 'card',
  token: 'tok',
  tokenHash: 'hash',
  amount: 2640,
  currency: 'GBP',
});
const ofAttempt = { attemptId: idNamed('attempt'), provider: 'sandbox', method: 'card' };

const processes = modules.flatMap((module) => module.processes ?? []);
const create = () => createOpenInstances(processes);

/** The processes that are open after these events of one stream. */
const openAfter = (stream: string, ...events: readonly DomainEvent[]) =>
  givenStream(stream, ...events)
    .foldInto(create)
    .list()
    .map(({ openedBy: _, ...instance }) => instance);

const placement = { process: 'place-order', id: idNamed('basket') };
const settlement = { process: 'settle-payment', id: mugs.id };

describe('the processes that are open', () => {
  it('are placements from their start to either end', () => {
    expect(openAfter(basket, started)).to.deep.equal([{ ...placement, revision: 0 }]);
    expect(openAfter(basket, started, ...placementEnded())).to.deep.equal([]);
    expect(openAfter(basket, started, ...placementFailed())).to.deep.equal([]);
    expect(openAfter(basket, started, ...placementEnded(), started)).to.deep.equal([
      { ...placement, revision: 2 },
    ]);
  });

  it('are attempts to pay up to their outcome, and payments up to the announced sale', () => {
    const { placed, confirmed } = mugs;
    const captured = (amount?: number) => {
      const { type, data } = mugs.captured(amount);
      return { type, data: { ...data, attemptId: idNamed('attempt') } };
    };
    expect(openAfter(mugs.stream, placed)).to.deep.equal([]);
    expect(openAfter(mugs.stream, placed, asked)).to.deep.equal([{ ...settlement, revision: 1 }]);
    const announcing = { process: 'announce-sale', id: mugs.id, revision: 2 };
    expect(openAfter(mugs.stream, placed, asked, captured())).to.deep.equal([announcing]);
    expect(openAfter(mugs.stream, placed, asked, captured(), confirmed())).to.deep.equal([]);
    const twice = { ...captured(), data: { ...captured().data, isSurplus: true, isSold: true } };
    const openTwice = openAfter(mugs.stream, placed, asked, captured(), confirmed(), twice);
    expect(openTwice.map(({ process }) => process)).to.not.include('announce-sale');
    // Paid otherwise and sold: the outcome of the attempt is still asked for.
    expect(openAfter(mugs.stream, placed, asked, mugs.captured(), confirmed())).to.deep.equal([
      { ...settlement, revision: 1 },
    ]);
    expect(openAfter(mugs.stream, placed, asked, captured(100))).to.deep.equal([]);
    const no = PaymentDeclined({ ...ofAttempt, code: 'no', message: 'No.' });
    expect(openAfter(mugs.stream, placed, asked, no)).to.deep.equal([]);
    expect(
      openAfter(mugs.stream, placed, asked, PaymentNotAttempted({ ...ofAttempt, reason: 'away' })),
    ).to.deep.equal([]);
  });

  it('are expired invoices until everything is released; their payment is no longer asked for', () => {
    const cancelled = InvoiceCancelled({
      ...mugs.invoiceName,
      reason: 'expired',
      cancelledAt: '2026-03-01T10:00:00.000Z',
      balance: closedBalance(2640, 0, 0),
    });
    const captured = mugs.captured();
    const late = { ...captured, data: { ...captured.data, isLate: true } };
    const ended = OrderExpired({ placementId: idNamed('placement'), invoiceId: mugs.id });
    const expiry = { process: 'expire-invoice', id: mugs.id, revision: 2 };
    expect(openAfter(mugs.stream, mugs.placed, asked, cancelled)).to.deep.equal([expiry]);
    const owed = { process: 'refund-payment', id: mugs.id, revision: 3 };
    expect(openAfter(mugs.stream, mugs.placed, asked, cancelled, late)).to.deep.equal([expiry, owed]);
    const open = givenEvents(
      ...inStream(mugs.stream, mugs.placed, cancelled),
      ...inStream(basket, ended),
    ).foldInto(create);
    expect(open.list()).to.deep.equal([]);
  });

  it('are the same after a restart from a snapshot', () => {
    const open = givenEvents(
      ...inStream(basket, started),
      ...inStream(mugs.stream, mugs.placed, asked),
    ).foldInto(create);
    const after = restarted(create(), open);
    expect(after.list()).to.have.deep.members(open.list());
    expect(after.list()).to.have.length(2);
  });
});
