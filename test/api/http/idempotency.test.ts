import { expect } from 'chai';
import { z } from 'zod';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createIdempotency } from '#command/engine/idempotency.ts';
import { admin, created, route, visitor, type Base, type RouteRequest } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import { Api, asAdmin } from '#test/support/api.ts';
import { plainCipher, plainTexts } from '#test/support/plain-cipher.ts';

const storefront = '/api/shop/storefront';
const key = { 'Idempotency-Key': 'k-1' };

describe('An idempotency key over HTTP', () => {
  let api: Api;
  let calls: RouteRequest[];
  let refusal: Error | null;

  beforeEach(async () => {
    calls = [];
    refusal = null;
    const things = (base: Base) =>
      route({
        method: 'POST',
        base,
        path: '/things',
        service: 'command',
        file: 'test',
        summary: 'Make a thing',
        caller: base === 'management' ? admin : visitor,
        schemas: { body: z.object({ name: z.string() }) },
        status: 201,
        errors: ['out-of-stock', 'conflict', 'too-many-requests'],
        isIdempotent: true,
        handle: async (request) => {
          calls.push(request);
          if (refusal) throw refusal;
          return created(`/things/${calls.length}`, { number: calls.length });
        },
      });
    const stateStore = createMemoryDocumentStore();
    const idempotency = await createIdempotency({
      stateStore,
      instanceId: 'one',
      isOnlyWriter: true,
      texts: plainTexts,
      formerCipher: plainCipher,
    });
    api = await Api.open([things('storefront'), things('management')], { idempotency });
    api.holdBasket('01a1fd9e-e314-7000-9cae-47293de64a71');
  });
  afterEach(() => api.close());

  it('gives a repeat the first answer, with its status and headers', async () => {
    const first = await api.post(`${storefront}/things`, { name: 'a' }, key);
    const again = await api.post(`${storefront}/things`, { name: 'a' }, key);
    expect([first.status, again.status]).to.deep.equal([201, 201]);
    expect(again.body).to.deep.equal({ number: 1 });
    expect(again.headers.get('location')).to.equal('/things/1');
    expect(calls).to.have.length(1);
    expect(calls[0]?.commandId).to.match(/^[0-9a-f-]{36}$/);
  });

  it('is taken from the body as well', async () => {
    for (const _ of [1, 2]) await api.post(`${storefront}/things`, { name: 'a', idempotencyKey: 'in-body' });
    expect(calls).to.have.length(1);
  });

  it('is refused with another body', async () => {
    await api.post(`${storefront}/things`, { name: 'a' }, key);
    expect((await api.post(`${storefront}/things`, { name: 'b' }, key)).status).to.equal(409);
  });

  it('belongs to its caller: another basket is another key, and without one there is none', async () => {
    await api.post(`${storefront}/things`, { name: 'a' }, key);
    api.holdBasket('01a1fd9e-e314-7000-9cae-000000000000');
    await api.post(`${storefront}/things`, { name: 'a' }, key);
    api.cookies.clear();
    await api.post(`${storefront}/things`, { name: 'a' }, key);
    await api.post(`${storefront}/things`, { name: 'a' }, key);
    expect(calls).to.have.length(4);
    expect(calls[3]).not.to.have.property('commandId');
  });

  it('is the same under both addresses of the management API', async () => {
    for (const base of ['/api/v1', '/backoffice/api/v1'])
      await api.post(`${base}/things`, { name: 'a' }, { ...key, ...asAdmin });
    expect(calls).to.have.length(1);
  });

  it('keeps a refusal of the shop', async () => {
    refusal = new Rejection('out-of-stock', 'None left.');
    expect((await api.post(`${storefront}/things`, { name: 'a' }, key)).status).to.equal(400);
    refusal = null;
    expect((await api.post(`${storefront}/things`, { name: 'a' }, key)).status).to.equal(400);
    expect(calls).to.have.length(1);
  });

  it('keeps neither a bad body, nor a defect, nor what may succeed later', async () => {
    expect((await api.post(`${storefront}/things`, {}, key)).status).to.equal(400);
    const passing = [
      new Error('defect'),
      new Rejection('conflict', 'Again, please.'),
      new Rejection('too-many-requests', 'Later, please.'),
    ];
    api.expectsDefects = true;
    for (refusal of passing) await api.post(`${storefront}/things`, { name: 'a' }, key);
    refusal = null;
    expect((await api.post(`${storefront}/things`, { name: 'a' }, key)).status).to.equal(201);
  });
});
