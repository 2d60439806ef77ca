import { expect } from 'chai';
import { CHECKOUT_SCOPE } from '#agents/access-tokens.ts';
import {
  answerIn,
  authorization,
  LinkingClient,
  LinkingMember,
  linkingEnvironment,
  newVerifier,
  pia,
} from '#test/support/agents/linking.ts';
import { openMemberShop, type MemberShop } from '#test/support/member-shop.ts';

const email = 'ada@example.com';

describe('linking an agent to an account (docs/rules/identity-linking.md)', () => {
  let opened: MemberShop;
  let ada: LinkingMember;
  let agent: LinkingClient;
  before(async () => {
    opened = await openMemberShop({ environment: linkingEnvironment });
    agent = new LinkingClient(opened.shop.base, pia);
    ada = new LinkingMember(opened.shop.base);
    await ada.signUp(email);
  });
  after(() => opened.close());

  it('goes from the page of the agent to the shop, and back with a code that buys tokens', async () => {
    const verifier = newVerifier();
    const page = await ada.open(authorization(pia, verifier));
    expect(page.status).to.equal(200);
    const back = await ada.press(page, 'allow');
    expect(back.status).to.equal(303);
    expect(back.headers.get('location')).to.match(/^https:\/\/pia\.example\/linked\?/);
    const { code, ...rest } = answerIn(back);
    expect(rest).to.deep.equal({ state: 'xyz', iss: opened.shop.base });
    const { status, body } = await agent.redeem(code ?? '', verifier);
    expect(status).to.equal(200);
    expect(body).to.deep.include({ token_type: 'Bearer', expires_in: 3600, scope: CHECKOUT_SCOPE });
    const again = await agent.refresh(body.refresh_token);
    expect(again.status).to.equal(200);
    expect(again.body.refresh_token).not.to.equal(body.refresh_token);
  });
});
