import { expect } from 'chai';
import { manualProvider } from '#adapters/payment-providers/manual-provider.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import { timedProvider } from '#command/contexts/payments/providers/timed-provider.ts';
import type { ReadUpTo } from '#log/share-read.ts';
import { catchUpCheck } from '#projection/engine/catch-up.ts';
import { createRebuildFigures } from '#projection/engine/rebuild-figures.ts';
import type { RebuildState } from '#projection/engine/rebuilds/rebuild-order.document.ts';
import type { ProjectionStatus } from '#projection/engine/run-projection.ts';
import { projectionsCheck } from '#projection/engine/projection-parts.ts';
import { chargeOf } from '#test/support/builders/payment.ts';
import { TestShop } from '#test/support/shop.ts';
import { when } from '#test/support/refusal.ts';

describe('The figures of a shop', () => {
  it('hold what operators watch: appends, providers, rebuilds, deliveries that were given up', async () => {
    const shop = await TestShop.open();
    try {
      const text = String((await shop.admin.get('/metrics')).body);
      expect(text).to.match(/^tillroll_append_seconds_count [1-9]/m);
      expect(text).to.include('# TYPE tillroll_provider_seconds histogram');
      expect(text).to.include('# TYPE tillroll_projection_rebuild_share gauge');
      expect(text).to.match(/^tillroll_deliveries_abandoned 0$/m);
    } finally {
      await shop.close();
    }
  });

  it('time a provider by call and outcome, also when it throws', async () => {
    const answers = [{ kind: 'refused', code: 'no', message: 'No.' } as const, null];
    const provider: PaymentProvider = {
      ...manualProvider(),
      alias: 'bank',
      charge: () => {
        const answer = answers.shift();
        return answer ? Promise.resolve(answer) : Promise.reject(new Error('broken'));
      },
      capture: () => Promise.resolve({ kind: 'completed', transactionId: 'tx' }),
    };
    const seen: (readonly string[])[] = [];
    const timed = timedProvider(provider, { observe: (_, ...labels) => void seen.push(labels) });
    const charge = timed.charge ?? expect.fail('it charges no more');
    const request = chargeOf('tok');
    expect((await charge(request)).kind).to.equal('refused');
    await when(charge(request)).thenFails(Error, 'broken');
    await timed.capture?.({ ...request, transactionId: 'tx' });
    expect(seen).to.deep.equal([
      ['bank', 'charge', 'refused'],
      ['bank', 'charge', 'failed'],
      ['bank', 'capture', 'completed'],
    ]);
  });

  it('tell how far a rebuild is and how long it will take, once that is known', async () => {
    const state: RebuildState = {
      ...{ phase: 'filling', position: 100, head: 1000, eventsRead: 90, eventsPerSecond: 45, share: 0.1 },
      ...{ secondsLeft: null, askedBy: 'ada', startedAt: null, isDone: false, failure: null },
    };
    const figuresOf = (now: Partial<RebuildState>) =>
      createRebuildFigures(() => Promise.resolve(new Map([['orders', { ...state, ...now }]])));
    expect(await figuresOf({}).shares()).to.deep.equal([['orders', 0.1]]);
    expect(await figuresOf({}).secondsLeft()).to.deep.equal([['orders', NaN]]);
    expect(await figuresOf({ secondsLeft: 7 }).secondsLeft()).to.deep.equal([['orders', 7]]);
    const ended = figuresOf({ isDone: true });
    expect([...(await ended.shares()), ...(await ended.secondsLeft())]).to.deep.equal([]);
    const away = createRebuildFigures(() => Promise.reject(new Error('away')));
    expect(await away.shares()).to.deep.equal([]);
  });
});

describe('The readiness of read models', () => {
  it('ends when one is further behind the log than the limit', async () => {
    const status = { name: 'orders', stopped: null, collection: 'orders_v1_1', lagSeconds: 30 };
    const answer = (lagSeconds: number) =>
      projectionsCheck({ status: () => [{ ...status, lagSeconds } as ProjectionStatus] }, 30).check();
    expect(await answer(30)).to.equal(null);
    expect(await answer(31.4)).to.equal('orders is 31 seconds behind the log');
  });

  it('ends when this process is to follow and one of them stands still, but not while generations are switched', async () => {
    const status = { name: 'orders', stopped: null, collection: 'orders_v1_1', lagSeconds: 0 };
    const answer = (leftSeconds: number) =>
      projectionsCheck({ status: () => [{ ...status, leftSeconds } as ProjectionStatus] }, 30).check();
    expect(await answer(9)).to.equal(null);
    expect(await answer(11)).to.equal('orders stands still: nothing has followed the log for 11 seconds');
  });

  it('names a view that is filled for the first time, and how far it is', async () => {
    const status = { name: 'orders', stopped: null, collection: null, lagSeconds: 0 };
    const answer = (filling: ReadUpTo | null) =>
      projectionsCheck({ status: () => [{ ...status, filling } as ProjectionStatus] }, 30).check();
    const percents = [
      null,
      { position: 10, head: 1000 },
      { position: 425, head: 1000 },
      { position: 7, head: 7 },
    ];
    const answers: unknown[] = [];
    for (const filling of percents) answers.push(await answer(filling));
    expect(answers).to.deep.equal(
      [0, 1, 42, 99].map(
        (percent) => `orders is being filled for the first time: ${percent} % of the log read`,
      ),
    );
  });

  it('begins when all that serve have reached the head of the start, however long that takes', async () => {
    const orders = { name: 'orders', collection: 'orders_v1_1', checkpoint: 40, lagSeconds: 61_035.5 };
    const unfilled = { ...orders, name: 'sales', collection: null, checkpoint: -1 };
    const statuses = [orders, unfilled];
    const { check } = catchUpCheck({
      status: () => statuses as unknown as readonly ProjectionStatus[],
      head: 50,
    });
    expect(await check()).to.equal(
      'orders is 61036 seconds behind the log as it was at the start, 80 % of it read',
    );
    orders.checkpoint = 50;
    expect(await check()).to.equal(null);
    // A rebuild that begins later, or what others append: nothing that a start waits for.
    orders.checkpoint = 0;
    expect(await check()).to.equal(null);
  });
});
