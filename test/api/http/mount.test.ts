import { expect } from 'chai';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { z } from 'zod';
import {
  admin,
  anyone,
  created,
  noContent,
  ok,
  reader,
  route,
  testing,
  visitor,
  type Route,
} from '#http/route.ts';
import { HttpRejection } from '#http/errors.ts';
import { Rejection } from '#kernel/rejection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { Api, asAdmin } from '#test/support/api.ts';

const guid = z.guid().toLowerCase();
const id = '01a1fd9e-e314-7000-9cae-47293de64a71';
const base = { service: 'command', file: 'test', summary: 'a test', status: 200 } as const;

const lineBody = z.object({
  productId: guid,
  quantity: z.int().positive().default(1),
  note: z.string().max(5).optional(),
});

const routes: readonly Route[] = [
  route({
    ...base,
    method: 'POST',
    base: 'storefront',
    path: '/lines',
    caller: visitor,
    schemas: { body: lineBody },
    handle: async ({ body }) => ok(body),
  }),
  route({
    ...base,
    method: 'POST',
    base: 'management',
    path: '/lines',
    caller: admin,
    status: 201,
    schemas: { body: lineBody, query: z.object({ page: z.coerce.number().int().optional() }) },
    handle: async ({ body, actor }) => created('/lines/1', { body, actor }),
  }),
  route({
    ...base,
    method: 'GET',
    base: 'management',
    path: '/orders/stats',
    caller: reader,
    handle: async () => ok({ is: 'stats' }),
  }),
  route({
    ...base,
    method: 'GET',
    base: 'management',
    path: '/orders/{id}',
    caller: reader,
    schemas: { params: z.object({ id: guid }) },
    handle: async ({ params }) => ok({ is: 'order', ...params }),
  }),
  route({
    ...base,
    method: 'DELETE',
    base: 'storefront',
    path: '/basket/{lineId}',
    caller: visitor,
    schemas: { params: z.object({ lineId: guid }) },
    status: 204,
    handle: async () => noContent(),
  }),
  route({
    ...base,
    method: 'POST',
    base: 'storefront',
    path: '/basket/add',
    caller: visitor,
    handle: async () =>
      ok({}, { position: 42, cookies: [{ name: 'shop_basket', value: id, httpOnly: true }] }),
  }),
  ...['start', 'end'].map((step) =>
    route({
      ...base,
      method: 'POST',
      base: 'storefront',
      path: `/${step}`,
      caller: visitor,
      handle: async () => ok({}, { basketId: step === 'start' ? id : null, position: 43 }),
    }),
  ),
  route({
    ...base,
    method: 'GET',
    base: 'storefront',
    path: '/facts',
    caller: visitor,
    handle: async ({ cookies, basketId, position, ip, baseUrl, correlationId }) =>
      ok({ cookies, basketId, position, ip, baseUrl, correlationId }),
  }),
  route({
    ...base,
    method: 'GET',
    base: 'root',
    path: '/text',
    caller: anyone,
    handle: async () => ({ status: 200, text: '{"a":1.50}' }),
  }),
  route({
    ...base,
    method: 'POST',
    base: 'testing',
    path: '/jobs',
    caller: testing,
    handle: async () => ok({}),
  }),
  route({
    ...base,
    method: 'GET',
    base: 'root',
    path: '/fail/{how}',
    caller: anyone,
    errors: ['out-of-stock'],
    handle: async ({ params }) => {
      const { how } = params as unknown as { how: string };
      if (how === 'engine') throw new EngineUnavailable('disk gone: /secret/path');
      if (how === 'stock') throw new Rejection('out-of-stock', 'Only 2 left.', { availableQuantity: 2 });
      if (how === 'unknown') throw new Rejection('nobody-knows-this', 'internal words');
      if (how === 'unsendable')
        throw new HttpRejection('out-of-stock', 'Only 2 left.', { Allow: 'internal\nwords' });
      throw new Error('internal words');
    },
  }),
];

const storefront = '/api/shop/storefront';
const management = '/backoffice/api/v1';

