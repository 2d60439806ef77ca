import { expect } from 'chai';
import { member, ok, route, visitor } from '#http/route.ts';
import { createTokens } from '#runtime/tokens.ts';
import { Api } from '#test/support/api.ts';

const base = { method: 'GET', base: 'storefront', service: 'command', file: 'test', summary: '' } as const;
const routes = [
  route({ ...base, path: '/mine', caller: member, status: 200, handle: async ({ actor }) => ok(actor) }),
  route({ ...base, path: '/all', caller: visitor, status: 200, handle: async ({ actor }) => ok(actor) }),
].map((one) => ({ ...one, errors: one.caller.errors }));
const mine = '/api/shop/storefront/mine';
const all = '/api/shop/storefront/all';

describe('A member', () => {
  let api: Api;
  before(async () => {
    api = await Api.open(routes, {
      members: [{ id: 'ada', tokenVersion: 3 }],
      users: [{ id: 'ada', role: 'admin' }],
    });
  });
  after(() => api.close());
  beforeEach(() => api.cookies.clear());

  const tokenOf = (version = 3): string => api.memberTokens.issue('ada', 1, version).token;

  it('is known by the token of a sign-in, as a bearer or in the cookie', async () => {
    const asBearer = await api.get(mine, { Authorization: `Bearer ${tokenOf()}` });
    expect(asBearer.body).to.deep.equal({ kind: 'member', id: 'ada' });
    api.cookies.set('shop_member', tokenOf());
    expect((await api.get(mine)).body).to.deep.equal({ kind: 'member', id: 'ada' });
    expect((await api.get(all)).body).to.deep.equal({ kind: 'member', id: 'ada' });
  });

  const wrong: readonly (readonly [string, () => string])[] = [
    ['is altered', () => tokenOf().replace(/.{5}$/, 'AAAAA')],
    ['is from before the password was reset', () => tokenOf(2)],
    ['is of a member whom there is not', () => api.memberTokens.issue('bea', 1, 0).token],
    [
      'is of another shop',
      () => createTokens(Buffer.alloc(32, 1), () => api.now, 'member').issue('ada', 1, 3).token,
    ],
    ['is of the backoffice', () => api.tokens.issue('ada', 1).token],
    [
      'is signed with the right key for another purpose',
      () => createTokens(Buffer.alloc(32, 9), () => api.now, 'backoffice').issue('ada', 1, 3).token,
    ],
    ['is none', () => 'no-token'],
    [
      'has expired',
      () => {
        const token = tokenOf();
        api.now += 3_600_000;
        return token;
      },
    ],
  ];
  for (const [what, make] of wrong) {
    it(`is refused like a stranger when the token ${what}`, async () => {
      const missing = await api.get(mine);
      const token = make();
      api.cookies.set('shop_member', token);
      for (const refused of [
        await api.get(mine),
        await api.get(mine, { Authorization: `Bearer ${token}` }),
      ]) {
        expect([refused.status, refused.code]).to.deep.equal([401, 'unauthenticated']);
        expect(refused.body).to.deep.equal(missing.body);
      }
      expect((await api.get(all)).body).to.deep.equal({ kind: 'visitor', id: null });
    });
  }

  it('is nobody to the backoffice', async () => {
    expect(api.tokens.read(tokenOf())).to.equal(null);
  });
});
