import { expect } from 'chai';
import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { Response } from 'express';
import { Api } from '#test/support/api.ts';
import { DownloadShop, linksOf } from '#test/support/download-shop.ts';
import { sendFile, sendReply, sendStream, takeCharge } from '#http/send-reply.ts';
import { downloads } from '#http/surfaces/downloads.ts';

const MEGABYTE = 1024 * 1024;

// docs/rules/downloads.md#files
describe('a reader of a download who stops reading', () => {
  const sending = {
    surface: downloads,
    correlationId: 'slow',
    isSecure: false,
    crossOrigin: null,
    cacheControl: 'no-store',
    baskets: Api.baskets,
    referenceTook: Infinity,
  };
  /** Somebody who asks, is answered so, and reads nothing of it. */
  const stall = async (answer: (response: Response) => Promise<void>): Promise<void> => {
    const ended = Promise.withResolvers<void>();
    const server = createServer((_, response) => {
      answer(response as Response).then(ended.resolve, ended.reject);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const request = httpGet({ port, host: '127.0.0.1' }).on('error', () => undefined);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.on('error', () => undefined).pause();
    await ended.promise;
    request.destroy();
    server.close();
  };

  it('is let go, and the file that was open for them is closed', async () => {
    let isClosed = false;
    const film = {
      bytes: 1024 * MEGABYTE,
      read: (into: Buffer) => Promise.resolve(into.length),
      close: async () => void (isClosed = true),
    };
    await stall((response) => sendFile(response, film, { status: 200 }, sending, 50));
    expect(isClosed).to.equal(true);
  });

  it('is let go where something else is streamed to them', async () => {
    const endless = new Readable({ read: (size) => void endless.push(Buffer.alloc(size)) });
    takeCharge(endless);
    await stall((response) => sendStream(response, endless, { status: 200 }, sending, 50));
    expect(endless.destroyed).to.equal(true);
  });

  it('is let go where the answer is one text', async () => {
    await stall(async (response) => {
      sendReply(response, { status: 200, text: 'x'.repeat(64 * MEGABYTE) }, sending, 50);
      await once(response, 'close');
      expect(response.writableFinished).to.equal(false);
    });
  });

  it('holds sixteen files open at most, and none once they have gone', async () => {
    const files = await DownloadShop.open();
    files.store('film.mp4', Buffer.alloc(20 * MEGABYTE));
    const buyer = await files.bought(await files.sell({ files: ['film.mp4'] }));
    const [{ downloadUrl }] = await linksOf(buyer);
    const Cookie = [...buyer.customer.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const open = async (): Promise<IncomingMessage> => {
      const request = httpGet(files.shop.base + downloadUrl, { headers: { Cookie }, agent: false });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return response.pause();
    };
    const readers = await Promise.all(Array.from({ length: 16 }, open));
    expect(readers.map(({ statusCode }) => statusCode)).to.deep.equal(Array(16).fill(200));
    const more = await buyer.customer.get(downloadUrl);
    expect([more.status, more.headers.get('retry-after')]).to.deep.equal([429, '1']);
    expect((await linksOf(buyer))[0].downloadCount).to.equal(16);
    for (const reader of readers) reader.destroy();
    let again = await buyer.customer.get(downloadUrl, { Range: 'bytes=1-2' });
    while (again.status === 429) again = await buyer.customer.get(downloadUrl, { Range: 'bytes=1-2' });
    expect(again.status).to.equal(206);
    await files.close();
  });
});