describe('The edge of the shop', () => {
  let api: Api;
  const logged: string[] = [];
  before(async () => {
    const write = (chunk: Buffer, _: unknown, done: () => void): void => {
      logged.push(chunk.toString());
      done();
    };
    api = await Api.open(routes, {
      users: [{ id: 'ann', role: 'analyst' }],
      log: pino({ level: 'info' }, new Writable({ write })),
    });
  });
  after(() => api.close());
  beforeEach(() => {
    api.cookies.clear();
    logged.length = 0;
  });

  describe('finding a route', () => {
    it('answers 404 with the usual body where there is nothing', async () => {
      const { status, body } = await api.get('/nowhere');
      expect(status).to.equal(404);
      expect(body).to.deep.equal({
        success: false,
        code: 'not-found',
        message: 'There is nothing at this address.',
      });
    });

    it('answers 404 to a GUID that is none', async () => {
      expect((await api.delete(`${storefront}/basket/no-guid`)).status).to.equal(404);
      expect((await api.delete(`${storefront}/basket/${id}`)).status).to.equal(204);
    });

    it('answers 405 and names what there is to a wrong method', async () => {
      const answer = await api.put(`${storefront}/lines`, {});
      expect(answer.status).to.equal(405);
      expect(answer.headers.get('allow')).to.equal('POST');
      expect(answer.body).to.include({ success: false });
    });

    it('does not take a fixed path for a parameter, nor the other way round', async () => {
      expect((await api.delete(`${storefront}/basket/add`)).headers.get('allow')).to.equal('POST');
      const stats = await api.get(`${management}/orders/stats`, asAdmin);
      expect(stats.body).to.deep.equal({ is: 'stats' });
      const order = await api.get(`${management}/orders/${id.toUpperCase()}`, asAdmin);
      expect(order.body).to.deep.equal({ is: 'order', id });
    });

    it('answers management under both addresses, but leaves one order to the agent protocol', async () => {
      expect((await api.get('/api/v1/orders/stats', asAdmin)).status).to.equal(200);
      expect((await api.get(`/api/v1/orders/${id}`, asAdmin)).status).to.equal(404);
    });

    it('answers HEAD like GET, without a body', async () => {
      const { status, text } = await api.call('HEAD', '/text');
      expect([status, text]).to.deep.equal([200, '']);
    });

    it('refuses to start when two routes meet, and when one names an error without a status', async () => {
      const [first] = routes;
      if (!first) throw new Error('there are routes');
      for (const wrong of [[first, first], [{ ...first, errors: ['no-such-code'] }]]) {
        const failure = await Api.open(wrong).catch((error: unknown) => error);
        expect(failure).to.be.instanceOf(TypeError);
      }
    });
  });

  describe('reading a request', () => {
    it('ignores unknown fields and fills in defaults', async () => {
      const { body } = await api.post(`${storefront}/lines`, { productId: id, colour: 'red' });
      expect(body).to.deep.equal({ productId: id, quantity: 1 });
    });

    it('names all problems at once: as a list in the backoffice, by field in the storefront', async () => {
      const body = { productId: 'x', quantity: 0, note: 'far too long' };
      const listed = await api.post(`${management}/lines?page=one`, body, asAdmin);
      expect(listed.status).to.equal(400);
      expect(listed.body).to.deep.equal({
        success: false,
        code: 'invalid-request',
        message: 'The request is not valid.',
        errors: [
          'page: must be a number',
          'productId: must be a GUID',
          'quantity: must be more than 0',
          'note: must be at most 5 characters',
        ],
      });
      const named = await api.post(`${storefront}/lines`, { quantity: 'two' });
      expect(named.status).to.equal(400);
      expect(named.body).to.deep.include({
        success: false,
        errors: { productId: 'must be text', quantity: 'must be a number' },
      });
    });

    it('refuses what is not JSON', async () => {
      expect((await api.post(`${storefront}/lines`, '{"productId":')).status).to.equal(400);
      const form = await api.post(`${storefront}/lines`, 'a=b', {
        'Content-Type': 'application/x-www-form-urlencoded',
      });
      expect(form.status).to.equal(400);
      expect((await api.post(`${storefront}/lines`, '[1]')).status).to.equal(400);
      expect((await api.post(`${storefront}/lines`, 'null')).status).to.equal(400);
    });

    it('refuses bodies above 100 kB from shoppers and above 1 MB in the backoffice', async () => {
      const large = { productId: id, padding: 'x'.repeat(100_000) };
      const refused = await api.post(`${storefront}/lines`, large);
      expect(refused.status).to.equal(413);
      expect(refused.body).to.include({ success: false });
      expect((await api.post(`${management}/lines`, large, asAdmin)).status).to.equal(201);
      const huge = { productId: id, padding: 'x'.repeat(1_000_000) };
      expect((await api.post(`${management}/lines`, huge, asAdmin)).status).to.equal(413);
    });

    it('takes the position to wait for from the header, else from the cookie', async () => {
      api.cookies.set('shop_position', '7');
      const seen = async (headers = {}): Promise<unknown> =>
        (await api.get(`${storefront}/facts`, headers)).body['position'];
      expect(await seen()).to.deep.equal({ log: 7, reference: 7 });
      expect(await seen({ 'Tillroll-Position': '9' })).to.deep.equal({ log: 9, reference: 9 });
      expect(await seen({ 'Tillroll-Position': '9.4' })).to.deep.equal({ log: 9, reference: 4 });
      for (const nonsense of ['many', '-1', '9.', '.4', '9.4.1', '9e9', '1'.repeat(17)])
        expect(await seen({ 'Tillroll-Position': nonsense }), nonsense).to.equal(undefined);
    });

    it('keeps a correlation id that a log can bear', async () => {
      const kept = await api.get(`${storefront}/facts`, { 'X-Correlation-Id': 'order-77' });
      expect(kept.body).to.include({ correlationId: 'order-77' });
      expect(kept.headers.get('x-correlation-id')).to.equal('order-77');
      const odd = await api.get(`${storefront}/facts`, { 'X-Correlation-Id': 'a b{}' });
      expect(odd.headers.get('x-correlation-id')).to.match(/^[0-9a-f-]{36}$/);
    });
  });

  describe('answering', () => {
    it('sends a text that was serialised before as it is', async () => {
      const { text, headers } = await api.get('/text');
      expect(text).to.equal('{"a":1.50}');
      expect(headers.get('content-type')).to.equal('application/json; charset=utf-8');
      expect(headers.get('etag')).to.equal(null);
      expect(headers.get('x-powered-by')).to.equal(null);
    });

    it('tells the position, to browsers in a cookie of 10 s', async () => {
      const { headers } = await api.post(`${storefront}/basket/add`);
      expect(headers.get('tillroll-position')).to.equal('42');
      expect(headers.getSetCookie()).to.deep.equal([
        `shop_basket=${id}; Path=/; HttpOnly; SameSite=Lax`,
        'shop_position=42; Path=/; Max-Age=10; HttpOnly; SameSite=Lax',
      ]);
    });

    it('tells, where others write too, what commands have to wait for elsewhere, and waits for no more', async () => {
      const waited: number[] = [];
      let took = 17;
      const reference = {
        isWrittenElsewhere: true,
        took: () => took,
        whenReached: async (position: number) => void waited.push(position),
      };
      const replica = await Api.open(routes, { reference });
      const add = async (position: string): Promise<string | null> => {
        const { headers } = await replica.post(
          `${storefront}/basket/add`,
          {},
          { 'Tillroll-Position': position },
        );
        return headers.get('tillroll-position');
      };
      expect(await add('40.12')).to.equal('42.17');
      expect(replica.cookies.get('shop_position')).to.equal('42.17');
      expect(await add('40')).to.equal('42.17');
      took = 99;
      expect(await add('40')).to.equal('42');
      expect(waited).to.deep.equal([12, 40, 40]);
      await replica.close();
    });

    it('is for nobody to keep and for no browser to guess at, whatever comes out', async () => {
      const answers = [
        await api.get('/text'),
        await api.get(`${storefront}/facts`),
        await api.get('/fail/stock'),
        await api.get('/nowhere'),
        await api.delete('/text'),
        await api.post(`${management}/lines`, {}),
        await api.post(`${storefront}/lines`, '{ half'),
      ];
      for (const { status, headers } of answers) {
        expect(headers.get('cache-control'), String(status)).to.equal('no-store');
        expect(headers.get('x-content-type-options'), String(status)).to.equal('nosniff');
      }
    });

    it('gives a basket away with its signature only', async () => {
      const { headers } = await api.post(`${storefront}/start`);
      const cookie = headers.getSetCookie().find((set) => set.startsWith('shop_basket='));
      expect(cookie).to.match(/^shop_basket=[0-9a-f-]{36}\.[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly;/);
      expect((await api.get(`${storefront}/facts`)).body).to.include({ basketId: id });
      api.cookies.set('shop_basket', id);
      expect((await api.get(`${storefront}/facts`)).body).to.include({ basketId: null });
      await api.post(`${storefront}/end`);
      expect(api.cookies.has('shop_basket')).to.equal(false);
    });

    it('forgets a basket in the last of the cookies, as curl wants it', async () => {
      const { headers } = await api.post(`${storefront}/end`);
      expect(headers.getSetCookie().at(-1)).to.equal(
        'shop_basket=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
      );
    });

    it('sets cookies for HTTPS only once the shop is reached over it', async () => {
      const { headers } = await api.post(`${storefront}/basket/add`, {}, { 'X-Forwarded-Proto': 'https' });
      for (const cookie of headers.getSetCookie()) expect(cookie).to.include('; Secure;');
    });

    it('turns a refusal into its status and says why', async () => {
      const { status, body } = await api.get('/fail/stock');
      expect(status).to.equal(400);
      expect(body).to.deep.equal({
        success: false,
        code: 'out-of-stock',
        message: 'Only 2 left.',
        availableQuantity: 2,
      });
    });

    it('says that the storage is away, and to try again', async () => {
      const { status, headers, text } = await api.get('/fail/engine');
      expect(status).to.equal(503);
      expect(headers.get('retry-after')).to.equal('5');
      expect(text).not.to.include('/secret/path');
    });

    it('tells nothing of a defect but the id under which the log has it', async () => {
      api.expectsDefects = true;
      for (const how of ['defect', 'unknown']) {
        const { status, body, text } = await api.get(`/fail/${how}`);
        expect(status).to.equal(500);
        expect(text).not.to.include('internal words');
        const { correlationId } = body;
        const line = logged.find((one) => one.includes(correlationId));
        expect(line).to.include('internal words').and.include('stack');
      }
    });
  });

  it('logs what not even a refusal can say, and shows nothing of it', async () => {
    const response = await fetch(`${api.base}/fail/unsendable`);
    expect([response.status, await response.text()]).to.deep.equal([500, '']);
    expect(logged.join('')).to.include('no response could be written').and.include('"level":50');
  });

  describe('who may call', () => {
    it('asks for a credential in the backoffice, before it reads anything', async () => {
      for (const Authorization of ['', 'Bearer wrong', 'Basic abc', `${asAdmin.Authorization}x`]) {
        const answer = await api.post(`${management}/lines`, '{broken', { Authorization });
        expect(answer.status, Authorization).to.equal(401);
        expect(answer.headers.get('www-authenticate')).to.equal('Bearer');
        expect(answer.body).to.include({ success: false });
      }
    });

    it('knows the API key as an admin, and a user by their token', async () => {
      const key = await api.post(`${management}/lines`, { productId: id }, asAdmin);
      expect(key.body).to.deep.include({ actor: { kind: 'backoffice', id: 'api-key' } });
      const { token } = api.tokens.issue('ann', 1);
      const Authorization = `Bearer ${token}`;
      const stats = await api.get(`${management}/orders/stats`, { Authorization });
      expect(stats.status).to.equal(200);
      expect((await api.post(`${management}/lines`, { productId: id }, { Authorization })).status).to.equal(
        403,
      );
    });

    it('refuses a token that has expired, is forged, or names nobody', async () => {
      const stats = async (token: string) =>
        (await api.get(`${management}/orders/stats`, { Authorization: `Bearer ${token}` })).status;
      const { token } = api.tokens.issue('ann', 1);
      expect(await stats(token)).to.equal(200);
      expect(await stats(`${token.slice(0, -3)}abc`)).to.equal(401);
      expect(await stats(api.tokens.issue('bob', 1).token)).to.equal(401);
      api.now += 3_601_000;
      expect(await stats(token)).to.equal(401);
    });

    it('opens test endpoints to those who know the secret only', async () => {
      expect((await api.post('/testing/jobs')).status).to.equal(401);
      expect((await api.post('/testing/jobs', {}, { 'Testing-Secret': 'guess' })).status).to.equal(401);
      const secret = { 'Testing-Secret': Api.testingSecret };
      expect((await api.post('/testing/jobs', {}, secret)).status).to.equal(200);
    });
  });
});
