import { expect } from 'chai';
import { createHandOverTokens } from '#runtime/hand-over-tokens.ts';
import { createOrderLinks } from '#runtime/order-links.ts';
import { createRecoveryTokens } from '#runtime/recovery-tokens.ts';

const applicationKey = Buffer.alloc(32, 1);
const otherKey = Buffer.alloc(32, 2);
const id = '5d9f7c3a-7a1b-5e0c-9c7e-2f1f4c8b6a10';

/** Every text that differs from this one in a single letter. */
const altered = (token: string): readonly string[] =>
  [...token].map((own, at) => token.slice(0, at) + (own === 'A' ? 'B' : 'A') + token.slice(at + 1));

// docs/rules/orders.md#order-link
describe('the key of an order link', () => {
  const links = createOrderLinks(applicationKey);
  const link = links.linkTo(id, 'https://shop.example');
  const key = new URL(link).searchParams.get('key') ?? '';

  it('stands in an address of the storefront, the same whenever it is worked out', () => {
    expect(link).to.match(
      /^https:\/\/shop\.example\/order\/5d9f7c3a-7a1b-5e0c-9c7e-2f1f4c8b6a10\?key=[\w-]{43}$/,
    );
    expect(createOrderLinks(applicationKey).linkTo(id, 'https://shop.example')).to.equal(link);
  });

  it('opens its own order in its own shop, and nothing else does', () => {
    expect(links.isKeyOf(key, id.toUpperCase())).to.equal(true);
    expect(links.isKeyOf(key, id.replace('5', '6'))).to.equal(false);
    expect(createOrderLinks(otherKey).isKeyOf(key, id)).to.equal(false);
    for (const other of ['', key.slice(1), `${key}A`, `${key}=`, 'é'.repeat(43), ...altered(key)])
      expect(links.isKeyOf(other, id), other).to.equal(false);
  });
});

describe('the token of a hand-over', () => {
  const tokens = createHandOverTokens(applicationKey);
  const session = { kind: 'session', id } as const;
  const cart = { kind: 'cart', id } as const;

  it('is 43 characters that name a session or a cart, the same whenever it is worked out', () => {
    for (const handedOver of [session, cart]) {
      const token = tokens.tokenOf(handedOver);
      expect(token).to.match(/^[\w-]{43}$/);
      expect(createHandOverTokens(applicationKey).tokenOf(handedOver)).to.equal(token);
      expect(tokens.handedOverBy(token)).to.deep.equal(handedOver);
    }
    expect(tokens.tokenOf(session)).to.not.equal(tokens.tokenOf(cart));
  });

  it('is none in another shop, with another letter, or of another kind of link', () => {
    const token = tokens.tokenOf(session);
    expect(createHandOverTokens(otherKey).handedOverBy(token)).to.equal(null);
    const recovery = createRecoveryTokens(applicationKey).tokenOf({ recordId: id, issue: 1 });
    for (const other of ['', `${token}A`, token.slice(1), recovery, ...altered(token)])
      expect(tokens.handedOverBy(other), other).to.equal(null);
  });
});
