import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { createUserActions, type UserActions } from '#command/contexts/identity/user.actions.ts';
import { userRoutes } from '#command/contexts/identity/user.routes.ts';
import { createSignInGuard } from '#command/contexts/identity/sign-in-guard.ts';
import { createRateLimits } from '#http/rate-limit.ts';
import { createTokens } from '#runtime/tokens.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { createKeyedHash } from '#runtime/keys.ts';
import { Api, asAdmin } from '#test/support/api.ts';
import { Browser } from '#test/support/browser.ts';
import { anyMeta } from '#test/support/engine.ts';
import { TestShop } from '#test/support/shop.ts';

const management = '/backoffice/api/v1';
const password = 'correct horse battery';

const guardOf = async (stateStore: DocumentStore, now: () => number) => {
  const keyedHash = createKeyedHash(Buffer.alloc(32, 2));
  const limits = await createRateLimits({ stateStore, now, keyedHash });
  return createSignInGuard({ limits, attemptsPerMinute: 5, keyedHash });
};

const owner = 'owner@shop.example';

/** One process of several on one store; it compares passwords in no time. */
const openQuickDoor = async (
  stateStore: DocumentStore,
  now: () => number,
  trustedProxies = 1,
): Promise<Api> => {
  const tokens = createTokens(Buffer.alloc(32, 1), now);
  const actions: UserActions = {
    ...(await createUserActions({ stateStore, clock: { now }, tokens, tokenHours: 8 })),
    signIn: async (email, given) => {
      if (email !== owner || given !== password) throw new Rejection('unauthenticated', 'Wrong.');
      return { ...tokens.issue(email, 8), role: 'admin' };
    },
  };
  return Api.open(userRoutes({ actions, signInGuard: await guardOf(stateStore, now) }), { trustedProxies });
};

describe('Users of the backoffice', () => {
  let api: Api;
  let actions: UserActions;
  beforeEach(async () => {
    const now = (): number => Date.UTC(2026, 0, 1);
    const tokens = createTokens(Buffer.alloc(32, 1), now);
    const stateStore = createMemoryDocumentStore();
    actions = await createUserActions({ stateStore, clock: { now }, tokens, tokenHours: 8 });
    api = await Api.open(userRoutes({ actions, signInGuard: await guardOf(stateStore, now) }));
  });
  afterEach(() => api.close());

  const add = (email: string, role = 'analyst') =>
    api.post(`${management}/users`, { email, password, role }, asAdmin);
  const signIn = (email: string, given: string) =>
    api.post(`${management}/sign-in`, { email, password: given });

  it('are added once, listed by address and shown without their password', async () => {
    const added = await add('  Bea@Shop.example ');
    expect(added.status).to.equal(201);
    expect(added.body).to.include({ email: 'bea@shop.example', role: 'analyst', isDisabled: false });
    const { id } = added.body;
    expect(added.headers.get('location')).to.equal(`${management}/users/${id}`);
    expect((await add('bea@shop.example')).status).to.equal(409);
    await add('ann@shop.example', 'auditor');
    const { text, body } = await api.get(`${management}/users`, asAdmin);
    expect(body.items.map(({ email }: { email: string }) => email)).to.deep.equal([
      'ann@shop.example',
      'bea@shop.example',
    ]);
    expect(text).not.to.match(/scrypt|password/i);
    const found = await api.get(`${management}/users?search=BEA`, asAdmin);
    expect(found.body).to.include({ totalItems: 1 });
    expect((await api.get(`${management}/users/${id}`, asAdmin)).body).to.deep.equal(added.body);
  });

  it('sign in whatever the case of their address', async () => {
    await add('bea@shop.example');
    const { status, body } = await signIn('BEA@shop.example', password);
    expect(status).to.equal(200);
    expect(body).to.include({ role: 'analyst', expiresUtc: '2026-01-01T08:00:00.000Z' });
  });

  it('are refused alike, whatever is wrong', async () => {
    const { id } = (await add('bea@shop.example')).body;
    const wrong = await signIn('bea@shop.example', 'wrong');
    const nobody = await signIn('nobody@shop.example', password);
    const noAddress = await signIn('no address', password);
    await actions.disable(id, anyMeta());
    const disabled = await signIn('bea@shop.example', password);
    for (const { status, text } of [wrong, nobody, noAddress, disabled])
      expect([status, text]).to.deep.equal([401, wrong.text]);
  });

  it('get a token from an admin, unless they are disabled', async () => {
    const { id } = (await add('bea@shop.example')).body;
    const issued = await api.post(`${management}/users/${id}/token`, { hours: 1 }, asAdmin);
    expect(issued.body).to.include({ expiresUtc: '2026-01-01T01:00:00.000Z' });
    expect((await api.post(`${management}/users/${id}/disable`, {}, asAdmin)).body).to.include({
      isDisabled: true,
    });
    expect((await api.post(`${management}/users/${id}/token`, {}, asAdmin)).status).to.equal(404);
  });

  it('need an address, a long password and a role', async () => {
    const wrong = { email: 'bea', password: 'short', role: 'boss' };
    const { status, body } = await api.post(`${management}/users`, wrong, asAdmin);
    expect(status).to.equal(400);
    expect(body.errors).to.deep.equal([
      'email: must be an e-mail address',
      'password: must be at least 10 characters',
      'role: must be one of admin, analyst, auditor',
    ]);
  });
});

