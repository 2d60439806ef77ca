import { expect } from 'chai';
import { createClaims, type Claims } from '#command/engine/claims.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { anyMeta, startTestEngine } from '#test/support/engine.ts';
import { when } from '#test/support/refusal.ts';

const meta = anyMeta();
const [ada, bob] = [idNamed('ada'), idNamed('bob')];

describe('a value that must be unique', () => {
  let claims: Claims;
  let events: () => Promise<readonly string[]>;
  let clock: { time: number };

  beforeEach(async () => {
    const { engine, store, clock: time } = await startTestEngine();
    clock = time;
    const keyedHash = (kind: string, value: string): string => `hash of ${kind} ${value}`;
    claims = createClaims({ commands: engine, keyedHash, clock: time });
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

  it('is free once its owner, and no other, releases it', async () => {
    await claims.claim('sku', 'MUG', ada, meta);
    await claims.release('sku', 'MUG', bob, meta);
    expect(await claims.claim('sku', 'MUG', bob, meta)).to.include({ kind: 'taken' });
    await claims.release('sku', 'MUG', ada, meta);
    expect(await claims.claim('sku', 'MUG', bob, meta)).to.include({ kind: 'ok' });
  });

  it('can be taken over after a minute from an owner that does not exist', async () => {
    const owners = {
      isThere: (owner: string) => Promise.resolve(owner !== ada),
      abandon: (owner: string) => Promise.resolve(owner === ada),
    };
    await claims.claim('sku', 'MUG', ada, meta);
    clock.time += 59_999;
    expect(await claims.claim('sku', 'MUG', bob, meta, owners)).to.include({ kind: 'taken' });
    clock.time += 1;
    expect(await claims.claim('sku', 'MUG', bob, meta, owners)).to.include({ kind: 'ok' });
    clock.time += 60_000;
    expect(await claims.claim('sku', 'MUG', ada, meta, owners)).to.include({ kind: 'taken' });
  });

  it('stays with an owner that claims it again during a takeover', async () => {
    await claims.claim('sku', 'MUG', ada, meta);
    clock.time += 60_000;
    const asksAgain = {
      isThere: () => Promise.resolve(false),
      abandon: async () => {
        await claims.claim('sku', 'MUG', ada, meta);
        return true;
      },
    };
    expect(await claims.claim('sku', 'MUG', bob, meta, asksAgain)).to.include({
      kind: 'taken',
      ownerId: ada,
    });
  });

  it('is claimed with others or not at all', async () => {
    const sku = (value: string) => ({ kind: 'sku', value, field: 'sku' }) as const;
    await claims.claim('sku', 'MUG', ada, meta);
    await when(claims.claimAll([sku('CUP'), sku('MUG')], bob, meta)).thenRefused('value-taken');
    expect(await claims.claim('sku', 'CUP', ada, meta)).to.deep.equal({ kind: 'ok', isNew: true });
  });
});
