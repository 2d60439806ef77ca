import { newId } from '#kernel/ids.ts';
import { sessionsPath, wanting } from '#test/support/agents/asking-agent.ts';
import { noNewEvents } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

// docs/rules/agents.md#profiles
describe('A shop that wants to know who buys', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open({ environment: { Protocol__Ucp__ProfileResolution: 'strict' } });
    await shop.sell('mug', { price: 10, stock: 5 });
  });
  after(() => shop.close());

  for (const [profile, status, code] of [
    ['https://10.0.0.7/agent.json', 424, 'profile_unreachable'],
    ['https://127.0.0.1/agent.json', 424, 'profile_unreachable'],
    ['https://[fd00::1]/agent.json', 424, 'profile_unreachable'],
    ['http://agent.example/profile', 400, 'invalid_profile_url'],
    ['an opaque name', 400, 'invalid_profile_url'],
  ] as const)
    it(`sells nothing to ${profile}`, async () => {
      const headers = { 'UCP-Agent': `profile="${profile}"`, 'Idempotency-Key': newId() };
      await shop
        .given()
        .by(shop.admin)
        .when({ method: 'POST', path: sessionsPath, body: { line_items: wanting(['mug', 1]) }, headers })
        .then(status, { code, error: code })
        .and(noNewEvents());
    });
});
