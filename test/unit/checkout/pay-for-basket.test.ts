import { expect } from 'chai';
import { createPayForBasket } from '#command/contexts/checkout/placement/pay-for-basket.ts';
import type { Streams } from '#command/engine/streams.ts';
import type { ContextApis } from '#command/context-apis.ts';
import { Rejection } from '#kernel/rejection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { REQUEST_MILLISECONDS } from '#runtime/request-deadline.ts';
import { when } from '#test/support/refusal.ts';

const nobody = { hasAcceptedTerms: false, wantedCurrency: undefined, shown: null, ip: '192.0.2.1' };
const meta = { correlationId: 'c', causationId: 'c', actor: { kind: 'visitor', id: null } } as const;
const never = (): never => {
  throw new Error('nobody should have asked for this');
};

/** A shop in which beginning an order comes to nothing, and that tells what it counts at the address. */
const shopWhoseStartFails = (failure: Error) => {
  const expected: string[] = [];
  const reading = Promise.withResolvers<void>();
  const streams = {
    recall: () =>
      Promise.resolve({ state: { placement: null, order: null, merged: [] }, revision: 0, position: 0 }),
    send: () => Promise.reject(failure),
  } as unknown as Streams;
  const pay = createPayForBasket({
    streams,
    placements: { drive: never, resume: never, running: never, drain: never },
    limitsOf: () => ({ openInvoices: { address: 'home', limit: 20 }, largeHolds: null }),
    apis: {
      customers: {} as never,
      members: { settle: async () => null } as never,
      upsells: { impressionsOf: async () => [], recordImpressions: never, addedTo: never },
      orders: {
        lastNumberRevision: () => Promise.resolve(-1),
        expectInvoice: (invoiceId) => {
          expected.push(invoiceId);
          return () => void expected.splice(expected.indexOf(invoiceId), 1);
        },
        expireIfDue: never,
        giveUp: never,
        clearClosed: never,
        takeNumber: never,
        countOpenInvoices: never,
        heldAtAddress: never,
        countUnpaidOf: never,
        isWithinLimit: never,
      },
    },
    reach: () => reading.promise,
  });
  return { expected, reading, pay: () => pay('basket', nobody, meta) };
};

describe('a basket whose order another request is placing', () => {
  const pending = new Promise<never>(() => undefined);
  const beingPlaced = { state: { placement: { placementId: 'first' } } };

  /** By a request that has waited until its deadline. */
  const payAgain = (load: () => Promise<unknown>) =>
    createPayForBasket({
      streams: {
        recall: () => Promise.resolve(beingPlaced),
        load,
      } as unknown as Streams,
      placements: { drive: never, resume: never, running: () => pending, drain: never },
      limitsOf: never,
      apis: { members: { settle: async () => null } } as unknown as ContextApis,
      reach: never,
    })('basket', nobody, { ...meta, askedAt: performance.now() - REQUEST_MILLISECONDS });

  it('is waited for only until the deadline of the second request', async () => {
    await when(payAgain(() => Promise.resolve(beingPlaced))).thenRefused('order-being-placed');
  });

  it('is not waited for longer if the log does not respond', async () => {
    const loads = [Promise.resolve(beingPlaced)];
    await when(payAgain(() => loads.shift() ?? pending)).thenRefused('order-being-placed');
  });
});

describe('an order that may have begun', () => {
  it('keeps its place at the address until this process has read the outcome', async () => {
    const { expected, reading, pay } = shopWhoseStartFails(new EngineUnavailable('gone before it answered'));
    await when(pay()).thenFails(EngineUnavailable);
    expect(expected).to.have.length(1);
    reading.resolve();
    await reading.promise;
    expect(expected).to.have.length(0);
  });

  it('frees its place at once if it was refused', async () => {
    const { expected, pay } = shopWhoseStartFails(new Rejection('out-of-stock', 'Sold out.'));
    await when(pay()).thenRefused('out-of-stock');
    expect(expected).to.have.length(0);
  });
});
