import { defaultStoreSettings } from '#values/store-settings.ts';
import { expect } from 'chai';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { pino } from 'pino';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createCrossOrigin } from '#http/cross-origin.ts';
import { createHttpApplication } from '#http/http-application.ts';
import { listen, type HttpServer } from '#http/server.ts';
import { startingApp } from '#http/starting.ts';
import { isFromThisMachine } from '#http/this-machine.ts';
import { loadConfig } from '#runtime/config.ts';

const reason = 'no answer from mongodb://documents.example:27017';
const apiKey = 'a-key-of-the-backoffice';
const key = Buffer.alloc(32);
const throughGateway = { 'X-Forwarded-For': '203.0.113.9' };

/** What is asked of a process, word for word: fetch would put the address right first. */
const askRaw = async (port: number, target: string): Promise<number> => {
  const socket = connect(port, '127.0.0.1');
  socket.end(`GET ${target} HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const part of socket) text += String(part);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
};

describe('Health and figures', () => {
  let server: HttpServer;
  let isOpen: boolean;
  let isEngineThere: boolean;

  before(async () => {
    const { app, readiness } = createHttpApplication({
      service: 'command',
      parts: [],
      config: loadConfig({ env: { TESTING_SECRET: 'the-secret-of-tests' } }),
      keys: {
        applicationKey: key,
        backofficeApiKey: apiKey,
        tokenKey: key,
        memberTokenKey: key,
        isApiKeyNew: false,
      },
      settings: () => defaultStoreSettings,
      stateStore: createMemoryDocumentStore(),
      idempotency: null,
      opensBasket: null,
      clock: { now: () => 0, advance: async () => {} },
      head: async () => 0,
      reference: { whenReached: async () => {}, isWrittenElsewhere: false, took: () => 0 },
      jobs: [],
      runJob: async () => null,
      others: null,
      traffic: { answered: () => {} },
      version: '1.0.0',
      log: pino({ enabled: false }),
    });
    readiness.add({ name: 'store', isOwn: true, check: () => (isOpen ? null : 'being opened') });
    readiness.add({ name: 'engine', check: () => (isEngineThere ? null : reason) });
    server = await listen(app, 0, '127.0.0.1');
  });
  beforeEach(() => {
    isOpen = true;
    isEngineThere = true;
  });
  after(() => server.stop());

  const ready = async (headers: Record<string, string> = {}, query = '') => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/health/ready${query}`, { headers });
    return { status: answer.status, body: await answer.json() };
  };

  it('tell strangers whether, and those on this machine or with a key why not', async () => {
    expect(await ready(throughGateway)).to.deep.equal({ status: 200, body: { status: 'ready' } });
    isEngineThere = false;
    const whether = { status: 503, body: { status: 'not ready' } };
    const why = { status: 503, body: { status: 'not ready', reasons: [{ name: 'engine', reason }] } };
    expect(await ready()).to.deep.equal(why);
    expect(await ready(throughGateway)).to.deep.equal(whether);
    expect(await ready({ ...throughGateway, Authorization: `Bearer ${apiKey}` })).to.deep.equal(why);
    expect(await ready({ ...throughGateway, Authorization: 'Bearer guessed' })).to.deep.equal(whether);
  });

  it('tell a gateway whether this process is open, whatever is away for everybody', async () => {
    isEngineThere = false;
    expect((await ready({}, '?scope=process')).status).to.equal(200);
    isOpen = false;
    expect((await ready({}, '?scope=process')).body).to.deep.equal({
      status: 'not ready',
      reasons: [{ name: 'store', reason: 'being opened' }],
    });
    expect((await ready({}, '?scope=everything')).status).to.equal(400);
  });

  it('are at their own address and at no other spelling of it, as test endpoints are', async () => {
    const open = ['/metrics', '/metrics/', '/metrics?x=1'];
    for (const target of open) expect(await askRaw(server.port, target), target).to.equal(200);
    const odd = [
      '//metrics',
      '/METRICS',
      '/%6detrics',
      '/metrics%2f',
      '/metrics//',
      '/./metrics',
      '/x/../metrics',
      '/metrics;x',
      '/metrics%00',
      '/metrics%3fx',
      '/metrics/x',
      'http://shop.example/metrics',
      '/Testing/settle',
      '//testing/settle',
      '/testing//settle',
      '/%74esting/settle',
      '/api/../testing/settle',
    ];
    for (const target of odd) expect(await askRaw(server.port, target), target).to.equal(404);
  });
});

describe('A process that is being opened', () => {
  let server: HttpServer;
  before(async () => {
    const app = startingApp({
      reason: () => reason,
      isApiKey: (credential) => credential === apiKey,
      crossOrigin: createCrossOrigin(['https://window.example'], null),
    });
    server = await listen(app, 0, '127.0.0.1');
  });
  after(() => server.stop());

  const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${server.port}${path}`, init);

  it('says of every request that nothing was done, so that another one may have it', async () => {
    const answer = await ask('/api/shop/storefront/basket/add', { method: 'POST', body: '{}' });
    expect(answer.status).to.equal(503);
    expect(answer.headers.get('tillroll-not-begun')).to.equal('true');
    expect(answer.headers.get('retry-after')).to.equal('1');
  });

  it('lets a storefront on an allowed origin read that', async () => {
    const path = '/api/shop/storefront/basket';
    const asked = async (origin: string) => {
      const { headers } = await ask(path, { headers: { Origin: origin } });
      return headers.get('access-control-allow-origin');
    };
    expect(await asked('https://window.example')).to.equal('https://window.example');
    expect(await asked('https://evil.example')).to.equal(null);
  });

  it('lives, is not ready, and tells why to nobody outside', async () => {
    expect((await ask('/health/live')).status).to.equal(200);
    const why = { status: 'not ready', reasons: [{ name: 'start', reason }] };
    const asked = async (headers: Record<string, string>, query = '') => {
      const answer = await ask(`/health/ready${query}`, { headers });
      expect(answer.status).to.equal(503);
      return answer.json();
    };
    expect(await asked({})).to.deep.equal(why);
    expect(await asked(throughGateway, '?scope=process')).to.deep.equal({ status: 'not ready' });
    expect(await asked({ ...throughGateway, Authorization: `Bearer ${apiKey}` })).to.deep.equal(why);
  });
});

describe('A request from this machine', () => {
  const from = (remoteAddress: string, headers: IncomingHttpHeaders): boolean =>
    isFromThisMachine({ socket: { remoteAddress } as IncomingMessage['socket'], headers });
  const here = { host: 'localhost:4000' };

  it('comes over the loopback interface and asks for an address of it', () => {
    for (const address of ['127.0.0.1', '127.0.0.53', '::1', '::ffff:127.0.0.1'])
      for (const host of ['localhost', 'LOCALHOST:4000', '127.0.0.1:4000', '[::1]:4000'])
        expect(from(address, { host }), `${address} ${host}`).to.equal(true);
  });

  it('is no other: not of a private network, through a proxy, or for a name of somebody else', () => {
    for (const address of [
      '',
      '10.0.0.1',
      '172.17.0.1',
      '192.168.1.2',
      '::ffff:10.0.0.1',
      'fd00::1',
      '203.0.113.9',
    ])
      expect(from(address, here), address).to.equal(false);
    for (const name of [
      'forwarded',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
      'x-real-ip',
      'via',
    ])
      expect(from('127.0.0.1', { ...here, [name]: '127.0.0.1' }), name).to.equal(false);
    for (const host of ['shop.example', 'localhost.shop.example', '127.0.0.1.shop.example', ''])
      expect(from('127.0.0.1', { host }), host).to.equal(false);
  });
});
