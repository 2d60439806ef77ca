import { expect } from 'chai';
import type { Document } from '#kernel/projection.ts';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createIdempotency, purgeIdempotency, type IdempotencyOptions } from '#command/engine/idempotency.ts';
import { plainCipher, plainTexts } from '#test/support/plain-cipher.ts';
import { when } from '#test/support/refusal.ts';

const now = Date.UTC(2026, 0, 5, 9);
const hour = 60 * 60 * 1000;
const request = {
  scope: { caller: 'basket-1', method: 'POST', path: '/basket/add' },
  key: 'once',
  bodyFingerprint: 'a mug',
  now,
  waitMs: 7000,
};

/** Idempotency whose real time moves by itself by a second with every look at it. */
const start = async (options: Partial<IdempotencyOptions> = {}) => {
  const stateStore = options.stateStore ?? createMemoryDocumentStore();
  let time = 0;
  const idempotency = await createIdempotency({
    stateStore,
    texts: plainTexts,
    formerCipher: plainCipher,
    instanceId: 'ours',
    isOnlyWriter: false,
    realTime: () => (time += 1000),
    pollMs: 1,
    ...options,
  });
  return { idempotency, stateStore };
};

describe('the answer under an idempotency key', () => {
  const commandIds: string[] = [];
  const answering =
    (status: number, more: object = {}) =>
    (commandId: string) => {
      commandIds.push(commandId);
      return Promise.resolve({ status, body: `answer ${commandIds.length}`, ...more });
    };

  beforeEach(() => void commandIds.splice(0));

  it('answers the same request twice with the first answer, also after a restart', async () => {
    const { idempotency, stateStore } = await start();
    const first = await idempotency.run(request, answering(201));
    const { idempotency: restarted } = await start({ stateStore, instanceId: 'restarted' });
    for (const again of [idempotency, restarted]) {
      expect(await again.run(request, answering(201))).to.deep.equal(first);
    }
    expect(commandIds).to.have.length(1);
  });

  it('keeps a refusal as well: it was the answer', async () => {
    const { idempotency } = await start();
    await idempotency.run(request, answering(400, { code: 'out-of-stock' }));
    expect(await idempotency.run(request, answering(200))).to.deep.include({ status: 400, body: 'answer 1' });
  });

  it('keeps only the message of a large refusal, at most 2 kB', async () => {
    const { idempotency, stateStore } = await start();
    const basket = { lineItems: Array.from({ length: 200 }, (_, index) => ({ id: index, name: 'A mug' })) };
    const said = { success: false, message: 'The price has changed.', errorCode: 'PriceChanged' };
    const json = { ...said, basket, warnings: ['one'] };
    const first = await idempotency.run(request, answering(400, { code: 'price-changed', json }));
    expect(first).to.deep.include({ json });
    const kept = await stateStore.find<Document & { readonly answer: string }>('idempotency', {});
    expect(kept.map(({ answer }) => answer.length < 2000)).to.deep.equal([true]);
    const again = await idempotency.run(request, answering(200));
    expect(again).to.deep.equal({ status: 400, code: 'price-changed', json: said });
    const long = { json: { message: 'x'.repeat(30_000) } };
    const other = { ...request, key: 'another' };
    await idempotency.run(other, answering(400, long));
    expect(JSON.stringify(await idempotency.run(other, answering(200)))).to.have.length.below(2000);
  });

  it('refuses another body under the same key', async () => {
    const { idempotency } = await start();
    await idempotency.run(request, answering(200));
    const other = idempotency.run({ ...request, bodyFingerprint: 'a plate' }, answering(200));
    await when(other).thenRefused('idempotency-key-reused');
  });

  it('knows the body of an answer that was stored before fingerprints were keyed', async () => {
    const { idempotency } = await start();
    await idempotency.run({ ...request, bodyFingerprint: 'bare mug' }, answering(200));
    const repeat = { ...request, formerFingerprint: () => 'bare mug' };
    expect(await idempotency.run(repeat, answering(200))).to.deep.include({ body: 'answer 1' });
    const other = { ...request, bodyFingerprint: 'a plate', formerFingerprint: () => 'bare plate' };
    await when(idempotency.run(other, answering(200))).thenRefused('idempotency-key-reused');
  });

  it('takes the key of another caller, or of another endpoint, for another key', async () => {
    const { idempotency } = await start();
    await idempotency.run(request, answering(200));
    await idempotency.run({ ...request, scope: { ...request.scope, caller: 'basket-2' } }, answering(200));
    await idempotency.run({ ...request, scope: { ...request.scope, path: '/pay' } }, answering(200));
    expect(new Set(commandIds).size).to.equal(3);
  });

  it('lets the second of two in parallel wait for the answer of the first', async () => {
    const { idempotency } = await start({ realTime: () => 0 });
    const both = await Promise.all([
      idempotency.run(request, answering(200)),
      idempotency.run(request, answering(200)),
    ]);
    expect(both[1]).to.deep.equal(both[0]);
    expect(commandIds).to.have.length(1);
  });

  it('says that the first is still running when it takes too long', async () => {
    const { idempotency } = await start({ leaseMs: 60_000 });
    let finish = (): void => undefined;
    const first = idempotency.run(request, async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      return { status: 200 };
    });
    await when(idempotency.run(request, answering(200))).thenRefused('request-in-progress');
    finish();
    expect(await first).to.deep.equal({ status: 200 });
  });

  it('says so at once to a request whose deadline has passed', async () => {
    const { idempotency } = await start({ realTime: () => 0 });
    void idempotency.run(request, () => new Promise<{ status: number }>(() => undefined));
    const late = idempotency.run({ ...request, waitMs: 0 }, answering(200));
    await when(late).thenRefused('request-in-progress');
  });

  for (const status of [400, 404, 409, 422]) {
    it(`does not keep a ${status} of a log that was lost or silent meanwhile: it may be of the past`, async () => {
      let disturbances = 0;
      const { idempotency } = await start({ disturbances: () => disturbances });
      const disturbed = (commandId: string) => {
        disturbances++;
        return answering(status)(commandId);
      };
      await idempotency.run(request, disturbed);
      expect(await idempotency.run(request, answering(200))).to.deep.include({ status: 200 });
      expect(new Set(commandIds).size, 'one command').to.equal(1);
      const other = { ...request, key: 'another' };
      await idempotency.run(other, answering(status));
      expect(await idempotency.run(other, answering(200)), 'in quiet').to.deep.include({ status });
    });
  }

  it('keeps what succeeded on a log that was lost or silent meanwhile', async () => {
    let disturbances = 0;
    const { idempotency } = await start({ disturbances: () => disturbances++ });
    const first = await idempotency.run(request, answering(201));
    expect(await idempotency.run(request, answering(201))).to.deep.equal(first);
  });

  for (const status of [500, 503, 401, 403, 429]) {
    it(`does not keep a ${status}; the repeat runs under the same command id`, async () => {
      const { idempotency } = await start();
      await idempotency.run(request, answering(status));
      expect(await idempotency.run(request, answering(200))).to.deep.include({ status: 200 });
      expect(new Set(commandIds).size).to.equal(1);
    });
  }

  it('does not keep a refused body, so that it can be mended under the same key', async () => {
    const { idempotency } = await start();
    await idempotency.run(request, answering(400, { code: 'invalid-request' }));
    const mended = await idempotency.run({ ...request, bodyFingerprint: 'mended' }, answering(200));
    expect(mended.status).to.equal(200);
  });

  it('does not keep an error', async () => {
    const { idempotency } = await start();
    await when(idempotency.run(request, () => Promise.reject(new Error('crash')))).thenFails(Error, 'crash');
    expect(await idempotency.run(request, answering(200))).to.deep.include({ status: 200 });
  });

  it('takes over from a process that died, once its lease has lapsed', async () => {
    const { idempotency, stateStore } = await start();
    const dead = await start({ stateStore, instanceId: 'dead', realTime: () => 0 });
    void dead.idempotency.run(request, () => new Promise<{ status: number }>(() => undefined));
    await new Promise(setImmediate);
    expect(await idempotency.run(request, answering(200))).to.deep.include({ status: 200 });
  });

  it('takes over at once when the only writer starts', async () => {
    const { idempotency, stateStore } = await start({ isOnlyWriter: true, realTime: () => 0 });
    const dead = await start({ stateStore, instanceId: 'dead', realTime: () => 0 });
    void dead.idempotency.run(request, () => new Promise<{ status: number }>(() => undefined));
    await new Promise(setImmediate);
    expect(await idempotency.run(request, answering(200))).to.deep.include({ status: 200 });
  });

  it('lets a late run answer its caller, but not overwrite the answer of the one that took over', async () => {
    const { idempotency, stateStore } = await start();
    const slow = await start({ stateStore, instanceId: 'slow', realTime: () => 0 });
    let finish = (): void => undefined;
    const late = slow.idempotency.run(request, async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      return { status: 200, body: 'late' };
    });
    await new Promise(setImmediate);
    const taken = await idempotency.run(request, answering(200));
    finish();
    expect(await late).to.deep.equal({ status: 200, body: 'late' });
    expect(await idempotency.run(request, answering(200))).to.deep.equal(taken);
  });

  it('forgets an answer after 48 hours', async () => {
    const { idempotency, stateStore } = await start();
    await idempotency.run(request, answering(200));
    expect(await purgeIdempotency(stateStore, now + 47 * hour)).to.equal(0);
    await idempotency.run({ ...request, now: now + 48 * hour, bodyFingerprint: 'a plate' }, answering(200));
    expect(commandIds).to.have.length(2);
    expect(await purgeIdempotency(stateStore, now + 96 * hour)).to.equal(1);
  });
});
