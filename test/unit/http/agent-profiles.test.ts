import { expect } from 'chai';
import type { AgentProfile } from '#agents/agent-profile.ts';
import { createAgentProfiles, MOST_PROFILE_BYTES } from '#http/agent-profiles.ts';
import type { SendOutcome } from '#ports/sender.ts';
import { createSender } from '#runtime/send.ts';
import { spyOnSockets, startReceiver, type Receiver } from '#test/support/receiver.ts';

const baseUrl = 'https://shop.example';
const uri = 'https://agent.example/.well-known/ucp';
const document = JSON.stringify({ ucp: { version: '2026-04-08' }, signing_keys: [] });
const outcome: SendOutcome = { statusCode: 200, headers: {}, body: document, durationMs: 1, error: null };

const opened = ({ perMinute = 0, size = 500, allowLoopback = false } = {}) => {
  const asked: string[] = [];
  const time = { now: 0 };
  const answer = { outcome };
  const profiles = createAgentProfiles({
    sender: {
      send: ({ targetUrl }) => {
        asked.push(targetUrl);
        return Promise.resolve(answer.outcome);
      },
    },
    now: () => time.now,
    ucp: {
      profileFetchTimeoutMs: 3000,
      profileCacheSeconds: 300,
      profileCacheSize: size,
      rateLimits: { profileFetchesPerMinute: perMinute },
    },
    allowLoopback,
    ownAgent: (own) => (own.endsWith('/ada') ? ({ uri: own, name: 'Test agent ada' } as AgentProfile) : null),
  });
  const reasonOf = async (address: string, ip = '') => {
    const found = await profiles.resolve(address, baseUrl, ip);
    return found.kind === 'resolved' ? 'resolved' : found.reason;
  };
  return { profiles, asked, time, answer, reasonOf };
};

describe('profiles of agents (docs/rules/agents.md#profiles)', () => {
  it('are fetched once, by however many at once, and again after five minutes', async () => {
    const { reasonOf, asked, time } = opened();
    expect(await Promise.all([reasonOf(uri), reasonOf(uri)])).to.deep.equal(['resolved', 'resolved']);
    time.now = 299_999;
    await reasonOf(uri);
    expect(asked).to.deep.equal([uri]);
    time.now = 300_000;
    await reasonOf(uri);
    expect(asked).to.have.lengthOf(2);
  });

  it('that cannot be had are asked for again after half a minute', async () => {
    const { reasonOf, asked, time, answer } = opened();
    answer.outcome = { ...outcome, statusCode: 500 };
    expect(await reasonOf(uri)).to.equal('unreachable');
    answer.outcome = outcome;
    time.now = 29_999;
    expect(await reasonOf(uri)).to.equal('unreachable');
    expect(asked).to.have.lengthOf(1);
    time.now = 30_000;
    expect(await reasonOf(uri)).to.equal('resolved');
  });

  it('are kept up to a number: the one that was used longest ago goes', async () => {
    const { reasonOf, asked } = opened({ size: 2 });
    for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await reasonOf(`${uri}/${name}`);
    expect(asked.map((address) => address.at(-1)).join('')).to.equal('abcb');
  });

  it('are fetched so often in a minute and no more; those that are known are not counted', async () => {
    const { profiles, reasonOf, asked, time } = opened({ perMinute: 2 });
    time.now = 1000;
    for (const name of ['a', 'b', 'a']) await reasonOf(`${uri}/${name}`);
    expect(await profiles.resolve(`${uri}/c`, baseUrl, '')).to.deep.include({
      reason: 'too-many',
      retryAfterSeconds: 60,
    });
    expect(asked).to.have.lengthOf(2);
    time.now = 61_000;
    expect(await reasonOf(`${uri}/c`)).to.equal('resolved');
  });

  it('are fetched for one address up to a quarter of those of a minute: it leaves some to others', async () => {
    const { reasonOf, asked } = opened({ perMinute: 8 });
    for (const name of ['a', 'b'])
      expect(await reasonOf(`${uri}/${name}`, '203.0.113.7')).to.equal('resolved');
    expect(await reasonOf(`${uri}/c`, '203.0.113.7')).to.equal('too-many');
    expect(await reasonOf(`${uri}/c`, '198.51.100.4')).to.equal('resolved');
    expect(asked).to.have.lengthOf(3);
  });

  it('that were known stay so while strangers use up the fetches', async () => {
    const { reasonOf, time } = opened({ perMinute: 1 });
    await reasonOf(uri);
    time.now = 300_000;
    expect(await reasonOf(`${uri}/stranger`)).to.equal('resolved');
    expect(await reasonOf(uri)).to.equal('resolved');
  });

  it('that were good an hour ago or less outlast fetches that fail', async () => {
    const { reasonOf, asked, time, answer } = opened();
    await reasonOf(uri);
    answer.outcome = { ...outcome, statusCode: 500 };
    time.now = 300_000;
    expect([await reasonOf(uri), await reasonOf(uri)]).to.deep.equal(['resolved', 'resolved']);
    expect(asked).to.have.lengthOf(2);
    time.now = 3_599_999;
    expect(await reasonOf(uri)).to.equal('resolved');
    time.now = 3_630_000;
    expect(await reasonOf(uri)).to.equal('unreachable');
  });

  it('are refreshed for an unknown key, once a minute for an origin', async () => {
    const { profiles, reasonOf, asked, time } = opened();
    await reasonOf(uri);
    await profiles.refresh(uri, baseUrl, '');
    await profiles.refresh(uri, baseUrl, '');
    expect(asked).to.have.lengthOf(2);
    time.now = 60_000;
    await profiles.refresh(uri, baseUrl, '');
    expect(asked).to.have.lengthOf(3);
  });

  it('are refreshed for others though a stranger, who may fetch no more, keeps asking', async () => {
    const { profiles, reasonOf, asked } = opened({ perMinute: 4 });
    await reasonOf(uri);
    await reasonOf(`${uri}/stranger`, '203.0.113.7');
    await profiles.refresh(uri, baseUrl, '203.0.113.7');
    expect(asked).to.have.lengthOf(2);
    await profiles.refresh(uri, baseUrl, '198.51.100.4');
    expect(asked.slice(2)).to.deep.equal([uri]);
  });

  it('of the shop itself are had without a connection', async () => {
    const { profiles, asked } = opened();
    const own = `${baseUrl}/.well-known/ucp-test-agent/ada`;
    expect(await profiles.resolve(own, baseUrl, '')).to.deep.include({ kind: 'resolved' });
    for (const other of [`${baseUrl}/.well-known/ucp-test-agent/bob`, `${baseUrl}/elsewhere`])
      expect(await profiles.resolve(other, baseUrl, '')).to.deep.include({ reason: 'unreachable' });
    expect(asked).to.deep.equal([]);
  });

  it('stand at https addresses, and at http ones of this machine where that is allowed', async () => {
    const strict = opened();
    const others = ['agent', '/ucp', 'ftp://agent.example', 'http://agent.example', 'http://localhost:8080'];
    for (const address of [...others, 'https://me:secret@agent.example'])
      expect(await strict.reasonOf(address), address).to.equal('malformed-address');
    expect(strict.asked).to.deep.equal([]);
    const lax = opened({ allowLoopback: true });
    expect(await lax.reasonOf('http://localhost:8080')).to.equal('resolved');
    expect(await lax.reasonOf('http://agent.example')).to.equal('malformed-address');
  });
});

