import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createUsers, type Users } from '#command/contexts/identity/users.ts';
import { usersRoutes } from '#command/contexts/identity/users.routes.ts';
import { createRateLimit } from '#http/rate-limit.ts';
import { createTokens } from '#http/tokens.ts';
import { Api } from '#test/support/api.ts';

const management = '/backoffice/api/v1';
const asAdmin = { Authorization: `Bearer ${Api.apiKey}` };
const password = 'correct horse battery';

describe('Users of the backoffice', () => {
  let api: Api;
  let users: Users;
  beforeEach(async () => {
    const now = (): number => Date.UTC(2026, 0, 1);
    const tokens = createTokens(Buffer.alloc(32, 1), now);
    const stateStore = createMemoryDocumentStore();
    users = await createUsers({ stateStore, clock: { now }, tokens, tokenHours: 8 });
    const signInAttempts = createRateLimit(60);
    api = await Api.open(usersRoutes({ users, signInAttempts, signInAttemptsPerMinute: 5 }));
  });
  afterEach(() => api.close());

  const add = (email: string, role = 'analyst') =>
    api.post(`${management}/users`, { email, password, role }, asAdmin);
  const signIn = (email: string, given: string) =>
    api.post(`${management}/sign-in`, { email, password: given });

  it('are added once, listed by address and shown without their password', async () => {
    const added = await add('  Bea@Shop.example ');
    expect(added.status).to.equal(201);
    expect(added.json).to.include({ email: 'bea@shop.example', role: 'analyst', isDisabled: false });
    const { id } = added.json as { id: string };
    expect(added.headers.get('location')).to.equal(`${management}/users/${id}`);
    expect((await add('bea@shop.example')).status).to.equal(409);
    await add('ann@shop.example', 'auditor');
    const { text, json } = await api.get(`${management}/users`, { headers: asAdmin });
    expect((json as { items: { email: string }[] }).items.map(({ email }) => email)).to.deep.equal([
      'ann@shop.example',
      'bea@shop.example',
    ]);
    expect(text).not.to.match(/scrypt|password/i);
    const found = await api.get(`${management}/users?search=BEA`, { headers: asAdmin });
    expect(found.json).to.include({ totalItems: 1 });
    expect((await api.get(`${management}/users/${id}`, { headers: asAdmin })).json).to.deep.equal(added.json);
  });

  it('sign in whatever the case of their address', async () => {
    await add('bea@shop.example');
    const { status, json } = await signIn('BEA@shop.example', password);
    expect(status).to.equal(200);
    expect(json).to.include({ role: 'analyst', expiresUtc: '2026-01-01T08:00:00.000Z' });
  });

  it('are refused alike, whatever is wrong', async () => {
    const { id } = (await add('bea@shop.example')).json as { id: string };
    const wrong = await signIn('bea@shop.example', 'wrong');
    const nobody = await signIn('nobody@shop.example', password);
    const noAddress = await signIn('no address', password);
    await users.disable(id);
    const disabled = await signIn('bea@shop.example', password);
    for (const { status, text } of [wrong, nobody, noAddress, disabled])
      expect([status, text]).to.deep.equal([401, wrong.text]);
  });

  it('cannot be guessed at: five attempts a minute from one address', async () => {
    for (const _ of [1, 2, 3, 4, 5]) expect((await signIn('x@shop.example', 'y')).status).to.equal(401);
    const { status, headers } = await signIn('x@shop.example', 'y');
    expect(status).to.equal(429);
    expect(Number(headers.get('retry-after'))).to.be.within(1, 60);
  });

  it('get a token from an admin, unless they are disabled', async () => {
    const { id } = (await add('bea@shop.example')).json as { id: string };
    const issued = await api.post(`${management}/users/${id}/token`, { hours: 1 }, asAdmin);
    expect(issued.json).to.include({ expiresUtc: '2026-01-01T01:00:00.000Z' });
    expect((await api.post(`${management}/users/${id}/disable`, {}, asAdmin)).json).to.include({
      isDisabled: true,
    });
    expect((await api.post(`${management}/users/${id}/token`, {}, asAdmin)).status).to.equal(404);
  });

  it('need an address, a long password and a role', async () => {
    const body = { email: 'bea', password: 'short', role: 'boss' };
    const { status, json } = await api.post(`${management}/users`, body, asAdmin);
    expect(status).to.equal(400);
    expect((json as { errors: string[] }).errors).to.deep.equal([
      'email: an e-mail address was expected',
      'password: at least 10 characters were expected',
      'role: one of admin, analyst, auditor was expected',
    ]);
  });
});
