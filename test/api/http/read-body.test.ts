import { expect } from 'chai';
import express from 'express';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { Rejection } from '#kernel/rejection.ts';
import { readBody } from '#http/read-body.ts';

const jsonOf1000 = { kind: 'json', maxBytes: 1000, isRawKept: false } as const;
const plain = 'application/json';
/** Written otherwise, the same is read by the reader for whatever comes. */
const types = [
  plain,
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json; charset="utf-8"',
];

describe('a JSON body', () => {
  let server: Server;
  /** What the body said, or the code of its refusal, once for each request. */
  const read: unknown[] = [];
  /** What refusals said. */
  const said: string[] = [];

  before(async () => {
    const app = express();
    app.use(async (request, response) => {
      const found: unknown = await readBody(jsonOf1000, request, response).catch((error: unknown) => {
        said.push(String(error));
        return error instanceof Rejection ? { refused: error.code } : { error: String(error) };
      });
      read.push(found);
      response.json({ found });
    });
    server = app.listen(0);
    await once(server, 'listening');
  });
  after(() => server.close());

  const open = (headers: Readonly<Record<string, string | number>>) =>
    httpRequest({ port: (server.address() as AddressInfo).port, method: 'POST', headers });

  const send = async (type: string, ...chunks: readonly (string | Buffer)[]): Promise<unknown> => {
    const length = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk))).length;
    const asked = open({ 'Content-Type': type, 'Content-Length': length });
    for (const chunk of chunks) {
      asked.write(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return (JSON.parse(await text(response)) as { readonly found: unknown }).found;
  };

  for (const type of types)
    it(`reads the same as ${type}`, async () => {
      expect(await send(type, '{"name":"Mug","count":2}')).to.deep.equal({ name: 'Mug', count: 2 });
      const accent = Buffer.from('{"name":"Café"}');
      expect(await send(type, accent.subarray(0, 13), accent.subarray(13))).to.deep.equal({ name: 'Café' });
      expect(await send(type, '\uFEFF{"name":"Tea"}')).to.deep.equal({ name: 'Tea' });
      expect(await send(type, Buffer.from([0x22, 0xff, 0x22]))).to.equal('\uFFFD');
      expect(await send(type, 'null')).to.equal(null);
      expect(await send(type, '{"name":')).to.deep.equal({ refused: 'invalid-json' });
      expect(await send(type, ' ')).to.deep.equal({ refused: 'invalid-json' });
      expect(await send(type, `"${'x'.repeat(998)}"`)).to.equal('x'.repeat(998));
      expect(await send(type, `"${'x'.repeat(999)}"`)).to.deep.equal({ refused: 'body-too-large' });
      expect(await send(type)).to.deep.equal({});
    });

  it('is unpacked where it comes packed, and refused by name in an encoding that is unknown', async () => {
    const sendIn = async (encoding: string): Promise<unknown> => {
      const packed = gzipSync('{"name":"Mug"}');
      const told = { 'Content-Type': plain, 'Content-Length': packed.length, 'Content-Encoding': encoding };
      const asked = open(told).end(packed);
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      return (JSON.parse(await text(response)) as { readonly found: unknown }).found;
    };
    expect(await sendIn('gzip')).to.deep.equal({ name: 'Mug' });
    expect(await sendIn('compress')).to.deep.equal({ refused: 'invalid-json' });
    expect(said.at(-1)).to.include('Content-Encoding compress');
  });

  for (const type of [plain, 'Application/JSON'])
    it(`is refused where its caller leaves in the middle of it, as ${type}`, async () => {
      const before = read.length;
      const asked = open({ 'Content-Type': type, 'Content-Length': 100 });
      asked.on('error', () => undefined);
      asked.write('{"name":');
      const [received] = (await once(server, 'request')) as [IncomingMessage];
      const closed = new Promise((resolve) => received.on('close', resolve));
      asked.destroy();
      await closed;
      await new Promise((resolve) => setImmediate(resolve));
      expect(read.slice(before)).to.deep.equal([{ refused: 'invalid-json' }]);
    });
});
