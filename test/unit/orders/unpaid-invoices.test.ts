import { expect } from 'chai';
import {
  createUnpaidInvoices,
  type UnpaidInvoices,
} from '#command/contexts/orders/unpaid/unpaid-invoices.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { newId } from '#kernel/ids.ts';
import { applyEvent } from '#reference/reference-part.ts';
import { closedBalance } from '#values/invoice-balance.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { placementOf } from '#test/support/builders/order.ts';
import { givenEvents, inStream, recordedEvents, type GivenEvent } from '#test/support/given.ts';
import { restarted, snapshotOf } from '#test/support/restart-part.ts';
import { watchingTheLoop } from '#test/support/watched-loop.ts';

const { OrderPlaced, OrderPlacementFailed, OrderPlacementStarted } = checkoutEvents.create;
const {
  InvoiceCancelled,
  InvoiceSuperseded,
  InvoiceVoided,
  PaymentAttempted,
  PaymentDeclined,
  PaymentPending,
} = invoiceEvents.create;

const createdAt = Date.parse('2026-03-01T09:00:00.000Z');
const minutes = (count: number): number => createdAt + count * 60_000;
const instant = (count: number): string => new Date(minutes(count)).toISOString();

const unpaidAfter = (...events: readonly GivenEvent[]): UnpaidInvoices =>
  givenEvents(...events).foldInto(createUnpaidInvoices);
/** The log goes on while the process is up. */
const follow = (unpaid: UnpaidInvoices, ...events: readonly GivenEvent[]): void => {
  for (const event of recordedEvents(events)) applyEvent(unpaid, event);
};

const basketOf = (name: string): string => streamOf.basket(idNamed(`basket of ${name}`));

const begun = (name: string, address: string | null, limit = 20, superseded: string | null = null) => ({
  ...OrderPlacementStarted({
    ...placementOf(),
    placementId: idNamed(`placement ${name}`),
    invoiceId: idNamed(name),
    supersededInvoiceId: superseded === null ? null : idNamed(superseded),
    ...(address === null ? {} : { openInvoices: { address, limit } }),
  }),
  stream: basketOf(superseded ?? name),
});

const placed = (name: string) => ({
  ...OrderPlaced({
    placementId: idNamed(`placement ${name}`),
    invoiceId: idNamed(name),
    invoiceNumber: 'INV-0001',
  }),
  stream: basketOf(name),
});

const failed = (name: string) => ({
  ...OrderPlacementFailed({
    placementId: idNamed(`placement ${name}`),
    code: 'out-of-stock',
    message: 'None left.',
    details: {},
    keepsHolds: false,
  }),
  stream: basketOf(name),
});

/** Events of an invoice. */
const of = (name: string, ...events: readonly DomainEvent[]): readonly GivenEvent[] =>
  inStream(invoice(name).stream, ...events);

/** An order of a basket of its own, from its beginning to the unpaid invoice. */
const placing = (name: string, address: string | null = null): readonly GivenEvent[] => [
  begun(name, address),
  ...of(name, invoice(name).placed),
  placed(name),
];

const take = (unpaid: UnpaidInvoices, now: number, max = 100) =>
  unpaid.takeExpired(now, defaultStoreSettings, max);

const attemptOf = (name: string) => ({
  attemptId: idNamed(`attempt ${name}`),
  provider: 'sandbox',
  method: 'card',
});

const asked = (name: string, minute: number) =>
  PaymentAttempted({
    ...attemptOf(name),
    token: 'tok',
    tokenHash: 'hash',
    amount: 2640,
    currency: 'GBP',
    attemptedAt: instant(minute),
  });

const ended = {
  captured: (name: string) => invoice(name).captured(),
  'paid in part': (name: string) => invoice(name).captured(100),
  superseded: (name: string) =>
    InvoiceSuperseded({ ...invoice(name).invoiceName, supersededBy: idNamed('newer') }),
  void: (name: string) =>
    InvoiceVoided({ ...invoice(name).invoiceName, placementId: idNamed('placement'), reason: 'so' }),
  cancelled: (name: string) =>
    InvoiceCancelled({
      ...invoice(name).invoiceName,
      reason: 'expired',
      cancelledAt: instant(60),
      balance: closedBalance(2640, 0, 0),
    }),
};

