import { expect } from 'chai';
import { datedVersions } from '#test/support/agents/answer-schemas.ts';
import {
  manipulationsOf,
  signingShop,
  stageWith,
  type SignatureStage,
} from '#test/support/agents/signature-manipulations.ts';
import { sessionsPath, wanting } from '#test/support/agents/asking-agent.ts';
import { agentKey, type AgentKey } from '#test/support/agents/agent-key.ts';
import { sendAsIs, SigningAgent } from '#test/support/agents/signing-agent.ts';
import { manage } from '#test/support/requests.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import type { TestShop } from '#test/support/shop.ts';

// docs/rules/agent-signatures.md
describe('A shop that takes signed requests only', () => {
  let shop: TestShop;
  before(async () => {
    shop = await signingShop();
  });
  after(() => shop.close());

  for (const version of datedVersions) {
    describe(`asked in ${version}`, () => {
      let stage: SignatureStage;
      before(async () => {
        stage = stageWith(shop.base, await SigningAgent.start(version));
      });
      after(() => stage.agent.close());

      for (const [title, rows] of manipulationsOf[version])
        for (const { what, is, send } of rows)
          it(`${is === null ? 'takes' : `answers ${is} to`} ${title}: ${what}`, async () => {
            const { status, body } = await sendAsIs(shop.base, send(stage));
            expect(is === null ? status : body.code, JSON.stringify(body)).to.equal(is ?? 201);
          });

      it('has written nothing for what it refused, and fetched a profile once more for unknown keys', async () => {
        const before = (await eventsIn(shop)).length;
        const refused = manipulationsOf[version].flatMap(([, rows]) => rows.filter(({ is }) => is !== null));
        for (const { send } of refused) await sendAsIs(shop.base, send(stage));
        expect((await eventsIn(shop)).length).to.equal(before);
        expect(stage.agent.fetches).to.equal(2);
      });
    });
  }

  it('lets staff try out a purchase all the same, signed with the keys of its test agents', async () => {
    const tryOut = async (step: string, asked: object) =>
      (await shop.admin.ask(manage.post(`/ucp-test/${step}`, { agentId: 'trial', ...asked }))).body;
    const request = { line_items: wanting(['mug', 1]) };
    const begun = await tryOut('sessions/create', { request });
    expect(begun).to.include({ success: true, errorCode: null });
    const { sessionId } = begun;
    expect(await tryOut('sessions/get', { sessionId })).to.include({ success: true, sessionId });
    expect(await tryOut('sessions/cancel', { sessionId })).to.include({ success: true, status: 'canceled' });
  });

  it('takes a new key as soon as its agent publishes it, and no longer the one before', async () => {
    const agent = await SigningAgent.start();
    const next = agentKey('agent-key-2');
    const ask = async (key: AgentKey) => {
      const request = agent.request('POST', sessionsPath, { line_items: wanting(['mug', 1]) });
      const { status, body } = await sendAsIs(shop.base, agent.signed(shop.base, request, { key }));
      return status === 201 ? status : body.code;
    };
    const before = await ask(agent.key);
    agent.keys = [next.published];
    expect([before, await ask(next), await ask(agent.key)]).to.deep.equal([201, 201, 'key_not_found']);
    await agent.close();
  });
});
