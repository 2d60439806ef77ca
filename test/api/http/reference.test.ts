import { expect } from 'chai';
import { z } from 'zod';
import { printRoutes } from '#http/cli.ts';
import { homePageRoutes } from '#http/home-page.routes.ts';
import { healthRoutes } from '#http/health.routes.ts';
import { referenceRoutes } from '#http/reference.routes.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import { gatewayTable } from '#http/route-list.ts';
import { Api } from '#test/support/api.ts';

const teas: Route = route({
  method: 'PUT',
  base: 'management',
  path: '/teas/{id}',
  service: 'command',
  file: 'command-service/contexts/teas/teas.routes.ts',
  caller: admin,
  summary: 'Change a <tea>',
  schemas: { params: z.object({ id: z.guid() }), body: z.object({ name: z.string().max(250) }) },
  response: z.object({ id: z.string(), name: z.string() }),
  errors: ['entity-not-found', 'value-taken'],
  handle: async ({ params, body }) => ok({ ...params, ...body }),
});

interface DescribedRefusal {
  readonly content: {
    readonly 'application/json': {
      readonly schema: {
        readonly allOf: readonly [object, { readonly properties: { code: { enum: string[] } } }];
      };
    };
  };
}

const codesOf = ({ content }: DescribedRefusal): readonly string[] =>
  content['application/json'].schema.allOf[1].properties.code.enum;

describe('The description of the API', () => {
  let api: Api;
  let reasons: { name: string; reason: string }[];
  beforeEach(async () => {
    reasons = [];
    const health = healthRoutes({
      service: 'command',
      problems: () => Promise.resolve(reasons),
      warnings: () => [],
      metrics: () => Promise.resolve('up 1\n'),
    });
    const door = homePageRoutes({
      service: 'command',
      version: '1.2.3',
      problems: () => Promise.resolve(reasons),
    });
    const described = [teas, ...health, ...door];
    const reference = referenceRoutes({
      service: 'command',
      routes: async () => described,
      version: '1.2.3',
    });
    api = await Api.open([...described, ...reference]);
  });
  afterEach(() => api.close());

  it('is OpenAPI 3.1, with parameters, bodies, every status and who may call', async () => {
    const { openapi, info, paths } = (await api.get('/openapi.json')).body;
    expect(openapi).to.equal('3.1.0');
    expect(info).to.include({ version: '1.2.3' });
    const { parameters, requestBody, responses, security } = paths['/backoffice/api/v1/teas/{id}'].put;
    expect(parameters).to.have.nested.property('[0].name', 'id');
    expect(requestBody).to.have.nested.property(
      'content.application/json.schema.properties.name.maxLength',
      250,
    );
    const statuses = ['200', '400', '401', '403', '404', '409', '413', '503', 'default'];
    expect(Object.keys(responses)).to.have.members(statuses);
    expect(codesOf(responses['401'])).to.deep.equal(['unauthenticated']);
    expect(codesOf(responses['400'])).to.include.members(['invalid-request', 'invalid-json']);
    expect(codesOf(responses['default'])).to.deep.equal(['internal-error']);
    expect(security).to.deep.equal([{ bearer: [] }]);
  });

  it('is a page that needs nothing but itself, and a list with the file of every endpoint', async () => {
    const page = await api.get('/reference');
    expect(page.headers.get('x-content-type-options')).to.equal('nosniff');
    // The same for everybody: caches may keep it.
    expect(page.headers.get('cache-control')).to.equal(null);
    expect(page.headers.get('content-type')).to.include('text/html');
    expect(page.text)
      .to.include('Change a &lt;tea&gt;')
      .and.not.match(/<script|https?:\/\//);
    const endpoints = (await api.get('/reference/endpoints')).body as { path: string }[];
    const found = endpoints.find(({ path }) => path === '/backoffice/api/v1/teas/{id}');
    expect(found).to.include({ method: 'PUT', file: 'command-service/contexts/teas/teas.routes.ts' });
  });

  it('begins at the address that the start prints: a page for people, JSON for programs', async () => {
    const html = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const page = await api.get('/', html);
    expect(page.headers.get('content-type')).to.include('text/html');
    expect(page.text)
      .to.include('The shop is open.')
      .and.include('href="/reference"')
      .and.include('href="/health/ready"')
      .and.include('backoffice.key')
      .and.include('README.md');
    const program = await api.get('/');
    expect(program.body).to.include({
      name: 'Tillroll',
      version: '1.2.3',
      status: 'ready',
      reference: '/reference',
    });
    reasons = [{ name: 'log', reason: 'away' }];
    expect((await api.get('/', html)).text)
      .to.include('not ready yet')
      .and.not.include('away');
    expect((await api.get('/')).body).to.include({ status: 'not ready' });
  });

  it('is printed by tillroll routes, and tells a gateway where each request goes', () => {
    expect(printRoutes([teas], { json: false, gateway: false })).to.equal(
      'PUT  /backoffice/api/v1/teas/{id}  command  command-service/contexts/teas/teas.routes.ts\n',
    );
    const patterns = gatewayTable([teas]).map(({ pattern }) => new RegExp(pattern));
    for (const path of ['/backoffice/api/v1/teas/7', '/api/v1/teas/7/'])
      expect(patterns.filter((pattern) => pattern.test(path))).to.have.length(1);
  });

  it('includes health: live, ready or why not, and figures', async () => {
    for (const path of ['/health', '/health/live'])
      expect((await api.get(path)).body).to.deep.equal({ status: 'live' });
    expect((await api.get('/health/ready')).status).to.equal(200);
    reasons.push({ name: 'store', reason: 'the store file is being imported' });
    const { status, body } = await api.get('/health/ready');
    expect(status).to.equal(503);
    expect(body).to.deep.include({ reasons });
    expect((await api.get('/metrics')).text).to.equal('up 1\n');
  });
});