describe('the unpaid invoices', () => {
  it('are returned once when they have expired, oldest first', () => {
    const no = PaymentDeclined({ ...attemptOf('a'), code: 'no', message: 'No.', endedAt: instant(10) });
    const unpaid = unpaidAfter(...placing('a'), ...placing('b'), ...of('a', asked('a', 10), no));
    expect(take(unpaid, minutes(60) - 1)).to.deep.equal([]);
    expect(take(unpaid, minutes(80), 1)).to.deep.equal([idNamed('b')]);
    expect(take(unpaid, minutes(80))).to.deep.equal([idNamed('a')]);
    expect(take(unpaid, minutes(80))).to.deep.equal([]);
    unpaid.putBack(idNamed('a'));
    expect(take(unpaid, minutes(80))).to.deep.equal([idNamed('a')]);
  });

  it('wait for a payment whose outcome is not known', () => {
    const unpaid = unpaidAfter(...placing('a'), ...of('a', asked('a', 30)));
    expect(take(unpaid, minutes(30 + 1440) - 1)).to.deep.equal([]);
    expect(take(unpaid, minutes(30 + 1440))).to.deep.equal([idNamed('a')]);
  });

  it('stop waiting once the provider refuses the pending payment, whoever started it', () => {
    const named = { provider: 'sandbox', method: 'card', transactionId: 'tx_1' };
    const owed = { ...named, sessionId: null, amount: 2640, currency: 'GBP', pendingSince: instant(30) };
    const no = { ...named, attemptId: null, code: 'no', message: 'No.', endedAt: instant(40) };
    const unpaid = unpaidAfter(
      ...placing('a'),
      ...of('a', PaymentPending({ ...owed, attemptId: null }), PaymentDeclined({ ...no, endsPending: true })),
    );
    expect(take(unpaid, minutes(40 + 60))).to.deep.equal([idNamed('a')]);
  });

  it('go by other settings as soon as there are some', () => {
    const unpaid = unpaidAfter(...placing('a'));
    expect(take(unpaid, minutes(5))).to.deep.equal([]);
    const short = { unpaidHoldMinutes: 5, unpaidInvoiceExpiryMinutes: 1440 };
    expect(unpaid.takeExpired(minutes(5), short, 10)).to.deep.equal([idNamed('a')]);
  });

  for (const [how, event] of Object.entries(ended)) {
    it(`are forgotten when they are ${how}, and free their place`, () => {
      const before = unpaidAfter(...placing('a', 'home'));
      expect(before.countBefore('home', idNamed('next'), null)).to.equal(1);
      const unpaid = unpaidAfter(...placing('a', 'home'), ...of('a', event('a')));
      expect(unpaid.countBefore('home', idNamed('next'), null)).to.equal(0);
      expect(take(unpaid, minutes(10_000))).to.deep.equal([]);
      expect(unpaid.count()).to.equal(0);
    });
  }

  it('are counted from the beginning of their placement, and not when that fails', () => {
    const both = [begun('a', 'home'), begun('b', 'home')];
    expect(unpaidAfter(...both).countBefore('home', idNamed('next'), null)).to.equal(2);
    const unpaid = unpaidAfter(...both, failed('a'));
    expect(unpaid.countBefore('home', idNamed('next'), null)).to.equal(1);
    expect(unpaid.countBefore('elsewhere', idNamed('next'), null)).to.equal(0);
    // An unfinished placement does not expire: it is finished first.
    expect(take(unpaid, minutes(10_000))).to.deep.equal([]);
  });

  it('do not count the one that is replaced', () => {
    const one = placing('a', 'home');
    expect(unpaidAfter(...one).countBefore('home', idNamed('next'), idNamed('a'))).to.equal(0);
    const replacing = unpaidAfter(...one, begun('next', 'home', 1, 'a'));
    expect(replacing.isWithinLimit(idNamed('next'))).to.equal(true);
  });

  it('requested at the same moment count those before them', () => {
    const unpaid = createUnpaidInvoices();
    const names = ['a', 'b', 'c'];
    const [forget] = names.map((name) => unpaid.expect(idNamed(name), { address: 'home' }, []));
    const counts = () => names.map((name) => unpaid.countBefore('home', idNamed(name), null));
    expect(counts()).to.deep.equal([0, 1, 2]);
    forget?.();
    expect(counts().slice(1)).to.deep.equal([0, 1]);
    follow(unpaid, begun('c', 'home'));
    expect(unpaid.countBefore('home', idNamed('b'), null)).to.equal(1);
    expect(unpaid.countBefore('home', idNamed('d'), null)).to.equal(2);
  });

  it('requested twice stay expected until both requests give up or the log has them', () => {
    const unpaid = createUnpaidInvoices();
    const count = () => unpaid.countBefore('home', idNamed('next'), null);
    const [forget, forgetRepeat] = [0, 1].map(() => unpaid.expect(idNamed('a'), { address: 'home' }, []));
    expect(count()).to.equal(1);
    forgetRepeat?.();
    expect(count()).to.equal(1);
    forget?.();
    expect(count()).to.equal(0);
    unpaid.expect(idNamed('b'), { address: 'home' }, []);
    const forgetLate = unpaid.expect(idNamed('b'), { address: 'home' }, []);
    follow(unpaid, begun('b', 'home'));
    forgetLate();
    expect(count()).to.equal(1);
  });

  it('are within the limit by the order of the log', () => {
    const unpaid = unpaidAfter(...['a', 'b', 'c'].map((name) => begun(name, 'home', 2)));
    expect(['a', 'b', 'c'].map((name) => unpaid.isWithinLimit(idNamed(name)))).to.deep.equal([
      true,
      true,
      false,
    ]);
    expect(unpaid.isWithinLimit(idNamed('nobody'))).to.equal(null);
  });

  it('are the same after a restart from a snapshot', () => {
    const before = unpaidAfter(
      ...placing('a', 'home'),
      ...placing('b'),
      ...of('b', asked('b', 30)),
      begun('c', 'home', 1),
    );
    const after = restarted(createUnpaidInvoices(), before);
    expect(snapshotOf(after)).to.deep.equal(snapshotOf(before));
    expect(after.isWithinLimit(idNamed('c'))).to.equal(false);
    follow(after, failed('c'));
    expect(after.countBefore('home', idNamed('next'), null)).to.equal(1);
    expect(take(after, minutes(60))).to.deep.equal([idNamed('a')]);
    expect(take(after, minutes(30 + 1440))).to.deep.equal([idNamed('b')]);
    after.clear();
    expect([after.count(), after.countBefore('home', idNamed('next'), null)]).to.deep.equal([0, 0]);
  });

  it('know what is held at an address, and when it rests, after a restart too', () => {
    const hold = { productId: idNamed('mug'), warehouseId: idNamed('hull'), quantity: 7 };
    const largeOf = (name: string) => {
      const large = begun(name, 'home');
      const content = { ...large.data.content, holdEndsAt: instant(10) };
      return { ...large, data: { ...large.data, holds: [hold], content } };
    };
    const before = unpaidAfter(
      largeOf('a'),
      largeOf('b'),
      ...of('b', invoice('b').placed, ended.cancelled('b')),
    );
    const after = restarted(createUnpaidInvoices(), before);
    for (const unpaid of [before, after]) {
      const { units, unitsOf, ...rest } = unpaid.heldBefore('home', idNamed('next'), null);
      expect([units, unitsOf(hold)]).to.deep.equal([7, 7]);
      // It was cancelled at minute 60, and an hour later it may be large again.
      expect(rest).to.deep.equal({ restsUntil: minutes(120), replacedEndsAt: null });
      expect(unpaid.heldBefore('home', idNamed('next'), idNamed('a'))).to.deep.include({
        units: 0,
        replacedEndsAt: minutes(10),
      });
      take(unpaid, minutes(120));
      expect(unpaid.heldBefore('home', idNamed('next'), null).restsUntil).to.equal(null);
    }
    expect(snapshotOf(after)).to.deep.equal(snapshotOf(before));
  });

  it('count the orders of an agent with its own, and what they hold where it asks from', () => {
    const hold = { productId: idNamed('mug'), warehouseId: idNamed('hull'), quantity: 7 };
    const one = begun('a', 'agent');
    const content = { ...one.data.content, holdEndsAt: instant(10) };
    const openInvoices = { address: 'agent', limit: 20, heldAt: 'home' };
    const large = { ...one, data: { ...one.data, holds: [hold], content, openInvoices } };
    const unpaid = unpaidAfter(large);
    expect(['agent', 'home'].map((at) => unpaid.countBefore(at, idNamed('next'), null))).to.deep.equal([
      1, 0,
    ]);
    expect(unpaid.heldBefore('home', idNamed('next'), null).units).to.equal(7);
    const forget = unpaid.expect(idNamed('b'), openInvoices, [{ productId: idNamed('mug'), quantity: 2 }]);
    expect(unpaid.heldBefore('home', idNamed('next'), null).units).to.equal(9);
    forget();
    const left = unpaidAfter(large, ...of('a', invoice('a').placed, ended.cancelled('a')));
    expect(left.heldBefore('home', idNamed('next'), null)).to.include({ units: 0, restsUntil: minutes(120) });
  });

  it('are kept in a snapshot without holding up the event loop, however many there are', async () => {
    const one = unpaidAfter(...placing('a', 'home'));
    const line = snapshotOf(one).find(([id]) => id === idNamed('a'))?.[1];
    const many = createUnpaidInvoices();
    many.restore(Array.from({ length: 50_000 }, () => [newId(), line]));
    follow(many, ...placing('late', 'home'));
    const take = () => many.entries.take(() => false).chunks;
    const turns: number[] = [];
    for (let time = 0; time < 5; time++)
      turns.push((await watchingTheLoop(() => Promise.resolve(take()))).longestTurn);
    // Whatever else happens on a busy machine happens in some of them.
    expect(Math.min(...turns)).to.be.below(50);
    expect(take().reduce((sum, slice) => sum + slice.entries().length, 0)).to.equal(50_001);
  });
});