describe('Guessing a password of the backoffice', () => {
  const email = owner;
  let time = 0;
  let stateStore: DocumentStore;
  let doors: readonly Api[];
  const now = (): number => time;

  beforeEach(async () => {
    time = Date.UTC(2026, 0, 1);
    stateStore = createMemoryDocumentStore();
    doors = [await openQuickDoor(stateStore, now), await openQuickDoor(stateStore, now)];
  });
  afterEach(() => Promise.all(doors.map((door) => door.close())));

  const door = (index: number): Api => doors[index % doors.length] ?? expect.fail();
  let places = 0;
  /** Of somebody who has not asked before. */
  const elsewhere = (): Record<string, string> => ({
    'X-Forwarded-For': `198.51.${++places >> 8}.${places & 255}`,
  });
  const guess = (index: number, account = email, given = 'wrong', headers: Record<string, string> = {}) =>
    door(index).post(`${management}/sign-in`, { email: account, password: given }, headers);
  const waitOf = ({ headers }: { headers: Headers }): number => Number(headers.get('retry-after'));

  it('is given five tries a minute from one address, whatever the account and whichever process', async () => {
    for (let index = 0; index < 5; index++) {
      expect((await guess(index, `x${index}@shop.example`)).status).to.equal(401);
    }
    const refused = await guess(5);
    expect([refused.status, waitOf(refused)]).to.deep.equal([429, 60]);
    expect((await guess(6, email, password)).status, 'nor is a right one looked at').to.equal(429);
    time += 60_000;
    expect((await guess(7, email, password)).status).to.equal(200);
  });

  it('is given no more for saying that it was forwarded, where nobody trusts a proxy', async () => {
    const api = await openQuickDoor(stateStore, now, 0);
    for (let index = 0; index < 5; index++) {
      const forwarded = { 'X-Forwarded-For': `203.0.113.${index}` };
      const tried = await api.post(`${management}/sign-in`, { email, password: 'wrong' }, forwarded);
      expect(tried.status).to.equal(401);
    }
    const body = { email: 'x@shop.example', password: 'wrong' };
    for (const headers of [{ 'X-Forwarded-For': '203.0.113.99' }, { Forwarded: 'for=203.0.113.98' }, {}])
      expect((await api.post(`${management}/sign-in`, body, headers)).status).to.equal(429);
    await api.close();
  });

  it('at many at once is given no more', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, index) => guess(index)));
    expect(all.filter(({ status }) => status === 401)).to.have.length(5);
    expect(all.filter(({ status }) => status === 429)).to.have.length(15);
  });

  it('is heard no more at an address that knocks on a slowed account without a pause', async () => {
    for (let index = 0; index < 10; index++) {
      await guess(index, email, 'wrong', elsewhere());
      time += 1000;
    }
    const knocks: Awaited<ReturnType<typeof guess>>[] = [];
    for (let index = 0; index < 20; index++) knocks.push(await guess(index));
    expect(knocks.filter(({ status }) => status === 401)).to.have.length.below(2);
    expect(waitOf(knocks.at(-1) ?? expect.fail()), 'the address waits, not the account').to.be.above(30);
    time += 30_000;
    expect((await guess(0)).status, 'and takes no turn of the account from its owner').to.equal(429);
    expect((await guess(0, email, password, elsewhere())).status).to.equal(200);
  });

  it('costs those nothing who know it, and washes no guess off an address', async () => {
    for (let index = 0; index < 4; index++) await guess(index, 'x@shop.example');
    for (let index = 0; index < 8; index++) {
      for (const one of doors) one.cookies.clear();
      expect((await guess(index, email, password)).status).to.equal(200);
    }
    expect((await guess(0, 'x@shop.example')).status).to.equal(401);
    expect((await guess(0, 'x@shop.example')).status).to.equal(429);
  });

  it('slows an account down for guesses from many addresses, and never bars its owner', async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 40; index++)
      statuses.push((await guess(index, email, 'wrong', elsewhere())).status);
    expect(statuses.filter((status) => status === 401)).to.have.length(10);
    const refused = await guess(0, email, password, elsewhere());
    expect([refused.status, waitOf(refused)]).to.deep.equal([429, 1]);
    time += 1000;
    expect((await guess(1, email, password, elsewhere())).status).to.equal(200);
    expect((await guess(0, email, 'wrong', elsewhere())).status, 'it starts over').to.equal(401);
  });

  it('makes its owner wait for half a minute at most, however long it goes on', async () => {
    let longest = 0;
    for (let index = 0; index < 60; index++) {
      const { status, headers } = await guess(index, email, 'wrong', elsewhere());
      if (status === 429) {
        const wait = waitOf({ headers });
        longest = Math.max(longest, wait);
        time += wait * 1000;
      }
    }
    expect(longest).to.be.within(10, 30);
  });

  it('leaves the device alone on which its owner has signed in before', async () => {
    const home = door(0);
    expect((await guess(0, email, password)).status).to.equal(200);
    const mark = home.cookies.get('backoffice_device') ?? '';
    for (let index = 0; index < 40; index++) await guess(1, email, 'wrong', elsewhere());
    expect((await guess(1, email, password, elsewhere())).status, 'a stranger is slowed down').to.equal(429);
    expect((await guess(0, email, password, elsewhere())).status, 'the owner is not').to.equal(200);
    for (let index = 0; index < 5; index++) expect((await guess(0)).status).to.equal(401);
    expect((await guess(0)).status, 'the device has a limit of its own').to.equal(429);
    expect((await guess(1, 'x@shop.example')).status, 'which others do not share').to.equal(401);
    const [deviceId = ''] = mark.split('.');
    for (const forged of [`${deviceId}.wrong`, deviceId, '', mark.replace(/.$/, '_')]) {
      door(1).cookies.set('backoffice_device', forged);
      expect((await guess(1, email, password, elsewhere())).status, forged).to.equal(429);
    }
    door(1).cookies.set('backoffice_device', mark);
    expect((await guess(1, 'other@shop.example', password)).status, 'it is of one account').to.be.oneOf([
      401, 429,
    ]);
  });

  it('is slowed down alike for accounts that there are and that there are not', async () => {
    const told = async (account: string) => {
      const answers: string[] = [];
      for (let index = 0; index < 14; index++) {
        const { status, text, headers } = await guess(index, account, 'wrong', elsewhere());
        answers.push(`${status} ${headers.get('retry-after')} ${text}`);
      }
      return answers;
    };
    expect(await told('nobody@shop.example')).to.deep.equal(await told(email));
  });

  it('waits while the state store is away: 503', async () => {
    stateStore.updateIf = () => Promise.reject(new EngineUnavailable('away'));
    expect((await guess(0, email, password)).status).to.equal(503);
  });
});

