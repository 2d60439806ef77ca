import { expect } from 'chai';
import { createUserActions, type UserActions } from '#command/contexts/identity/user.actions.ts';
import {
  createRecordChanges,
  unrecordedAfter,
  type UserRecord,
} from '#command/contexts/identity/user-changes.ts';
import type { Streams } from '#command/engine/streams.ts';
import type { Recorded } from '#kernel/event.ts';
import { newId } from '#kernel/ids.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { backofficeUserId, backofficeUsers } from '#runtime/backoffice-users.ts';
import { createPasswords } from '#runtime/passwords.ts';
import { createTokens } from '#runtime/tokens.ts';
import { streamOf } from '#values/stream-name.ts';
import { anyMeta } from '#test/support/engine.ts';
import { manage } from '#test/support/requests.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { lowCost, TestShop } from '#test/support/shop.ts';

const password = 'correct horse battery';
const passwords = createPasswords({ cost: lowCost });

describe('What becomes of a backoffice user', () => {
  let shop: TestShop;
  /** Of a process that dies as soon as a change is in the user's record. */
  let dying: UserActions;

  before(async () => {
    shop = await TestShop.open();
    const { stateStore, clock } = shop.shop.runtime;
    const tokens = createTokens(Buffer.alloc(32, 1), () => clock.now());
    dying = await createUserActions({ stateStore, clock, tokens, tokenHours: 8, passwords });
  });
  after(() => shop.close());

  const add = (email: string) => shop.admin.ask(manage.post('/users', { email, password, role: 'analyst' }));
  const historyOf = async (email: string): Promise<readonly Recorded[]> => {
    const stream = streamOf.backofficeUser(backofficeUserId(email));
    return (await eventsIn(shop)).filter((event) => event.stream === stream);
  };
  const typesOf = async (email: string) => (await historyOf(email)).map(({ type }) => type);
  const record = async () => (await shop.tester.post('/testing/jobs/record-user-changes')).body;

  it('is in the log: who did it, and no password, token or address in clear', async () => {
    const email = 'bea@shop.example';
    const { id } = (await add(email)).body;
    const change = (body: object) => shop.admin.put(`/backoffice/api/v1/users/${id}`, body);
    await change({ role: 'auditor', password: 'another long password' });
    await change({ role: 'auditor', enabled: true });
    const { token } = (await shop.admin.ask(manage.post(`/users/${id}/token`, { hours: 1 }))).body;
    await shop.admin.ask(manage.post(`/users/${id}/disable`));
    await change({ enabled: true });
    expect(await typesOf(email)).to.deep.equal([
      'BackofficeUserAdded',
      'BackofficeUserRoleChanged',
      'BackofficeUserPasswordChanged',
      'BackofficeTokenIssued',
      'BackofficeUserDisabled',
      'BackofficeUserEnabled',
    ]);
    const [added, changed] = await historyOf(email);
    expect(added?.data).to.include({ email, role: 'analyst' });
    expect(added?.metadata.actor).to.deep.equal({ kind: 'backoffice', id: 'api-key' });
    expect(changed?.data).to.include({ role: 'auditor', formerRole: 'analyst' });
    const written = (await shop.shop.runtime.store.readStream(streamOf.backofficeUser(id)))
      .map(({ data }) => data)
      .join();
    for (const secret of [email, password, 'another long password', token, 'scrypt'])
      expect(written).to.not.include(secret);
  });

  it('names the command line as the operator', async () => {
    const operator = { 'Tillroll-Operator': 'tillroll' };
    const email = 'cli@shop.example';
    await shop.admin.ask({
      ...manage.post('/users', { email, password, role: 'analyst' }),
      headers: operator,
    });
    expect((await historyOf(email))[0]?.metadata.actor).to.deep.equal({ kind: 'operator', id: 'api-key' });
  });

  it('names a caller from elsewhere as the key, whatever they claim', async () => {
    const headers = { 'Tillroll-Operator': 'tillroll', 'X-Forwarded-For': '203.0.113.7' };
    const email = 'far@shop.example';
    await shop.admin.ask({ ...manage.post('/users', { email, password, role: 'analyst' }), headers });
    expect((await historyOf(email))[0]?.metadata.actor).to.deep.equal({ kind: 'backoffice', id: 'api-key' });
  });

  it('can still be a shut-out when the log lacks a hundred changes', () => {
    const waiting = { id: newId(), changedAt: '2026-03-01T12:00:00.000Z', changes: [], by: anyMeta() };
    const before = { changes: 100, unrecorded: Array.from({ length: 100 }, () => waiting) };
    const after = (what: 'password' | 'disabled') =>
      unrecordedAfter(before, { changes: [{ what }], changedAt: waiting.changedAt }, anyMeta());
    expect(() => after('password')).to.throw(EngineUnavailable);
    expect(after('disabled').unrecorded).to.have.length(101);
  });

  it('is recorded once after a kill between the two, wherever it came', async () => {
    const email = 'dora@shop.example';
    const id = backofficeUserId(email);
    const meta = anyMeta(newId());
    const user = { email, password, role: 'admin' } as const;
    await dying.add(user, meta);
    expect(await typesOf(email)).to.deep.equal([]);
    await dying.disable(id, anyMeta());
    const { stateStore } = shop.shop.runtime;
    const left = await stateStore.get<UserRecord>(backofficeUsers, id);
    expect(await record()).to.include({ users: 1 });
    const once = ['BackofficeUserAdded', 'BackofficeUserDisabled'];
    expect(await typesOf(email)).to.deep.equal(once);
    expect((await historyOf(email))[0]?.metadata).to.include({ correlationId: meta.correlationId });
    expect(await record()).to.include({ users: 0 });
    // Killed once more, after the append and before the record says so.
    if (left) await stateStore.write([{ collection: backofficeUsers, put: left }]);
    expect(await record()).to.include({ users: 1 });
    expect(await typesOf(email)).to.deep.equal(once);
    expect(await dying.add(user, meta), 'the request comes again').to.include({ id });
  });

  it('holds while the log is away, and is recorded once it is back', async () => {
    const email = 'eve@shop.example';
    const { id } = (await add(email)).body;
    const { stateStore, clock, log } = shop.shop.runtime;
    const send = () => Promise.reject(new EngineUnavailable('away'));
    const away = await createUserActions({
      stateStore,
      clock,
      tokens: createTokens(Buffer.alloc(32, 1), () => clock.now()),
      tokenHours: 8,
      record: createRecordChanges({ streams: { send } as unknown as Streams, stateStore, log }),
    });
    expect(await away.disable(id, anyMeta())).to.include({ enabled: false });
    expect(await typesOf(email)).to.deep.equal(['BackofficeUserAdded']);
    const signIn = await shop.shopper().ask(manage.post('/sign-in', { email, password }));
    expect(signIn.status).to.equal(401);
    await record();
    expect(await typesOf(email)).to.deep.equal(['BackofficeUserAdded', 'BackofficeUserDisabled']);
  });

  it('loses no change to another one at the same moment', async () => {
    const email = 'fay@shop.example';
    const id = backofficeUserId(email);
    await dying.add({ email, password, role: 'analyst' }, anyMeta());
    await Promise.all([
      dying.change(id, { role: 'admin' }, anyMeta()),
      dying.change(id, { password }, anyMeta()),
      dying.issueToken(id, 1, anyMeta()),
    ]);
    await record();
    expect(await typesOf(email)).to.have.members([
      'BackofficeUserAdded',
      'BackofficeUserRoleChanged',
      'BackofficeUserPasswordChanged',
      'BackofficeTokenIssued',
    ]);
  });

  it('stays readable when a customer with the same address is forgotten', async () => {
    const email = 'gus@shop.example';
    await add(email);
    const { body } = await shop.admin.ask(manage.post('/customers', { email, firstName: 'Gus' }));
    const forgotten = await shop.admin.ask(manage.post(`/customers/${body.id}/forget`));
    expect(forgotten.status, forgotten.text).to.be.below(300);
    expect((await historyOf(email))[0]?.data).to.include({ email });
  });
});
