import { expect } from 'chai';
import { z } from 'zod';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { UCP, type AdapterPart, type ProtocolRequest } from '#agents/commerce-protocol.ts';
import { createProtocolManager } from '#agents/protocol-manager.ts';
import type { Forms } from '#agents/dialects.ts';
import { agentRoutes } from '#http/agent-route.ts';
import { openApi } from '#http/openapi.ts';
import { agent, browsingAgent, knownAgent, payingAgent, type Route } from '#http/route.ts';
import { newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { createIdempotency } from '#command/engine/idempotency.ts';
import { agentStepWith, protocolWith } from '#test/support/agent-step.ts';
import { Api } from '#test/support/api.ts';
import { plainCipher, plainTexts } from '#test/support/plain-cipher.ts';
import { TestShop } from '#test/support/shop.ts';

// docs/rules/agents.md: the surface, with an adapter that keeps notes instead of carts.

interface Note {
  readonly id: string;
  readonly text: string;
}

const noteForms: Forms<Note> = {
  '2026-04-08': ({ id, text }, { version }) => ({ ucp: { version }, id, text }),
  draft: ({ id, text }, { version }) => ({ ucp: { version }, id, text }),
  '2026-01-11': ({ id, text }, { version }) => ({ ucp: { version }, id, older: text }),
};

const noteBody = z.object({ text: z.string(), lines: z.array(z.object({ quantity: z.int() })).default([]) });
type NoteBody = z.output<typeof noteBody>;

interface NotesAdapter {
  readonly base: string;
  readonly create: (body: NoteBody, request: ProtocolRequest) => Promise<Note>;
}

const settings = protocolWith();
const { ask } = agentRoutes(settings);
const common = {
  service: 'command',
  file: 'test',
  summary: 'a note',
  response: z.object({}),
  forms: noteForms,
} as const;

/** What an adapter is reached by: a second one needs nothing of the first. */
const routesOf = ({ base, create }: NotesAdapter): readonly Route[] => [
  ask({
    ...common,
    method: 'POST',
    path: base,
    caller: knownAgent,
    body: noteBody,
    status: 201,
    errors: ['out_of_stock'],
    handle: async (request) => ({
      httpStatus: 201,
      dialect: request.agent.dialect,
      result: await create(request.body, request),
    }),
  }),
  ask({
    ...common,
    method: 'PUT',
    path: `${base}/{id}`,
    caller: agent,
    body: noteBody,
    // Notes whose id begins with `old` were begun in the older version.
    ownDialect: async (_, id) => (id.startsWith('old') ? '2026-01-11' : null),
    handle: () => Promise.reject(new Rejection('not_found', 'There is no such note.')),
  }),
  ask({
    ...common,
    method: 'POST',
    path: `${base}/{id}/complete`,
    caller: payingAgent,
    handle: ({ agent: { dialect }, id }) =>
      Promise.resolve({ httpStatus: 200, dialect, result: { id, text: 'done' } }),
  }),
];

const protocols = createProtocolManager();
const greeting = (alias: string, result: string): AdapterPart => ({
  alias,
  enabled: true,
  manifest: async ({ agent: { dialect } }) => ({ httpStatus: 200, dialect, result }),
});
protocols.register(greeting(UCP, 'no greeting'));
protocols.register(greeting('Other', 'hello'));

const says = (result: string) => ({ says: result });
const manifestRoute = (alias: string): Route =>
  ask({
    ...common,
    method: 'GET',
    path: `/${alias}/manifest`,
    caller: browsingAgent,
    errors: ['not_found'],
    forms: { '2026-04-08': says, '2026-01-11': says, draft: says },
    handle: protocols.asking(alias, 'manifest'),
  });

const profile = 'https://agent.example/profile.json';
const current = { 'UCP-Agent': `profile="${profile}"` };
const older = { 'UCP-Agent': `profile="${profile}";version="2026-01-11"` };
const carts = '/api/v1/carts';

describe('Agent paths', () => {
  let api: Api;
  let made: (body: NoteBody, request: ProtocolRequest) => Promise<Note>;
  let calls: ProtocolRequest[];
  let isAway: boolean;
  let routes: readonly Route[];

  before(async () => {
    const stateStore = createMemoryDocumentStore();
    const idempotency = await createIdempotency({
      stateStore,
      instanceId: 'one',
      isOnlyWriter: true,
      texts: plainTexts,
      formerCipher: plainCipher,
    });
    const create: NotesAdapter['create'] = (body, request) => {
      calls.push(request);
      return made(body, request);
    };
    routes = [
      ...routesOf({ base: carts, create }),
      ...routesOf({ base: '/other/notes', create: async () => ({ id: 'other', text: 'of the second' }) }),
      manifestRoute('other'),
      manifestRoute('none'),
      ask({
        ...common,
        method: 'POST',
        path: '/api/v1/catalog/search',
        caller: browsingAgent,
        body: noteBody,
        handle: ({ agent: { dialect }, body }) =>
          Promise.resolve({ httpStatus: 200, dialect, result: { id: 'found', text: body.text } }),
      }),
    ];
    api = await Api.open(routes, {
      idempotency: {
        run: (call, handle) =>
          isAway ? Promise.reject(new EngineUnavailable('gone')) : idempotency.run(call, handle),
      },
      agents: agentStepWith({
        Protocol__RequireHttps: 'true',
        Protocol__Ucp__RateLimits__UnsignedPerAddressPerMinute: '0',
      }),
      trustedProxies: 1,
      headers: { 'X-Forwarded-Proto': 'https' },
    });
  });
  beforeEach(() => {
    calls = [];
    isAway = false;
    made = async ({ text }) => ({ id: `n${calls.length}`, text });
  });
  after(() => api.close());

  const post = (body: unknown, headers: Record<string, string> = {}, path = carts) =>
    api.post(path, body, { ...current, ...headers });

  it('are answered in the dialect of the request, with the caller’s own id', async () => {
    const answer = await post({ text: 'a' }, { 'Request-Id': 'mine-1' });
    expect([answer.status, answer.text]).to.deep.equal([
      201,
      '{"ucp":{"version":"2026-04-08"},"id":"n1","text":"a"}',
    ]);
    expect(answer.headers.get('content-type')).to.equal('application/json');
    expect(answer.headers.get('request-id')).to.equal('mine-1');
    expect(answer.headers.getSetCookie()).to.deep.equal([]);
    const inOlder = await post({ text: 'b' }, older);
    expect(inOlder.body).to.deep.equal({ ucp: { version: '2026-01-11' }, id: 'n2', older: 'b' });
    expect(calls[0]).to.deep.include({ actor: { kind: 'agent', id: profile } });
  });

  it('are for agents, over HTTPS where the shop wants it', async () => {
    expect((await api.post(carts, { text: 'a' })).body).to.include({ code: 'invalid_profile_url' });
    const plain = await post({ text: 'a' }, { 'X-Forwarded-Proto': 'http' });
    expect([plain.status, plain.body.code, plain.body.error]).to.deep.equal([
      400,
      'https_required',
      'https_required',
    ]);
    expect(
      (await post({ text: 'a' }, { 'X-Forwarded-Proto': 'http' }, '/api/v1/catalog/search')).status,
    ).to.equal(200);
    expect(calls).to.deep.equal([]);
  });

  it('refuse in the protocol’s form whatever is asked for', async () => {
    const seen = [
      await api.get(`${carts}/a/b/c`),
      await api.get(carts, current),
      await post('{"text":', { 'Content-Type': 'application/json' }),
      await post({ text: 'x'.repeat(settings.ucp.limits.maxBodyBytes) }),
    ];
    expect(seen.map(({ status, body }) => [status, body.code, body.error])).to.deep.equal([
      [404, 'not_found', 'not_found'],
      [405, 'method_not_allowed', 'method_not_allowed'],
      [400, 'invalid_json', 'invalid_json'],
      [413, 'payload_too_large', 'payload_too_large'],
    ]);
    expect(seen[1]?.headers.get('allow')).to.equal('POST');
    made = () => Promise.reject(new EngineUnavailable('gone'));
    const away = await post({ text: 'a' });
    expect([away.status, away.body.code, away.headers.get('retry-after')]).to.deep.equal([
      503,
      'service_unavailable',
      '5',
    ]);
    made = () => Promise.reject(new Error('a defect'));
    api.expectsDefects = true;
    const failed = await post({ text: 'a' });
    api.expectsDefects = false;
    expect([failed.status, failed.body.code]).to.deep.equal([500, 'internal_error']);
    expect(failed.body.content).to.include(failed.headers.get('x-correlation-id'));
  });

  it('name an encoding that they do not take, in either version', async () => {
    for (const version of [current, older]) {
      const { status, body } = await post({ text: 'a' }, { ...version, 'Content-Encoding': 'gzip' });
      expect([status, body.code, body.error]).to.deep.equal([400, 'invalid_json', 'invalid_json']);
      expect(body.content).to.equal(
        'The body comes in Content-Encoding gzip, which is not taken here. Send it without.',
      );
    }
    expect((await post({ text: 'a' }, { 'Content-Encoding': 'identity' })).status).to.equal(201);
  });

  it('name what is wrong with a body, member by member', async () => {
    const wrong = await post({ lines: [{ quantity: 'two' }] });
    expect(wrong.status).to.equal(400);
    expect(wrong.body.messages.map(({ code, path }: Record<string, string>) => [code, path])).to.deep.equal([
      ['missing', '$.text'],
      ['invalid', '$.lines[0].quantity'],
    ]);
    const inOlder = await post({}, older);
    expect(inOlder.body).to.include({ code: 'missing', error: 'missing' }).and.to.have.property('detail');
    const list = await post([1]);
    expect(list.body.messages[0]).to.include({ code: 'invalid', path: '$' });
  });

  it('refuse in the dialect of what was begun in another one', async () => {
    const put = (id: string, body: unknown, headers = current) =>
      api.call('PUT', `${carts}/${id}`, body, headers);
    expect((await put('old-1', { text: 'a' })).body).to.have.property('detail', 'There is no such note.');
    expect((await put('old-1', {})).body).to.include({ code: 'missing' });
    expect((await put('new-1', { text: 'a' })).body).to.have.all.keys('ucp', 'messages');
    expect((await put('new-1', { text: 'a' }, older)).body).to.have.property('detail');
  });

  it('take an empty body where none is needed', async () => {
    const answer = await api.call('POST', `${carts}/1/complete`, undefined, current);
    expect([answer.status, answer.body.id]).to.deep.equal([200, '1']);
  });

  it('know an id in capitals', async () => {
    const answer = await api.call('POST', `${carts}/0197AB-CD/complete`, undefined, current);
    expect([answer.status, answer.body.id]).to.deep.equal([200, '0197ab-cd']);
  });

  it('answer a repeat with the same bytes, refusals of a body too, and do nothing twice', async () => {
    const key = { 'Idempotency-Key': 'key-of-one-create' };
    const first = await post({ text: 'a', lines: [] }, key);
    const again = await post({ lines: [], text: 'a' }, key);
    expect([again.status, again.text]).to.deep.equal([201, first.text]);
    expect(first.headers.get('idempotency-replayed')).to.equal(null);
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
    expect(again.headers.get('content-type')).to.equal('application/json');
    expect(calls).to.have.length(1);
    const other = await post({ text: 'b' }, key);
    expect([other.status, other.body.code]).to.deep.equal([409, 'idempotency_conflict']);
    const stranger = { 'UCP-Agent': 'profile="https://other.example"' };
    expect((await post({ text: 'c' }, { ...key, ...stranger })).status).to.equal(201);
    const wrong = { 'Idempotency-Key': 'key-of-a-refusal' };
    const refused = await post({}, wrong);
    const refusedAgain = await post({}, wrong);
    expect([refusedAgain.status, refusedAgain.text]).to.deep.equal([400, refused.text]);
    expect(refusedAgain.headers.get('idempotency-replayed')).to.equal('true');
  });

  it('keep no busy stream under a key, and refuse keys that are none or cannot be kept', async () => {
    const key = { 'Idempotency-Key': 'key-of-a-conflict' };
    made = () => Promise.reject(new Rejection('conflict', 'Busy.'));
    expect((await post({ text: 'a' }, key)).body.code).to.equal('conflict');
    made = async () => ({ id: 'later', text: 'a' });
    expect((await post({ text: 'a' }, key)).status).to.equal(201);
    for (const text of ['short', 'x'.repeat(256), 'with a blank in it'])
      expect((await post({ text: 'a' }, { 'Idempotency-Key': text })).body.messages[0].code, text).to.equal(
        'invalid',
      );
    isAway = true;
    const before = calls.length;
    const unkept = await post({ text: 'a' }, { 'Idempotency-Key': 'key-that-is-lost' });
    expect([unkept.status, unkept.body.code]).to.deep.equal([503, 'idempotency_unavailable']);
    expect(calls).to.have.length(before);
  });

  it('have room for a second adapter, by paths and forms of its own', async () => {
    expect((await post({ text: 'a' }, {}, '/other/notes')).body).to.include({ id: 'other' });
    const other = await api.get('/other/manifest', current);
    expect([other.status, other.body]).to.deep.equal([200, { says: 'hello' }]);
    const none = await api.get('/none/manifest', current);
    expect([none.status, none.body.messages[0].code]).to.deep.equal([404, 'not_found']);
  });

  it('are described like all others, with the body that the adapter checks', () => {
    const { paths, components } = openApi(routes, '1') as unknown as {
      paths: Record<string, Record<string, { requestBody: unknown; responses: object; security: object[] }>>;
      components: { schemas: object; securitySchemes: object };
    };
    const create = paths[carts]?.['post'];
    expect(JSON.stringify(create?.requestBody)).to.include('"text"');
    expect(create?.responses).to.include.keys('201', '400', '409', '413', '422', '424', '429', '503');
    expect(create?.security).to.deep.equal([{ ucpAgent: [] }, { ucpAgent: [], linkedMember: [] }]);
    expect(paths['/api/v1/catalog/search']?.['post']?.security).to.deep.equal([{}, { ucpAgent: [] }]);
    expect(components.schemas).to.include.keys('AgentError');
    expect(components.securitySchemes).to.include.keys('ucpAgent', 'linkedMember');
  });
});

describe('Agent paths of a shop of the older version', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open({ environment: { Protocol__Ucp__Version: '2026-01-11' } });
  });
  after(() => shop.close());

  it('refuse what is not there, beside the backoffice’s own routes', async () => {
    const { admin } = shop;
    const unknown = await admin.get('/api/v1/checkout-sessions/none/of/these', current);
    expect([unknown.status, unknown.body.code, unknown.body.error]).to.deep.equal([
      404,
      'not_found',
      'not_found',
    ]);
    expect((await admin.get('/.well-known/ucp/2099-01-01')).body).to.include({ error: 'not_found' });
    expect((await admin.get('/api/v1/orders/stats')).status).to.equal(200);
    const other = await admin.call('DELETE', '/api/v1/orders/stats', undefined);
    expect([other.status, other.body.success]).to.deep.equal([405, false]);
    expect((await admin.get('/api/v1/nothing-here')).body).to.include({
      success: false,
      code: 'not-found',
    });
  });

  it('refuse the newer version with 400, and those who name nobody', async () => {
    const { admin } = shop;
    const path = `/api/v1/checkout-sessions/${newId()}`;
    const newer = { 'UCP-Agent': `profile="${profile}", version="2026-04-08"` };
    const refused = await admin.get(path, newer);
    expect([refused.status, refused.body.code, refused.body.error]).to.deep.equal([
      ...[400, 'version_unsupported', 'version_unsupported'],
    ]);
    expect(refused.body.content).to.match(/Supported: 2026-01-11\.$/);
    const nobodys = await admin.get(path);
    expect([nobodys.status, nobodys.body.code]).to.deep.equal([400, 'invalid_profile_url']);
    const unversioned = await admin.get(path, current);
    expect(unversioned.status).to.equal(404);
    expect(unversioned.body).to.include({ code: 'not_found', error: 'not_found' });
    expect(unversioned.body.detail).to.be.a('string');
  });
});
