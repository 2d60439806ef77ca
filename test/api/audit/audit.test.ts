import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { NoSuchPosition } from '#ports/engine-errors.ts';
import type { Browser } from '#test/support/browser.ts';
import { get, manage, withHeaders } from '#test/support/requests.ts';
import { faultyEventStore } from '#test/support/faults.ts';
import { API_KEY, TestShop, type Shopper } from '#test/support/shop.ts';

const path = '/backoffice/api/v1/audit/events';

interface AuditedEvent {
  readonly type: string;
  readonly stream: string;
  readonly position: number;
  readonly recordedAt: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Answer {
  readonly events: readonly AuditedEvent[];
  readonly from: string | null;
  readonly to: string | null;
  readonly lookedFrom: { readonly position: number } | null;
  readonly lookedUpTo: { readonly position: number; readonly recordedAt: string } | null;
  readonly next: number | null;
}

const typesOf = ({ events }: Answer): readonly string[] => events.map(({ type }) => type);
const placesOf = ({ events }: Pick<Answer, 'events'>): readonly number[] =>
  events.map(({ position }) => position);

describe('the event log for auditors', () => {
  let shop: TestShop;
  let mug: string;
  let shopper: Shopper;
  const request = newId();

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 100 });
    shopper = shop.shopper();
    await shopper.call(
      'POST',
      '/api/shop/storefront/basket/add',
      { productId: mug, quantity: 2 },
      {
        'X-Correlation-Id': request,
      },
    );
    await shopper.giveAddress();
    await shopper.initialize();
    await shop.tester.post('/testing/settle');
  });
  after(() => shop.close());

  const read = async (query: string, who: Browser = shop.admin): Promise<Answer> => {
    const { status, body } = await who.get(`${path}?${query}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const whole = (): Promise<Answer> => read('position=0&limit=1000');

  it('shows a stream from its first event, personal fields only by name', async () => {
    const answer = await read(`stream=basket-${shopper.basketId}`);
    expect(typesOf(answer)).to.deep.equal([
      'BasketStarted',
      'BasketLineAdded',
      'CheckoutAddressesChanged',
      'ShippingSelected',
    ]);
    expect(answer.events[2]?.data).to.include({ email: '(personal)', billingAddress: '(personal)' });
    expect(answer).to.include({ next: null, from: null, to: null });
    const back = await read(`stream=basket-${shopper.basketId}&direction=backwards&limit=3`);
    expect(placesOf(back)).to.deep.equal(placesOf(answer).toReversed().slice(0, 3));
  });

  it('goes on after a page as its link says, both ways, without a gap or a repeat', async () => {
    const expected = placesOf(await whole());
    for (const direction of ['forwards', 'backwards']) {
      const positions: number[] = [];
      let next: string | undefined = `${path}?direction=${direction}&limit=7`;
      while (next !== undefined) {
        const { body, headers } = await shop.admin.get(next);
        positions.push(...placesOf(body));
        next = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
        expect(next === undefined).to.equal(body.next === null);
      }
      expect(positions, direction).to.deep.equal(direction === 'forwards' ? expected : expected.toReversed());
    }
  });

  it('finds events of one type, and says how far it has looked', async () => {
    const answer = await read('type=BasketLineAdded');
    const all = placesOf(await whole());
    expect(answer.events.map(({ stream }) => stream)).to.deep.equal([`basket-${shopper.basketId}`]);
    expect(answer.lookedFrom?.position).to.equal(all[0]);
    expect(answer.lookedUpTo?.position).to.equal(all.at(-1));
    const since = Date.now() - Date.parse(answer.from ?? '');
    expect(since).to.be.within(24 * 3_600_000, 24 * 3_600_000 + 60_000);
  });

  it('finds what a request caused around the time that its id carries', async () => {
    const answer = await read(`correlationId=${request}`);
    expect(typesOf(answer)).to.deep.equal(['BasketStarted', 'BasketLineAdded']);
    const made = parseInt(request.replace('-', '').slice(0, 12), 16);
    expect(Date.parse(answer.from ?? '')).to.be.within(made - 60_000, made);
    expect(Date.parse(answer.to ?? '')).to.be.within(made + 3_600_000, made + 3_660_000);
  });

  it('shows what a purchase caused as a tree: each event below the one that led to it', async () => {
    const buyer = shop.shopper();
    await buyer.prepare(mug);
    const id = newId();
    const paid = await buyer.pay({ 'X-Correlation-Id': id });
    expect(paid.status).to.equal(200);
    const { body } = await shop.admin.get(`/backoffice/api/v1/audit/correlations/${id}`);
    const [started, ...others] = body.caused as {
      type: string;
      causedBy: string;
      caused: { type: string }[];
    }[];
    expect([started?.type, started?.causedBy]).to.deep.equal(['OrderPlacementStarted', id]);
    const below = (nodes: readonly { type: string; caused: readonly never[] }[]): readonly string[] =>
      nodes.flatMap(({ type, caused }) => [type, ...below(caused)]);
    const all = below(body.caused);
    expect(all).to.include.members(['StockReserved', 'InvoiceCreated', 'OrderPlaced']);
    expect(all).to.have.length(body.eventCount);
    expect(others.flatMap(({ caused }) => caused)).to.not.deep.equal([]);
    expect(body.streams[0]).to.include({ stream: `basket-${buyer.basketId}` });
    expect(body.next).to.equal(null);
    const unknown = await shop.admin.get(`/backoffice/api/v1/audit/correlations/${newId()}`);
    expect(unknown.status).to.equal(404);
  });

  it('finds what an actor did, newest first', async () => {
    const answer = await read('actor=backoffice:api-key&category=product&direction=backwards');
    expect(typesOf(answer)).to.deep.equal(['ProductCreated']);
  });

  it('is NDJSON for those who ask for it, to the end of what there is', async () => {
    const { text, headers } = await shop.admin.get(`${path}?position=0`, { Accept: 'application/x-ndjson' });
    expect(headers.get('content-type')).to.equal('application/x-ndjson');
    expect(headers.get('tillroll-range')).to.equal('../..');
    const events = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditedEvent);
    expect(events).to.deep.equal((await whole()).events);
    const first = await shop.admin.get(`${path}?limit=2`, { Accept: 'application/x-ndjson' });
    expect(first.text.split('\n')).to.have.length(3);
    expect(first.headers.get('tillroll-range')).to.match(/^20.*Z\/\.\.$/);
  });

  it('says which field is wrong, also when the log has no such position', async () => {
    for (const [query, error] of [
      ['direction=up', 'direction: must be forwards or backwards'],
      ['from=yesterday', 'from: must be a day YYYY-MM-DD, or an ISO 8601 date and time with its offset'],
      ['from=2026-03-02&to=2026-03-01', 'from: must not be after "to"'],
      ['position=first', 'position: must be a position of the log'],
    ] as const) {
      const { status, body } = await shop.admin.get(`${path}?${query}`);
      expect([status, body.errors], query).to.deep.equal([400, [error]]);
    }
    const log = faultyEventStore(createMemoryEventStore());
    const other = await TestShop.open({ wrapStore: () => log });
    try {
      log.runBefore(
        'readAll',
        (after) => after === 1,
        () => Promise.reject(new NoSuchPosition(1)),
      );
      const { status, body } = await other.admin.get(`${path}?position=1`);
      expect([status, body.errors]).to.deep.equal([400, ['position: must be 0 or the position of an event']]);
    } finally {
      await other.close();
    }
  });

  it('is told live to those who listen, until the server stops', async () => {
    const other = await TestShop.open();
    const authorization = { Authorization: `Bearer ${API_KEY}` };
    const listen = (more: Record<string, string>) =>
      fetch(`${other.base}${path}/live?type=BasketStarted`, { headers: { ...authorization, ...more } });
    const refused = await listen({ 'Last-Event-ID': 'none' });
    expect(refused.status).to.equal(400);
    expect(await refused.text()).to.include('Last-Event-ID: must be a position of the log');
    const listening = await listen({});
    expect(listening.headers.get('content-type')).to.equal('text/event-stream');
    const cup = await other.sell('cup', { price: 5, stock: 1 });
    await other.shopper().add(cup);
    const body = listening.body?.pipeThrough(new TextDecoderStream()) ?? new ReadableStream<string>();
    let heard = '';
    let hasClosed: Promise<void> | null = null;
    for await (const text of body) {
      heard += text;
      if (heard.includes('\ndata: ')) hasClosed ??= other.close();
    }
    await hasClosed;
    expect(/data: (.*)/.exec(heard)?.[1]).to.include('"type":"BasketStarted"');
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
      const listens = await fetch(`${shop.base}${path}/live`, { headers: asThem.headers ?? {} });
      await listens.body?.cancel();
      expect(listens.status, role).to.equal(status);
    }
    await shop.given().when(get(path)).then(401);
  });
});
