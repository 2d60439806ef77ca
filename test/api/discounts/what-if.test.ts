import { expect } from 'chai';
import type { EventStore } from '#ports/event-store.ts';
import { Browser } from '#test/support/browser.ts';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { body, noNewEvents } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const days = { from: '2020-01-01', to: '2029-12-31' };
const tenth = {
  name: 'Tenth',
  category: 'AmountOffOrder',
  method: 'Automatic',
  valueType: 'Percentage',
  value: 10,
};
const nobody = '00000000-0000-4000-8000-000000000000';
const password = 'correct horse battery';

/** A log that a run waits for, for as long as it is told to. */
const heldLog = () => {
  let held: PromiseWithResolvers<void> | null = null;
  return {
    hold: (): void => void (held = Promise.withResolvers()),
    release: (): void => held?.resolve(),
    wrap: (store: EventStore): EventStore => {
      const readAll: EventStore['readAll'] = async (after, limit, types) => {
        if (types?.has('InvoiceCancelled')) await held?.promise;
        return store.readAll(after, limit, types);
      };
      const own = (name: string | symbol): unknown => Reflect.get(store, name);
      return new Proxy(store, {
        get: (_, name) => {
          const found = name === 'readAll' ? readAll : own(name);
          return typeof found === 'function' && name !== 'readAll' ? found.bind(store) : found;
        },
      });
    },
  };
};

describe('POST /what-if', () => {
  const log = heldLog();
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open({ settings: { isShippingTaxable: false }, wrapStore: log.wrap });
    const mug = await shop.sell('MUG', { price: 10 });
    await shop.rule('Big spenders', { value: 50, minimumPurchaseAmount: 25 });
    for (const quantity of [2, 3]) {
      const shopper = shop.shopper();
      await shopper.prepare(mug, quantity, `buyer${quantity}@example.com`);
      const { invoiceId } = (await shopper.pay()).body;
      expect((await shopper.payWith(invoiceId as string)).status).to.equal(200);
    }
    await shop.settle();
  });
  after(() => shop.close());

  const { when } = managing(() => shop);

  const begun = async (wish: object): Promise<string> =>
    (await when(manage.post('/what-if', { ...days, ...wish })).then(202)).body.id as string;

  /** The run once it is over. */
  const ended = async (id: string) => {
    for (;;) {
      const { body: run } = await shop.admin.ask(manage.get(`/what-if/${id}`));
      if (run['status'] !== 'Running') return run;
    }
  };

  it('prices past sales again with a rule that there was not, and appends nothing', async () => {
    const head = await shop.shop.runtime.store.head();
    const run = await ended(await begun({ discount: tenth, from: '2026-01-01' }));
    expect(run).to.include({ status: 'Completed', message: null });
    expect(run['progress']).to.include({ phase: 'finished', share: 1, askedBy: 'api-key' });
    const { result } = run;
    // 20.00 with 20 % tax and 5.00 for the parcel: 29.00, less 2.40. Half of 30.00 is off already: 23.00.
    expect(result.total.recorded).to.deep.equal({
      sales: 52,
      discounts: 15,
      averageOrderValue: 26,
      ordersTouched: 1,
      uses: 1,
    });
    expect(result.total.recomputed).to.include({ sales: 49.6, discounts: 17, ordersTouched: 2, uses: 2 });
    expect(result.rule).to.deep.include({
      change: 'added',
      name: 'Tenth',
      recomputed: { uses: 1, takenOff: 2 },
    });
    expect(result.check).to.include({ sales: 2, asRecorded: 2, differenceCount: 0 });
    expect(result.notes.join(' ')).to.include('not a forecast').and.to.include('left no trace');
    expect(await shop.shop.runtime.store.head()).to.equal(head);
  });

  it('takes away a rule that there is, and one that was deleted since', async () => {
    const id = await shop.rule('Gone', { value: 1, minimumPurchaseAmount: 9999 });
    await shop.admin.ask(manage.delete(`/discounts/${id}`));
    await shop.settle();
    const { result } = await ended(await begun({ without: id }));
    expect(result.total.recomputed).to.deep.equal(result.total.recorded);
    expect(result.ordersChanged).to.equal(0);
  });

  it('refuses what it cannot answer, with the reasons of a new discount, and leaves no run', async () => {
    const refused = (wish: object, path: string) =>
      when(manage.post('/what-if', { ...days, ...wish }))
        .then(400)
        .and(noNewEvents())
        .and(
          body(({ errors }) => expect((errors as string[]).map((one) => one.split(':')[0])).to.include(path)),
        );
    await refused({ discount: { ...tenth, value: 150 } }, 'discount.value');
    const targetRules = [{ targetType: 'Collections', targetIds: [nobody] }];
    await refused({ discount: { ...tenth, targetRules } }, 'discount.targetRules.0.targetIds.0');
    await refused({ discount: { ...tenth, method: 'Code', code: 'TEN' } }, 'asAutomatic');
    await refused({ discount: tenth, without: nobody }, 'without');
    await refused({ from: '2026-02-01', to: '2026-01-31' }, 'to');
    await when(manage.post('/what-if', { ...days, without: nobody })).then(404);
    await when(manage.get(`/what-if/${nobody}`)).then(404);
    await when(manage.delete(`/what-if/${nobody}`)).then(404);
  });

  it('takes a rule with a code as one that comes by itself, and says so', async () => {
    const discount = { ...tenth, method: 'Code', code: 'TEN' };
    const { result } = await ended(await begun({ discount, asAutomatic: true }));
    expect(result.rule.recomputed.uses).to.equal(1);
    expect(result.notes.at(-1)).to.include('has a code');
  });

  it('runs one at a time, until it is called off', async () => {
    log.hold();
    const id = await begun({});
    await when(manage.post('/what-if', days)).then(409, { runId: id });
    await when(manage.get(`/what-if/${id}`)).then(200, { status: 'Running', result: null });
    await when(manage.delete(`/what-if/${id}`)).then(204);
    await when(manage.get(`/what-if/${id}`)).then(404);
    log.release();
    expect(await ended(await begun({}))).to.include({ status: 'Completed' });
  });

  it('is for admins and analysts', async () => {
    const statuses: number[] = [];
    for (const role of ['analyst', 'auditor']) {
      const email = `${role}@shop.example`;
      await shop.admin.ask(manage.post('/users', { email, password, role }));
      const { body: signedIn } = await shop.admin.ask(manage.post('/sign-in', { email, password }));
      const user = new Browser(shop.base, { Authorization: `Bearer ${String(signedIn['token'])}` });
      const { status, body: run } = await user.ask(manage.post('/what-if', days));
      statuses.push(status);
      if (status === 202) await ended(run['id'] as string);
    }
    expect(statuses).to.deep.equal([202, 403]);
  });
});
