import { expect } from 'chai';
import { createClaims, type Claims } from '#command/engine/claims.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { anyMeta, startTestEngine } from '#test/support/engine.ts';

const meta = anyMeta();
const [ada, bob] = [idNamed('ada'), idNamed('bob')];

describe('a value that must be unique', () => {
  let claims: Claims;
  let events: () => Promise<readonly string[]>;

  beforeEach(async () => {
    const { engine, store } = await startTestEngine();
    claims = createClaims({ commands: engine, keyedHash: (kind, value) => `hash of ${kind} ${value}` });
    events = async () =>
      (await store.readAll(0)).map(({ type, stream, data }) => `${type} ${stream} ${data}`);
  });

  it('has one owner, who may ask again', async () => {
    expect(await claims.claim('sku', 'MUG', ada, meta)).to.deep.equal({ kind: 'ok', isNew: true });
    expect(await claims.claim('sku', 'MUG', ada, meta)).to.deep.equal({ kind: 'ok', isNew: false });
    expect(await claims.claim('sku', 'MUG', bob, meta)).to.deep.equal({ kind: 'taken', ownerId: ada });
    expect(await claims.claim('warehouse-code', 'MUG', bob, meta)).to.include({ kind: 'ok' });
    for (const event of await events()) expect(event).to.not.include('MUG');
  });

  it('goes to one of two who ask at the same moment', async () => {
    const outcomes = await Promise.all([ada, bob].map((owner) => claims.claim('sku', 'MUG', owner, meta)));
    expect(outcomes.map(({ kind }) => kind).sort()).to.deep.equal(['ok', 'taken']);
  });

  it('is free once its owner gives it back, and nobody else can', async () => {
    await claims.claim('sku', 'MUG', ada, meta);
    await claims.release('sku', 'MUG', bob, meta);
    expect(await claims.claim('sku', 'MUG', bob, meta)).to.include({ kind: 'taken' });
    await claims.release('sku', 'MUG', ada, meta);
    expect(await claims.claim('sku', 'MUG', bob, meta)).to.include({ kind: 'ok' });
  });

  it('can be taken over from an owner who exists no longer', async () => {
    await claims.claim('sku', 'MUG', ada, meta);
    const isGone = (owner: string) => Promise.resolve(owner === ada);
    expect(await claims.claim('sku', 'MUG', bob, meta, isGone)).to.include({ kind: 'ok' });
    expect(await claims.claim('sku', 'MUG', ada, meta)).to.deep.equal({ kind: 'taken', ownerId: bob });
  });

  it('is claimed with others or not at all', async () => {
    const sku = (value: string) => ({ kind: 'sku', value, field: 'sku' }) as const;
    await claims.claim('sku', 'MUG', ada, meta);
    const refused = await claims
      .claimAll([sku('CUP'), sku('MUG')], bob, meta)
      .catch((error: unknown) => error);
    expect(refused).to.include({ code: 'value-taken' });
    expect(await claims.claim('sku', 'CUP', ada, meta)).to.deep.equal({ kind: 'ok', isNew: true });
  });
});
