import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Sender } from '#ports/sender.ts';
import { createSender } from '#runtime/send.ts';
import { flood } from '../support/flood.ts';
import { ownMilliseconds } from '../support/own-clock.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';

const cap = 64 * 1024;

const dribble = (response: ServerResponse): void => {
  const timer = setInterval(() => response.write('x'), 5);
  response.on('close', () => clearInterval(timer));
};

const behaviours: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/gigabyte': flood,
  '/byte-by-byte': (response) => {
    response.writeHead(200);
    dribble(response);
  },
  '/never': () => undefined,
  '/slow-headers': (response) => {
    const socket = response.socket;
    socket?.write('HTTP/1.1 200 OK\r\nX-Slow: ');
    const timer = setInterval(() => socket?.write('x'), 5);
    socket?.on('close', () => clearInterval(timer));
  },
  '/bomb': (response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' });
    response.end(gzipSync(Buffer.alloc(50_000_000)));
  },
  '/half': (response) => {
    response.writeHead(200, { 'Content-Length': '100' });
    response.write('half');
    setImmediate(() => response.destroy());
  },
  '/hang-up': (response) => response.destroy(),
  '/nonsense': (response) => response.socket?.end('this is not HTTP\r\n\r\n'),
  '/huge-header': (response) => {
    response.writeHead(200, { 'X-Huge': 'x'.repeat(100_000) });
    response.end();
  },
  '/other-protocol': (response) => {
    const head = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: other', '', ''];
    response.socket?.write(head.join('\r\n'));
  },
  '/gone': (response) => {
    response.writeHead(410);
    response.end();
  },
  '/busy': (response) => {
    response.writeHead(429, { 'Retry-After': '3600' });
    response.end('slow down');
  },
  '/cookies': (response) => {
    response.writeHead(200, { 'Set-Cookie': ['a=1', 'b=2'] });
    response.end();
  },
};

describe('F28: a hostile receiver', () => {
  let receiver: Receiver;
  let sender: Sender;

  before(async () => {
    receiver = await startReceiver((response, { path }) => behaviours[path]?.(response));
    const policy = { allowLoopback: true, allowPrivate: false };
    sender = createSender({ policy, resolve: () => Promise.resolve([]) });
  });
  after(async () => {
    sender.close();
    await receiver.close();
  });

  const send = (path: string, timeoutMs = 30_000) =>
    sender.send({ targetUrl: `${receiver.url}${path}`, headers: {}, body: Buffer.from('{}'), timeoutMs });

  it('that answers with a gigabyte is read for 64 KiB and left', async () => {
    const outcome = await send('/gigabyte');
    expect(outcome).to.include({ statusCode: 200, error: null });
    expect(outcome.body).to.have.length(cap);
  });

  for (const path of ['/byte-by-byte', '/never', '/slow-headers']) {
    it(`that keeps us waiting (${path}) is cut off when the time is up, end to end`, async () => {
      const took = await ownMilliseconds(async () => {
        const { error, durationMs } = await send(path, 150);
        expect(error).to.equal('Request timed out');
        expect(durationMs).to.be.at.least(140);
      });
      expect(took).to.be.below(1500);
    });
  }

  it('that answers with a bomb finds nobody to inflate it', async () => {
    const outcome = await send('/bomb');
    expect(outcome).to.include({ statusCode: 200, error: null });
    expect(outcome.body).to.match(/^\(\d+ bytes, gzip, not inflated\)$/);
  });

  const failing: readonly (readonly [path: string, status: number | null, error: RegExp])[] = [
    ['/half', 200, /closed the connection/],
    ['/hang-up', null, /closed the connection/],
    ['/nonsense', null, /not valid HTTP/],
    ['/huge-header', null, /not valid HTTP/],
  ];
  for (const [path, statusCode, error] of failing) {
    it(`that breaks the rules (${path}) has failed, and the record says how`, async () => {
      const outcome = await send(path);
      expect(outcome.statusCode).to.equal(statusCode);
      expect(outcome.error).to.match(error);
    });
  }

  it('that would go on in another protocol has answered, with a status that is no success', async () => {
    const outcome = await send('/other-protocol');
    expect(outcome).to.include({ statusCode: 101, error: null, body: null });
    expect(outcome.headers).to.include({ upgrade: 'other' });
  });

  it('is written down as it answered', async () => {
    expect(await send('/gone')).to.include({ statusCode: 410, error: null, body: '' });
    const busy = await send('/busy');
    expect(busy).to.include({ statusCode: 429, body: 'slow down' });
    expect(busy.headers).to.include({ 'retry-after': '3600' });
    expect((await send('/cookies')).headers).to.include({ 'set-cookie': 'a=1, b=2' });
  });

  it('that nobody listens for is named as such, without our addresses', async () => {
    const gone = await startReceiver();
    await gone.close();
    const outcome = await sender.send({
      targetUrl: gone.url,
      headers: {},
      body: Buffer.from('{}'),
      timeoutMs: 30_000,
    });
    expect(outcome).to.include({ statusCode: null, error: 'Connection refused' });
  });

  it('that closes a kept connection just as it is used again costs no attempt', async () => {
    const fickle = await startReceiver((response, _, count) => {
      if (count === 2) response.socket?.destroy();
      else response.end('ok');
    });
    const sendOne = () =>
      sender.send({ targetUrl: fickle.url, headers: {}, body: Buffer.from('{}'), timeoutMs: 30_000 });
    expect((await sendOne()).error).to.equal(null);
    expect((await sendOne()).error).to.equal(null);
    expect(fickle.connections()).to.equal(2);
    await fickle.close();
  });
});
