import { expect } from 'chai';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { ShopProcess } from '#test/support/shop-process.ts';

const CALLERS = 60;
/** More than the kernel holds for a connection. */
const REQUESTS = 12;
const MOST_MEGABYTES = 30;

const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

describe('F46: callers who do not read', () => {
  let shop: ShopProcess;
  const callers: Socket[] = [];
  before(async () => {
    shop = await ShopProcess.open();
  });
  after(async () => {
    for (const caller of callers) caller.destroy();
    await shop.close();
  });

  const request = 'GET /openapi.json HTTP/1.1\r\nHost: shop.example\r\n\r\n';

  it('share the description of the API: sixty of them take no memory', async function () {
    if (process.platform !== 'linux') this.skip();
    const asked = (headers: Record<string, string>) => fetch(`${shop.base}/openapi.json`, { headers });
    const plain = Buffer.from(await (await asked({ 'Accept-Encoding': 'identity' })).arrayBuffer());
    expect(plain.length).to.be.above(500_000);
    const before = residentMegabytes(shop.pid);
    for (let at = 0; at < CALLERS; at++) {
      const caller = connect(shop.port, '127.0.0.1').pause();
      caller.on('error', () => undefined);
      callers.push(caller);
      await once(caller, 'connect');
      caller.write(request.repeat(REQUESTS));
    }
    // Every one of them has been answered, as far as they take it.
    expect((await fetch(`${shop.base}/health/ready`)).status).to.equal(200);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(residentMegabytes(shop.pid) - before).to.be.below(MOST_MEGABYTES);
  });

  it('is sent compressed to those who take that, and says so', async () => {
    const socket = connect(shop.port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.write(request.replace('\r\n\r\n', '\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n'));
    await once(socket, 'close');
    const answer = Buffer.concat(chunks);
    const end = answer.indexOf('\r\n\r\n');
    const head = answer.subarray(0, end).toString();
    expect(head)
      .to.match(/content-encoding: gzip/i)
      .and.to.match(/vary: accept-encoding/i);
    const { openapi } = JSON.parse(gunzipSync(answer.subarray(end + 4)).toString()) as { openapi: string };
    expect(openapi).to.match(/^3\.1/);
  });
});
