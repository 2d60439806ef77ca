import { expect } from 'chai';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Readable, Writable } from 'node:stream';
import { pino } from 'pino';
import { z } from 'zod';
import type { Caller } from '#http/callers/caller.ts';
import { anyone, ok, route, type Route } from '#http/route.ts';
import { openApi } from '#http/openapi.ts';
import type { Surface } from '#http/surfaces/surface.ts';
import { Rejection } from '#kernel/rejection.ts';
import { EngineUnavailable, StreamDamaged } from '#ports/engine-errors.ts';
import { Api } from '#test/support/api.ts';
import type { ApiResponse } from '#test/support/browser.ts';

/** A provider who signs the bytes of what they send. */
const signedWith = (secret: string): Caller => ({
  kind: 'provider',
  security: [{ signature: [] }],
  schemes: { signature: { type: 'apiKey', in: 'header', name: 'Signature' } },
  errors: ['wrong-role'],
  needsRawBody: true,
  admit: ({ header, rawBody = Buffer.alloc(0) }) => {
    const given = Buffer.from(header('signature') ?? '');
    const expected = Buffer.from(signatureOf(secret, rawBody));
    if (given.length === expected.length && timingSafeEqual(given, expected))
      return { kind: 'system', id: 'provider' };
    throw new Rejection('wrong-role', 'The signature does not fit.');
  },
});

const signatureOf = (secret: string, bytes: string | Buffer): string =>
  createHmac('sha256', secret).update(bytes).digest('hex');

const secret = 'between us';
const provider = signedWith(secret);

/** Errors, statuses and bodies unlike those of the shop. */
const hooks: Surface = {
  name: 'hooks',
  title: 'Hooks',
  mountPoints: ['/hooks/v1', '/api/v1/hooks'],
  callers: ['anyone', 'provider'],
  body: { kind: 'json', maxBytes: 1000, isRawKept: true },
  errors: {
    name: 'Fault',
    schema: z.object({ fault: z.object({ code: z.string(), text: z.string(), trace: z.string() }) }),
    write: ({ status, code, message, details, correlationId }) => ({
      ...(status === 409 ? { status: 200 } : {}),
      json: { fault: { ...details, code, text: message, trace: correlationId } },
      headers: { 'X-Fault': code },
    }),
  },
  invalidRequest: (problems) =>
    new Rejection('invalid-request', 'Not as expected.', { fields: problems.map(([path]) => path) }),
  cacheControl: 'private',
  setsCookies: false,
  positionCookie: 'shop_position',
  isFollowedAtOnce: false,
};

const forms: Surface = {
  ...hooks,
  name: 'forms',
  mountPoints: ['/forms'],
  body: { kind: 'form', maxBytes: 1000, isRawKept: false },
};

const base = {
  base: hooks,
  service: 'command',
  status: 200,
  file: 'test',
  summary: 'a test',
  caller: anyone,
} as const;
const traced = { 'X-Correlation-Id': 'trace-1' };

const chunk = Buffer.alloc(64 * 1024, 'x');

/** A source of so many chunks that counts what was taken of it. */
class Source extends Readable {
  taken = 0;
  readonly #chunks: number;
  readonly #failsAt: number | null;

  constructor(chunks: number, failsAt: number | null = null) {
    super();
    this.#chunks = chunks;
    this.#failsAt = failsAt;
  }