describe('an agent whose profile is not what it should be', () => {
  let receiver: Receiver;
  const sockets = { stop: (): void => undefined };
  const at: Record<
    string,
    (response: Parameters<NonNullable<Parameters<typeof startReceiver>[0]>>[0]) => void
  > = {
    '/good': (response) => response.end(document),
    '/redirect': (response) => response.writeHead(302, { Location: receiver.url + '/good' }).end(),
    '/html': (response) => response.end('<!doctype html><title>Agent</title>'),
    '/list': (response) => response.end('{"ucp":[]}'),
    '/largest': (response) => response.end(document.padEnd(MOST_PROFILE_BYTES)),
    '/large': (response) => response.end(document.padEnd(MOST_PROFILE_BYTES + 1)),
    '/silent': () => undefined,
  };
  const sender = createSender({
    policy: { allowLoopback: true, allowPrivate: false },
    resolve: () => Promise.resolve(['10.0.0.1']),
    maxResponseBytes: MOST_PROFILE_BYTES + 1,
  });
  before(async () => {
    receiver = await startReceiver((response, { path }) => at[path]?.(response));
  });
  after(async () => {
    sockets.stop();
    sender.close();
    await receiver.close();
  });
  const resolve = (address: string, allowLoopback = true, profileFetchTimeoutMs = 3000) =>
    createAgentProfiles({
      sender,
      now: () => 0,
      ucp: {
        profileFetchTimeoutMs,
        profileCacheSeconds: 300,
        profileCacheSize: 10,
        rateLimits: { profileFetchesPerMinute: 0 },
      },
      allowLoopback,
      ownAgent: () => null,
    }).resolve(address, baseUrl, '');

  for (const [path, expected] of [
    ['/good', { kind: 'resolved' }],
    ['/largest', { kind: 'resolved' }],
    ['/redirect', { reason: 'unreachable', message: /302/ }],
    ['/large', { reason: 'unreachable', message: /larger than 262144 bytes/ }],
    ['/html', { reason: 'malformed', message: /not JSON/ }],
    ['/list', { reason: 'malformed', message: /ucp: must be an object/ }],
  ] as const)
    it(`answers ${path}`, async () => {
      const { message, ...plain } = { message: undefined, ...expected };
      const found = await resolve(receiver.url + path);
      expect(found).to.deep.include(plain);
      if (message) expect(found.kind === 'unresolved' && found.message).to.match(message);
    });

  it('is given up when nothing comes', async () => {
    const found = await resolve(`${receiver.url}/silent`, true, 20);
    expect(found).to.deep.include({ reason: 'unreachable' });
  });

  it('is not called inside our own network, and not told why', async () => {
    const spy = spyOnSockets();
    sockets.stop = () => spy.stop();
    for (const address of ['https://agent.example', 'https://10.1.2.3', 'https://169.254.169.254/ucp']) {
      const found = await resolve(address);
      expect(found).to.deep.include({ reason: 'unreachable' });
      expect(found.kind === 'unresolved' && found.message).to.equal(
        'The profile of the agent cannot be read: its address is not public.',
      );
    }
    expect(spy.opened()).to.equal(0);
  });
});
