import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { agentAt, sessionsPath, wanting } from '#test/support/agents/asking-agent.ts';
import { Browser } from '#test/support/browser.ts';
import { startReceiver, type Receiver } from '#test/support/receiver.ts';
import { noNewEvents } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const PER_MINUTE = 2;
const LARGEST_PROFILE = 262_144;
const profile = JSON.stringify({ ucp: { version: '2026-04-08' } });

// docs/rules/agents.md#profiles
describe('A shop that wants to know who buys', () => {
  let shop: TestShop;
  let agents: Receiver;
  before(async () => {
    agents = await startReceiver((response, { path }) => {
      if (path === '/redirect') response.writeHead(302, { Location: `${agents.url}/good` }).end();
      else if (path === '/large') response.end(profile.padEnd(LARGEST_PROFILE + 1));
      else if (path === '/html') response.end('<!doctype html><title>Agent</title>');
      else if (path === '/list') response.end('[1]');
      else response.writeHead(404).end();
    });
    const listed = ['redirect', 'large', 'html', 'list', 'nothing'].map((name) => `${agents.url}/${name}`);
    const inside = ['https://10.0.0.7/agent.json', 'https://[fd00::1]/agent.json'];
    const malformed = ['http://agent.example/profile', 'an opaque name'];
    shop = await TestShop.open({
      environment: {
        ALLOW_LOOPBACK_TARGETS: 'true',
        Protocol__Ucp__ProfileResolution: 'strict',
        Protocol__Ucp__AllowedAgents: JSON.stringify([
          ...listed,
          ...inside,
          ...malformed,
          'of the last test',
        ]),
        Protocol__Ucp__RateLimits__UnsignedPerAddressPerMinute: String(PER_MINUTE),
      },
    });
    await shop.sell('mug', { price: 10, stock: 5 });
  });
  after(async () => {
    await shop.close();
    await agents.close();
  });

  const refuses = async (name: string, status: number, code: string) => {
    const headers = { 'UCP-Agent': `profile="${name}"`, 'Idempotency-Key': newId() };
    await shop
      .given()
      .by(new Browser(shop.base))
      .when({ method: 'POST', path: sessionsPath, body: { line_items: wanting(['mug', 1]) }, headers })
      .then(status, { code, error: code })
      .and(noNewEvents());
  };

  for (const [name, status, code] of [
    ['https://10.0.0.7/agent.json', 424, 'profile_unreachable'],
    ['https://[fd00::1]/agent.json', 424, 'profile_unreachable'],
    ['http://agent.example/profile', 400, 'invalid_profile_url'],
    ['an opaque name', 400, 'invalid_profile_url'],
  ] as const)
    it(`sells nothing to ${name}`, () => refuses(name, status, code));

  for (const [path, status, code] of [
    ['/nothing', 424, 'profile_unreachable'],
    ['/redirect', 424, 'profile_unreachable'],
    ['/large', 424, 'profile_unreachable'],
    ['/html', 422, 'profile_malformed'],
    ['/list', 422, 'profile_malformed'],
  ] as const)
    it(`sells nothing to an agent whose profile answers ${path}`, () =>
      refuses(agents.url + path, status, code));

  it('sells to listed agents only, letter by letter', async () => {
    await refuses(`${agents.url}/html/`, 403, 'profile_not_trusted');
    expect((await agentAt(shop.base).get(`${sessionsPath}/${newId()}`)).status).to.equal(403);
  });

  it('answers so many requests a minute and no more', async () => {
    const agent = new Browser(shop.base, { 'UCP-Agent': 'profile="of the last test"' });
    const answers = [];
    for (let asked = 0; asked <= PER_MINUTE; asked++)
      answers.push(await agent.get(`${sessionsPath}/${newId()}`));
    expect(answers.map(({ status }) => status)).to.deep.equal([404, 404, 429]);
    const last = answers.at(-1);
    expect(last?.body).to.include({ code: 'rate_limited', error: 'rate_limited' });
    expect(last?.headers.get('Retry-After')).to.match(/^[1-9]\d*$/);
  });
});