  override _read(): void {
    if (this.taken === this.#failsAt) this.destroy(new EngineUnavailable('internal words'));
    else if (this.taken === this.#chunks) this.push(null);
    else {
      this.taken += 1;
      this.push(chunk);
    }
  }
}

describe('A surface', () => {
  let api: Api;
  let source: Source;
  const logged: string[] = [];
  const atWork = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();

  const failures: Readonly<Record<string, () => Error>> = {
    engine: () => new EngineUnavailable('internal words'),
    defect: () => new Error('internal words'),
    damage: () => new StreamDamaged('basket-42', 'internal words'),
    conflict: () => new Rejection('conflict', 'Try again.'),
  };
  const routes: readonly Route[] = [
    route({
      ...base,
      method: 'POST',
      path: '/signed',
      caller: provider,
      schemas: { body: z.object({ paid: z.number() }) },
      handle: async ({ body, actor, rawBody }) =>
        ok({ body, actor, raw: rawBody?.toString() }, { position: 7, cookies: [{ name: 'a', value: 'b' }] }),
    }),
    route({
      ...base,
      method: 'GET',
      path: '/signed',
      caller: provider,
      handle: async ({ header }) => ok({ purpose: header('x-purpose') ?? null }),
    }),
    route({
      ...base,
      method: 'POST',
      base: forms,
      path: '/things',
      schemas: { body: z.object({ name: z.string(), tags: z.array(z.string()) }) },
      handle: async ({ body }) => ok(body),
    }),
    route({
      ...base,
      method: 'GET',
      path: '/fail/{how}',
      schemas: { params: z.object({ how: z.string() }) },
      errors: ['conflict'],
      handle: async ({ params }) => {
        throw failures[params.how]?.() ?? new TypeError(params.how);
      },
    }),
    route({
      ...base,
      method: 'GET',
      path: '/unwritable',
      handle: async () => ok({ amount: 1n }),
    }),
    route({
      ...base,
      method: 'GET',
      path: '/export',
      handle: async () => ({ status: 200, stream: source, headers: { 'Content-Type': 'text/csv' } }),
    }),
    route({
      ...base,
      method: 'GET',
      path: '/late-export',
      handle: async () => {
        atWork.resolve();
        await goOn.promise;
        return { status: 200, stream: source };
      },
    }),
  ];

  before(async () => {
    const write = (line: Buffer, _: unknown, done: () => void): void => {
      logged.push(line.toString());
      done();
    };
    api = await Api.open(routes, { log: pino({ level: 'debug' }, new Writable({ write })) });
  });
  after(() => api.close());
  beforeEach(() => {
    logged.length = 0;
  });

  const sign = (body: string, more: Readonly<Record<string, string>> = {}): Promise<ApiResponse> =>
    api.post('/hooks/v1/signed', body, { ...traced, Signature: signatureOf(secret, body), ...more });

  describe('and its callers', () => {
    it('knows a provider by a signature over the bytes as they came', async () => {
      const text = '{ "paid" :\t1.50 }';
      const { status, body, headers } = await sign(text);
      expect(status).to.equal(200);
      expect(body).to.deep.equal({
        body: { paid: 1.5 },
        actor: { kind: 'system', id: 'provider' },
        raw: text,
      });
      expect(headers.get('cache-control')).to.equal('private');
    });

    it('refuses bytes that somebody has changed, before it reads them as JSON', async () => {
      for (const bytes of ['{"paid":1.5 }', '{"paid":']) {
        const { status, body } = await sign(bytes, { Signature: signatureOf(secret, '{"paid":1.5}') });
        expect(status).to.equal(403);
        expect(body).to.deep.equal({
          fault: { code: 'wrong-role', text: 'The signature does not fit.', trace: 'trace-1' },
        });
      }
    });

    it('takes no compressed bytes where signatures count', async () => {
      const { status, text } = await sign('{"paid":1}', { 'Content-Encoding': 'gzip' });
      expect(status).to.equal(400);
      expect(text).to.include('Content-Encoding gzip');
    });

    it('knows a caller without a body too, and shows header fields to handlers', async () => {
      const headers = { Signature: signatureOf(secret, ''), 'X-Purpose': 'a look' };
      expect((await api.get('/hooks/v1/signed', headers)).body).to.deep.equal({ purpose: 'a look' });
      expect((await api.get('/hooks/v1/signed')).status).to.equal(403);
    });

    it('tells the position, and sets no cookie where it has none', async () => {
      const { headers } = await sign('{"paid":1}');
      expect(headers.get('tillroll-position')).to.equal('7');
      expect(headers.getSetCookie()).to.deep.equal([]);
    });

    it('admits no kind of caller that it does not name, nor bytes that it does not keep', async () => {
      const [signed] = routes;
      if (!signed) throw new Error('there are routes');
      const narrow = { ...signed, surface: { ...hooks, callers: ['anyone'] } };
      const forgetful = { ...signed, body: { ...hooks.body, isRawKept: false } };
      for (const wrong of [narrow, forgetful]) {
        const failure = await Api.open([wrong]).catch((error: unknown) => error);
        expect(failure).to.be.instanceOf(TypeError);
      }
    });
  });

  describe('and bodies', () => {
    const form = { ...traced, 'Content-Type': 'application/x-www-form-urlencoded' };

    it('reads forms where it says so', async () => {
      const { body } = await api.post('/forms/things', 'name=Blue+mug&tags=a&tags=%26', form);
      expect(body).to.deep.equal({ name: 'Blue mug', tags: ['a', '&'] });
    });

    it('refuses another kind of body there, and a form that lacks something', async () => {
      const other = await api.post('/forms/things', '{"name":"mug"}');
      expect(other.status).to.equal(400);
      expect(other.text).to.include('The body must be a form');
      const lacking = await api.post('/forms/things', 'name=mug', form);
      expect(lacking.body).to.deep.equal({
        fault: { code: 'invalid-request', text: 'Not as expected.', trace: 'trace-1', fields: ['tags'] },
      });
      expect((await api.post('/forms/things', `name=${'x'.repeat(1000)}`, form)).status).to.equal(413);
    });
  });

  describe('and errors of its own form', () => {
    const fault = (code: string, text: string) => ({ fault: { code, text, trace: 'trace-1' } });
    const get = (path: string) => api.get(path, traced);

    it('has them below its addresses where there is nothing, and nowhere else', async () => {
      for (const path of ['/hooks/v1/nowhere', '/hooks/v1', '/api/v1/hooks/a/b', '/forms/x']) {
        const { status, body, headers } = await get(path);
        expect(status, path).to.equal(404);
        expect(body, path).to.deep.equal(fault('not-found', 'There is nothing at this address.'));
        expect(headers.get('cache-control')).to.equal('no-store');
      }
      for (const path of ['/hooks/v10', '/api/v1/other', '/formsx'])
        expect((await get(path)).body, path).to.have.property('success', false);
    });

    it('names the methods that there are', async () => {
      const { status, headers, body } = await api.call('PUT', '/hooks/v1/signed', undefined, traced);
      expect([status, headers.get('allow')]).to.deep.equal([405, 'GET, POST']);
      expect(body).to.deep.equal(fault('method-not-allowed', 'This address answers GET, POST only.'));
    });

    it('refuses bodies that are too large, not JSON, or too deep', async () => {
      const large = await sign(JSON.stringify({ paid: 1, padding: 'x'.repeat(1000) }));
      expect([large.status, large.body]).to.deep.equal([
        413,
        fault('body-too-large', 'The body must be at most 1000 bytes.'),
      ]);
      const broken = await sign('{"paid":');
      expect([broken.status, broken.body]).to.deep.equal([
        400,
        fault('invalid-json', 'The body could not be read as JSON.'),
      ]);
      const plain = await sign('paid', { 'Content-Type': 'text/plain' });
      expect(plain.text).to.include('The body must be JSON');
      const deep = await sign(`{"a":${'['.repeat(60)}${']'.repeat(60)}}`);
      expect(deep.status).to.equal(400);
      expect(deep.body).to.have.nested.property('fault.fields').with.lengthOf(1);
    });

    it('says that the storage is away, without internals', async () => {
      const { status, headers, body, text } = await get('/hooks/v1/fail/engine');
      expect([status, headers.get('retry-after'), headers.get('x-fault')]).to.deep.equal([
        503,
        '5',
        'engine-unavailable',
      ]);
      expect(body).to.have.nested.property('fault.trace', 'trace-1');
      expect(text).not.to.include('internal words');
    });

    it('names the stream of which a part is gone, logs it as an error, and keeps it from nobody', async () => {
      api.expectsDefects = true;
      const { status, text } = await get('/hooks/v1/fail/damage');
      expect(status).to.equal(500);
      expect(text).to.include('basket-42').and.not.include('internal words');
      expect(logged.at(-1)).to.include('stream basket-42 is damaged').and.include('"level":50');
    });

    it('says of a defect nothing but the correlation id, also where an answer cannot be written', async () => {
      api.expectsDefects = true;
      for (const path of ['/hooks/v1/fail/defect', '/hooks/v1/unwritable']) {
        const { status, body, text, headers } = await get(path);
        expect(status, path).to.equal(500);
        expect(body).to.have.nested.property('fault.code', 'internal-error');
        expect(body).to.have.nested.property('fault.trace', 'trace-1');
        expect(headers.get('x-correlation-id')).to.equal('trace-1');
        expect(text).not.to.match(/internal words|BigInt|node_modules/);
        expect(logged.at(-1)).to.include('trace-1').and.include('stack');
      }
    });

    it('may answer a refusal with a status of its own', async () => {
      const { status, body } = await get('/hooks/v1/fail/conflict');
      expect([status, body]).to.deep.equal([200, fault('conflict', 'Try again.')]);
    });

    it('describes them, its callers and its bodies in OpenAPI', () => {
      const { paths, components } = openApi(routes, '1') as Record<string, Record<string, object>>;
      expect(components?.schemas).to.have.all.keys('Fault');
      expect(components?.securitySchemes).to.include.keys('signature');
      expect(paths?.['/hooks/v1/signed'])
        .to.have.nested.property('post.responses.403.content.application/json.schema.$ref')
        .that.equals('#/components/schemas/Fault');
      expect(paths?.['/forms/things']).to.have.nested.property(
        'post.requestBody.content.application/x-www-form-urlencoded',
      );
    });
  });

  describe('and streams', () => {
    const open = async (path: string, method = 'GET'): Promise<IncomingMessage> => {
      const request = httpRequest({ host: '127.0.0.1', port: api.port, path, method });
      request.end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return response;
    };

    it('go out whole, with the header fields of the route', async () => {
      source = new Source(100);
      const { status, text, headers } = await api.get('/hooks/v1/export');
      expect([status, text.length]).to.deep.equal([200, 100 * chunk.length]);
      expect(headers.get('content-type')).to.equal('text/csv');
      expect(headers.get('cache-control')).to.equal('private');
    });

    it('may be empty', async () => {
      source = new Source(0);
      const { status, text } = await api.get('/hooks/v1/export');
      expect([status, text]).to.deep.equal([200, '']);
    });

    it('wait for a caller who reads slowly: little of a large source is in memory', async () => {
      source = new Source(1000);
      const resting = once(source, 'pause');
      const response = await open('/hooks/v1/export');
      await resting;
      let received = 0;
      let onTheWay = 0;
      for await (const part of response as AsyncIterable<Buffer>) {
        received += part.length;
        onTheWay = Math.max(onTheWay, source.taken - received / chunk.length);
        await new Promise(setImmediate);
      }
      expect(received).to.equal(1000 * chunk.length);
      // What the sockets of two ends hold, which is for the operating system to say.
      expect(onTheWay).to.be.lessThan(300);
    });

    it('stop when the caller goes away, which is nobody’s error', async () => {
      source = new Source(10_000);
      const response = await open('/hooks/v1/export');
      const closed = new Promise((resolve) => source.once('close', resolve));
      response.destroy();
      await closed;
      expect(source.taken).to.be.lessThan(10_000);
      expect(logged.join('')).not.to.include('request failed');
    });

    it('stop before their first bytes too, when the caller goes away', async () => {
      source = new (class extends Source {
        override _read(): void {
          this.emit('asked');
        }
      })(1);
      const asked = once(source, 'asked');
      const request = httpRequest({ host: '127.0.0.1', port: api.port, path: '/hooks/v1/export' });
      request.on('error', () => undefined).end();
      await asked;
      const closed = new Promise((resolve) => source.once('close', resolve));
      request.destroy();
      await closed;
      expect(source.destroyed).to.equal(true);
    });

    it('are not begun for a caller who has left while the route was at work', async () => {
      source = new Source(10);
      const request = httpRequest({ host: '127.0.0.1', port: api.port, path: '/hooks/v1/late-export' });
      request.on('error', () => undefined).end();
      await atWork.promise;
      request.destroy();
      // Answered after the server has heard of it.
      await api.get('/hooks/v1/nothing');
      const closed = once(source, 'close');
      goOn.resolve();
      await closed;
      expect(source.taken).to.equal(0);
    });

    it('that have failed before anybody looked are an error like any other', async () => {
      source = new Source(10);
      source.on('error', () => undefined).destroy(new EngineUnavailable('internal words'));
      await once(source, 'close').catch(() => undefined);
      const { status, body } = await api.get('/hooks/v1/export', traced);
      expect(status).to.equal(503);
      expect(body).to.have.nested.property('fault.trace', 'trace-1');
    });

    it('are not read for HEAD', async () => {
      source = new Source(10);
      const { status, text, headers } = await api.call('HEAD', '/hooks/v1/export');
      expect([status, text, headers.get('content-type')]).to.deep.equal([200, '', 'text/csv']);
      expect(source.destroyed).to.equal(true);
      expect(source.taken).to.equal(0);
    });

    it('that fail before their first bytes are an error like any other', async () => {
      source = new Source(10, 0);
      const { status, body } = await api.get('/hooks/v1/export', traced);
      expect(status).to.equal(503);
      expect(body).to.have.nested.property('fault.trace', 'trace-1');
    });

    it('that fail later break the connection off: a part is never taken for the whole', async () => {
      source = new Source(10, 3);
      const response = await open('/hooks/v1/export');
      const read = async (): Promise<void> => {
        for await (const part of response) expect(part).to.have.property('length');
      };
      const failure = await read().catch((error: unknown) => error);
      expect(failure).to.have.property('code', 'ECONNRESET');
      expect(logged.join('')).to.include('request failed');
    });
  });
});