describe('PUT /users/{id}', () => {
  let shop: TestShop;
  let id: string;
  let count = 0;
  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  const emailOf = (): string => `user${count}@shop.example`;
  beforeEach(async () => {
    count++;
    const added = await shop.admin.post(`${management}/users`, { email: emailOf(), password, role: 'admin' });
    id = added.body.id as string;
  });

  const put = (body: unknown) => shop.admin.put(`${management}/users/${id}`, body);
  const signIn = async (given = password): Promise<{ status: number; token: string }> => {
    const { status, body } = await new Browser(shop.base).post(`${management}/sign-in`, {
      email: emailOf(),
      password: given,
    });
    return { status, token: body.token as string };
  };
  const statusWith = async (token: string, path = '/users'): Promise<number> =>
    (await new Browser(shop.base, { Authorization: `Bearer ${token}` }).get(management + path)).status;

  it('gives another role, at once and to tokens from then on only', async () => {
    const { token } = await signIn();
    expect(await statusWith(token)).to.equal(200);
    const changed = await put({ role: 'analyst' });
    expect([changed.status, changed.body.role, changed.body.enabled]).to.deep.equal([200, 'analyst', true]);
    expect(await statusWith(token)).to.equal(401);
    expect(await statusWith((await signIn()).token)).to.equal(403);
    expect(await statusWith((await signIn()).token, '/orders')).to.equal(200);
  });

  it('gives another password: the old one and tokens from before end', async () => {
    const { token } = await signIn();
    expect((await put({ password: 'another long password' })).status).to.equal(200);
    expect(await statusWith(token)).to.equal(401);
    expect((await signIn()).status).to.equal(401);
    expect((await signIn('another long password')).status).to.equal(200);
  });

  it('shuts a user out and lets them in again, but no token from before', async () => {
    const { token } = await signIn();
    const disabled = await put({ enabled: false });
    expect(disabled.body).to.include({ enabled: false, isDisabled: true });
    expect([await statusWith(token), (await signIn()).status]).to.deep.equal([401, 401]);
    expect((await put({ enabled: true })).body).to.include({ enabled: true });
    expect(await statusWith(token)).to.equal(401);
    expect(await statusWith((await signIn()).token)).to.equal(200);
  });

  it('ends the tokens that an admin issued, too', async () => {
    const issued = await shop.admin.post(`${management}/users/${id}/token`, { hours: 100 });
    const token = issued.body.token as string;
    expect(await statusWith(token)).to.equal(200);
    await put({ role: 'auditor' });
    expect(await statusWith(token)).to.equal(401);
  });

  it('changes nothing where nothing is new, and leaves tokens alone', async () => {
    const { token } = await signIn();
    const before = (await shop.admin.get(`${management}/users/${id}`)).body;
    expect((await put({ role: 'admin', enabled: true })).body).to.deep.equal(before);
    expect((await put({})).body).to.deep.equal(before);
    expect(await statusWith(token)).to.equal(200);
  });

  it('may shut out the last admin: the API key is always there', async () => {
    expect((await put({ enabled: false })).status).to.equal(200);
    expect((await put({ enabled: true })).status).to.equal(200);
  });

  it('is refused with what is wrong, to those who are no admin, and for nobody', async () => {
    const refused = await put({ role: 'boss', password: 'short', enabled: 'yes' });
    expect(refused.status).to.equal(400);
    expect(refused.body.errors).to.deep.equal([
      'role: must be one of admin, analyst, auditor',
      'password: must be at least 10 characters',
      'enabled: must be true or false',
    ]);
    const nobody = '00000000-0000-4000-8000-000000000000';
    expect((await shop.admin.put(`${management}/users/${nobody}`, { role: 'admin' })).status).to.equal(404);
    const { status } = await new Browser(shop.base).put(`${management}/users/${id}`, { role: 'admin' });
    expect(status).to.equal(401);
  });
});
