import { expect } from 'chai';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { NoSuchPosition } from '#ports/engine-errors.ts';
import type { Browser } from '#test/support/browser.ts';
import { get, manage, withHeaders } from '#test/support/requests.ts';
import { faultyEventStore } from '#test/support/faults.ts';
import { TestShop } from '#test/support/shop.ts';

const path = '/backoffice/api/v1/audit/events';

interface AuditedEvent {
  readonly type: string;
  readonly stream: string;
  readonly position: number;
  readonly data: Readonly<Record<string, unknown>>;
}

describe('the event log for auditors', () => {
  let shop: TestShop;
  let basketId: string;

  before(async () => {
    shop = await TestShop.open();
    const mug = await shop.sell('mug', { price: 10, stock: 100 });
    const shopper = shop.shopper();
    await shopper.prepare(mug, 2);
    basketId = shopper.basketId;
  });
  after(() => shop.close());

  const read = async (
    query: string,
    who: Browser = shop.admin,
  ): Promise<{ events: AuditedEvent[]; nextAfter: number }> => (await who.get(`${path}?${query}`)).body;

  it('shows a stream from its first event, personal fields only by name', async () => {
    const { events, nextAfter } = await read(`stream=basket-${basketId}`);
    expect(events.map(({ type }) => type)).to.deep.equal([
      'BasketStarted',
      'BasketLineAdded',
      'CheckoutAddressesChanged',
      'ShippingSelected',
    ]);
    expect(events[2]?.data).to.include({ email: '(personal)', billingAddress: '(personal)' });
    expect(nextAfter).to.equal(null);
  });

  it('goes on after a page, without a gap or a repeat', async () => {
    const positions: number[] = [];
    for (let after: number | null = 0; after !== null;) {
      const { events, nextAfter } = await read(`after=${after}&limit=3`);
      positions.push(...events.map(({ position }) => position));
      after = nextAfter;
    }
    const all = await read('limit=1000');
    expect(positions).to.deep.equal(all.events.map(({ position }) => position));
  });

  it('says which field is wrong when the log has no such position', async () => {
    const log = faultyEventStore(createMemoryEventStore());
    const other = await TestShop.open({ wrapStore: () => log });
    try {
      log.runBefore(
        'readAll',
        (after) => after === 7,
        () => Promise.reject(new NoSuchPosition(7)),
      );
      const { status, body } = await other.admin.get(`${path}?after=7`);
      expect([status, body.errors]).to.deep.equal([400, ['after: must be 0 or the position of an event']]);
    } finally {
      await other.close();
    }
  });

  it('finds the events of one type', async () => {
    const { events } = await read('type=BasketLineAdded');
    expect(events.map(({ stream }) => stream)).to.deep.equal([`basket-${basketId}`]);
  });

  it('is for admins and auditors only', async () => {
    for (const [role, status] of [
      ['auditor', 200],
      ['analyst', 403],
    ] as const) {
      const email = `${role}@example.com`;
      const password = 'a-long-enough-password';
      const { body } = await shop
        .given(manage.post('/users', { email, role, password }))
        .by(shop.admin)
        .when(manage.post('/sign-in', { email, password }))
        .then(200);
      const asThem = withHeaders({ Authorization: `Bearer ${body.token}` }, get(path));
      await shop.given().when(asThem).then(status);
    }
    await shop.given().when(get(path)).then(401);
  });
});
