import { expect } from 'chai';
import { createPlacements, type PlacementPorts } from '#command/contexts/checkout/place-order.ts';
import type { Refusal } from '#command/contexts/checkout/place-order.process.ts';
import { Rejection } from '#kernel/rejection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { placementOf } from '#test/support/builders/order.ts';
import { anyMeta } from '#test/support/engine.ts';

const basketId = idNamed('basket');
const isFirst = { isResumed: false };

/** Ports that do nothing but keep count, with changes. */
const fakePorts = (changes: Partial<PlacementPorts> = {}) => {
  const calls: string[] = [];
  const failures: { refusal: Refusal; keepsHolds: boolean }[] = [];
  const did = (name: string) => (): Promise<void> => {
    calls.push(name);
    return Promise.resolve();
  };
  const ports: PlacementPorts = {
    supersedeInvoice: did('supersede'),
    reserveStock: did('reserve'),
    releaseStock: did('release'),
    claimDiscount: did('claim'),
    releaseDiscount: did('unclaim'),
    turnOf: () => Promise.resolve(1),
    resume: () => Promise.resolve(2),
    isWithinLimit: () => Promise.resolve(true),
    takeNumber: () => Promise.resolve(12),
    createInvoice: did('create'),
    voidInvoice: did('void'),
    invoiceNumberPrefix: () => 'INV-',
    complete: () => did('complete')().then(() => 40),
    fail: (_driver, refusal, keepsHolds) => {
      calls.push('fail');
      failures.push({ refusal, keepsHolds });
      return Promise.resolve(41);
    },
    ...changes,
  };
  return { ports, placements: createPlacements(ports), calls, failures };
};

const errorOf = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    return expect.fail(`did not fail: ${JSON.stringify(await promise)}`);
  } catch (error) {
    return error;
  }
};

const run = async (shop: ReturnType<typeof fakePorts>) =>
  (await shop.placements.run(basketId, placementOf(), anyMeta(), isFirst)) ?? expect.fail('it did not run');

describe('the run of a placement', () => {
  it('ends with an invoice under the number that it took', async () => {
    expect(await run(fakePorts())).to.deep.equal({
      kind: 'placed',
      invoiceId: idNamed('invoice'),
      invoiceNumber: 'INV-0012',
      position: 40,
    });
  });

  it('tells which product is out of stock', async () => {
    const shop = fakePorts({
      reserveStock: () =>
        Promise.reject(new Rejection('out-of-stock', 'no', { requestedQuantity: 2, availableQuantity: 1 })),
    });
    const result = await run(shop);
    expect(result.kind === 'refused' && result.refusal.message).to.equal('Mug: 2 wanted, 1 available.');
    expect(shop.failures[0]?.refusal.details['unavailableItems']).to.deep.equal([
      {
        lineItemId: idNamed('basket line'),
        sku: 'mug',
        name: 'Mug',
        reason: 'stock',
        message: 'Mug: 2 wanted, 1 available.',
        requestedQuantity: 2,
        availableQuantity: 1,
      },
    ]);
  });

  it('tells which discount is used up', async () => {
    const refusal = new Rejection('usage-limit-reached', 'Used up.', { errorCode: 'UsageLimitReached' });
    const shop = fakePorts({ claimDiscount: () => Promise.reject(refusal) });
    await run(shop);
    expect(shop.failures[0]).to.deep.equal({
      refusal: {
        code: 'usage-limit-reached',
        message: 'Used up.',
        details: { errorCode: 'UsageLimitReached', discountId: idNamed('TEN') },
      },
      keepsHolds: false,
    });
  });

  it('voids the number of an invoice that could not be made, and gives everything back', async () => {
    const shop = fakePorts({ createInvoice: () => Promise.reject(new Rejection('cancelled', 'No.')) });
    expect((await run(shop)).kind).to.equal('refused');
    expect(shop.calls).to.deep.equal(['reserve', 'claim', 'void', 'release', 'unclaim', 'fail']);
  });

  for (const [port, change] of [
    ['stock', { reserveStock: () => Promise.reject(new Rejection('conflict', 'Busy.')) }],
    ['a discount', { claimDiscount: () => Promise.reject(new Rejection('conflict', 'Busy.')) }],
    ['the invoice', { createInvoice: () => Promise.reject(new Rejection('conflict', 'Busy.')) }],
  ] as const) {
    it(`stays open, with nothing undone, when a conflict about ${port} outlives its deadline`, async () => {
      const shop = fakePorts(change);
      expect(await errorOf(run(shop))).to.include({ code: 'conflict' });
      expect(
        shop.calls.filter((call) => ['release', 'unclaim', 'void', 'fail'].includes(call)),
      ).to.deep.equal([]);
    });
  }

  it('stays open when the log is away, and a later run takes it to its end', async () => {
    let isAway = true;
    const shop = fakePorts({
      claimDiscount: () => (isAway ? Promise.reject(new EngineUnavailable('away')) : Promise.resolve()),
    });
    expect(await errorOf(run(shop))).to.be.instanceOf(EngineUnavailable);
    isAway = false;
    expect((await run(shop)).kind).to.equal('placed');
  });

  it('is shared by whoever asks for it while it is under way', async () => {
    const shop = fakePorts();
    const [one, other] = await Promise.all([run(shop), run(shop)]);
    expect(one).to.equal(other);
    expect(shop.calls.filter((call) => call === 'create')).to.have.length(1);
    expect(shop.placements.running(idNamed('placement'))).to.equal(undefined);
  });

  it('does nothing while another process is at it, and nothing once it has ended', async () => {
    const ended = fakePorts({ turnOf: () => Promise.resolve(null) });
    expect(await ended.placements.run(basketId, placementOf(), anyMeta(), isFirst)).to.equal(null);
    const { ports, calls } = fakePorts();
    const placements = createPlacements(ports, () => Promise.resolve(null));
    expect(await placements.run(basketId, placementOf(), anyMeta(), isFirst)).to.equal(null);
    expect([...ended.calls, ...calls]).to.deep.equal([]);
  });

  it('goes no further, and undoes nothing, once its lease is lost', async () => {
    let isHeld = true;
    const { ports, calls } = fakePorts({
      claimDiscount: () => {
        isHeld = false;
        return Promise.resolve();
      },
    });
    const placements = createPlacements(ports, (_, work) => work(() => isHeld));
    const outcome = await errorOf(placements.run(basketId, placementOf(), anyMeta(), isFirst));
    expect(outcome).to.include({ code: 'order-being-placed' });
    expect(calls).to.deep.equal(['reserve']);
  });

  it('undoes nothing when a stream says that another driver has come first', async () => {
    const late = new Rejection('order-being-placed', 'Taken over.');
    const shop = fakePorts({ claimDiscount: () => Promise.reject(late) });
    expect(await errorOf(run(shop))).to.equal(late);
    expect(shop.calls).to.deep.equal(['reserve']);
  });
});
