import { expect } from 'chai';
import jsonwebtoken from 'jsonwebtoken';
import {
  LinkingClient,
  LinkingMember,
  linkingEnvironment,
  newVerifier,
  pia,
} from '#test/support/agents/linking.ts';
import { newId } from '#kernel/ids.ts';
import { Browser, type ApiResponse } from '#test/support/browser.ts';
import { manage } from '#test/support/requests.ts';
import { goodPassword } from '#test/support/member-shop.ts';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';

const isRefused = ({ status, body }: ApiResponse): boolean =>
  status === 400 && body.error === 'invalid_grant';

/** docs/rules/identity-linking.md#codes, #refresh-tokens and #access-tokens */
describe('Two replicas that link agents', () => {
  const memory = sharedMemory();
  let shop: DistributedShop;
  let ada: LinkingMember;
  let one: LinkingClient;
  let other: LinkingClient;
  before(async () => {
    const environment = { ...linkingEnvironment, Storefront__trustedProxies: '1' };
    shop = await DistributedShop.open({ engines: memory.open, replicas: { command: 2 }, environment });
    const [first, second] = shop.replicas('command').map(({ at }) => new LinkingClient(at.base, pia));
    if (!first || !second) throw new Error('there are not two');
    [one, other] = [first, second];
    ada = new LinkingMember(one.base);
    await ada.signUp('ada@example.com');
  });
  after(() => shop.close());

  it('sell a code once: the one that comes second, a moment before the first is done, ends it all', async () => {
    const verifier = newVerifier();
    const code = await ada.consent(pia, verifier);
    let faster: ApiResponse | undefined;
    memory.log.runBefore(
      'append',
      (stream) => stream.startsWith('agentLinks-'),
      async () => {
        faster = await other.redeem(code, verifier);
      },
    );
    expect(isRefused(await one.redeem(code, verifier))).to.equal(true);
    expect(faster?.status).to.equal(200);
    expect(isRefused(await one.refresh(faster?.body.refresh_token))).to.equal(true);
  });

  it('exchange a refresh token once, and end its family when both are asked', async () => {
    const { refresh_token: token } = await one.link(ada);
    const answers = await Promise.all([one.refresh(token), other.refresh(token)]);
    const [good, ...more] = answers.filter(({ status }) => status === 200);
    expect(good, 'one of them').not.to.equal(undefined);
    expect(more).to.deep.equal([]);
    expect(answers.filter(isRefused)).to.have.lengthOf(1);
    for (const client of [one, other])
      expect(isRefused(await client.refresh(good?.body.refresh_token))).to.equal(true);
  });

  it('both know what was given back at one of them, and so does the service that shows orders', async () => {
    const tokens = await one.link(ada);
    const { grant_id: grantId } = jsonwebtoken.decode(tokens.access_token, { json: true }) ?? {};
    const known = () =>
      shop.replicas('command').map(({ runtime }) => runtime.reference.agentLinks.hasEnded(grantId));
    const [orders] = shop.replicas('projection');
    const agent = new Browser(orders?.at.base ?? '', {
      'UCP-Agent': `profile="${pia.profileUri}"`,
      Authorization: `Bearer ${tokens.access_token}`,
    });
    const shown = async () => (await agent.get(`/api/v1/orders/${newId()}`)).status;
    expect([await shown(), ...known()]).to.deep.equal([404, false, false]);
    expect((await one.revoke(tokens.refresh_token)).status).to.equal(200);
    expect(known()[0]).to.equal(true);
    await shop.settle();
    expect([await shown(), ...known()]).to.deep.equal([401, true, true]);
  });

  it('both shut out a client that is disabled at one of them, within a second', async () => {
    const tokens = await one.link(ada);
    const verifier = newVerifier();
    const code = await ada.consent(pia, verifier);
    const [, second] = shop.replicas('command');
    const agent = new Browser(second?.at.base ?? '', {
      'UCP-Agent': `profile="${pia.profileUri}"`,
      Authorization: `Bearer ${tokens.access_token}`,
    });
    const asked = async () => (await agent.get(`/api/v1/carts/${newId()}`)).status;
    expect(await asked()).to.equal(404);
    const change = (what: string, body: object) =>
      shop.admin.ask(manage.post(`/agent-clients/pia/${what}`, body));
    expect((await change('disable', { reason: 'a leak' })).status).to.equal(200);
    const deadline = Date.now() + 1000;
    while ((await asked()) !== 401) expect(Date.now(), 'a second has passed').to.be.lessThan(deadline);
    expect((await other.refresh(tokens.refresh_token)).body.error).to.equal('invalid_client');
    expect((await change('enable', {})).status).to.equal(200);
    await shop.settle();
    expect(await asked()).to.equal(401);
    for (const client of [one, other]) {
      expect(isRefused(await client.redeem(code, verifier))).to.equal(true);
      expect(isRefused(await client.refresh(tokens.refresh_token))).to.equal(true);
    }
  });

  it('sell no code to a client that is disabled at the other before this one has heard of it', async () => {
    const verifier = newVerifier();
    const code = await ada.consent(pia, verifier);
    memory.log.runBefore(
      'append',
      (stream) => stream.startsWith('agentLinks-'),
      async () => {
        for (const what of ['disable', 'enable'])
          await shop.admin.ask(manage.post(`/agent-clients/pia/${what}`, { reason: 'a leak' }));
      },
    );
    const { body } = await one.redeem(code, verifier);
    await shop.settle();
    expect(isRefused(await one.refresh(body.refresh_token))).to.equal(true);
    const agent = new Browser(one.base, {
      'UCP-Agent': `profile="${pia.profileUri}"`,
      Authorization: `Bearer ${body.access_token}`,
    });
    expect((await agent.get(`/api/v1/carts/${newId()}`)).status).to.equal(401);
  });

  it('end a link that comes a moment after the password was changed with which it was agreed to', async () => {
    const verifier = newVerifier();
    const code = await ada.consent(pia, verifier);
    const elsewhere = new LinkingMember(other.base);
    const change = { currentPassword: goodPassword, newPassword: 'another good one' };
    memory.log.runBefore(
      'append',
      (stream) => stream.startsWith('agentLinks-'),
      async () => {
        await elsewhere.signIn('ada@example.com');
        expect((await elsewhere.account('PUT', '/password', change)).status).to.equal(200);
      },
    );
    expect(isRefused(await one.redeem(code, verifier))).to.equal(true);
    const last = (await memory.log.readAll(0, 10_000)).findLast(({ type }) => type.startsWith('Agent'));
    expect([last?.type, last?.data]).to.satisfy(
      ([type, data]: string[]) => type === 'AgentUnlinked' && data?.includes('"password-changed"'),
    );
  });
});
