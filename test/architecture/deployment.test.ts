import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { notBegun } from '#http/starting.ts';
import { services as ours } from '#values/service.ts';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy?: { readonly replicas: string };
  readonly ports?: readonly string[];
  readonly networks: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly unknown[] };
}

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

describe('docker-compose.yml', () => {
  const text = read('docker-compose.yml');
  const { services, networks, volumes } = parse(text, { merge: true }) as Compose;
  const each = Object.entries(services);
  const ofThisProject: readonly string[] = [...ours, 'gateway'];
  const servers = each.filter(([name]) => !ofThisProject.includes(name));
  const own = ours.map((name) => [name, services[name] as ComposeService] as const);

  it('starts the three services out of one image, each as often as one likes', () => {
    expect(new Set(own.map(([, { image }]) => image))).to.have.property('size', 1);
    for (const [name, { command, deploy }] of own) {
      expect(command).to.deep.equal(['start', name]);
      expect(deploy?.replicas).to.equal(`\${${name.toUpperCase()}_REPLICAS:-1}`);
    }
  });

  it('asks everything whether it is well, and starts nothing before what it needs', () => {
    for (const [name, { healthcheck }] of each) {
      expect(healthcheck?.test[0], name).to.equal('CMD');
      for (const word of healthcheck?.test ?? []) expect(word, name).to.be.a('string');
    }
    const healthy = (names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, { condition: 'service_healthy' }]));
    for (const [, { depends_on }] of own)
      expect(depends_on).to.deep.equal(healthy(servers.map(([name]) => name)));
    expect(services['gateway']?.depends_on).to.deep.equal(healthy(ours));
  });

  it('names a version of every image, and lets each be replaced by one variable', () => {
    for (const [name, { image }] of each)
      expect(image, name).to.match(/^\$\{[A-Z_]+_IMAGE:-[a-z/]+:\d+\.\d+[\w.-]*\}$/);
  });

  it('holds no secret, and says which one is missing', () => {
    for (const [name, { environment = {} }] of each)
      for (const [key, value] of Object.entries(environment))
        if (/key|secret|password|token/i.test(key))
          expect(value, `${name} ${key}`).to.match(/^\$\{\w+:\?.+\}$/);
    expect(text).not.to.match(/:\/\/[^\s/]*@/);
    expect(services['command']?.environment).to.include.keys('APPLICATION_KEY', 'BACKOFFICE_API_KEY');
  });

  it('has every variable in .env.example', () => {
    const example = read('.env.example');
    for (const [, name = ''] of text.matchAll(/\$\{(\w+)/g))
      expect(example).to.match(new RegExp(`\\b${name}\\b`));
  });

  it('shows nothing to the outside but the gateway', () => {
    expect(each.filter(([, { ports }]) => ports).map(([name]) => name)).to.deep.equal(['gateway']);
    expect(networks['engines']).to.deep.equal({ internal: true });
    for (const [name, server] of servers) expect(server.networks, name).to.deep.equal(['engines']);
    expect(services['gateway']?.networks).to.deep.equal(['outside']);
  });

  it('keeps what the servers hold in volumes', () => {
    for (const [name, server] of servers) {
      const named = (server.volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
      expect(named, name).not.to.deep.equal([]);
      expect(volumes, name).to.include.keys(...named);
    }
  });
});

describe('Dockerfile', () => {
  const lines = read('Dockerfile').split('\n');
  const last = (word: string): string => lines.findLast((line) => line.startsWith(`${word} `)) ?? '';

  it('builds on the Node that the tests run on', () => {
    const { devDependencies } = JSON.parse(read('package.json')) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    const images = lines.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1]);
    expect(new Set(images)).to.deep.equal(new Set([`node:${devDependencies['node']}-slim`]));
  });

  it('starts Node itself, not as root', () => {
    expect(last('USER')).to.match(/^USER [1-9]\d*:[1-9]\d*$/);
    const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: { readonly app: string } };
    expect(last('ENTRYPOINT')).to.equal(
      `ENTRYPOINT ${JSON.stringify(scripts.app.split(' ')).replaceAll(',', ', ')}`,
    );
    expect(last('CMD')).to.equal('CMD ["start"]');
  });

  it('copies by name, and only what is let through', () => {
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(' ').slice(1, -1));
    const letThrough = read('.dockerignore').match(/(?<=^!).*/gm);
    expect(new Set(copied)).to.deep.equal(new Set(letThrough));
    expect(read('.dockerignore')).to.match(/^\*$/m);
  });
});

describe('The gateway', () => {
  const caddyfile = read('.config/gateway/Caddyfile');
  /** Lines of a part, without comments. */
  const linesOf = (text: string): readonly string[] =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'));

  it('asks each replica whether it is open, and tries another one where nothing was done', () => {
    const [, replicas = ''] = /^\(replicas\) \{\n([^]*?)^\}/m.exec(caddyfile) ?? [];
    expect(linesOf(replicas)).to.include.members([
      'reverse_proxy {args[:]} {',
      'health_uri /health/ready?scope=process',
      'health_interval 1s',
      'lb_try_duration 5s',
      `expression \`{rp.status_code} == 503 && {rp.header.${notBegun}} == "true"\``,
      'method GET HEAD',
    ]);
    const [, ...proxies] = caddyfile.split('reverse_proxy ');
    expect(proxies, 'the one way to a replica').to.have.length(1);
  });

  it('knows where the replicas of every service are', () => {
    const { services } = parse(read('docker-compose.yml'), { merge: true }) as Compose;
    for (const name of ours) {
      const variable = `${name.toUpperCase()}_REPLICAS_AT`;
      expect(linesOf(caddyfile)).to.include(`import replicas {$${variable}:${name}:4000}`);
      expect(services['gateway']?.environment?.[variable]).to.include(`-${name}-3:4000`);
    }
  });

  it('lets nothing of figures and test endpoints through, before anything else is looked at', () => {
    const lines = linesOf(caddyfile);
    expect(lines).to.include('@inside path /metrics /metrics/* /testing /testing/*');
    expect(lines[lines.indexOf('route {') + 1]).to.equal('respond @inside 404');
  });

  it('answers agents in the words of their protocol, and the backoffice in its own, where no service is there', () => {
    const [, pattern = ''] = /@agents path_regexp (\S+)/.exec(caddyfile) ?? [];
    const isOfAgents = (path: string): boolean => new RegExp(pattern).test(path);
    const agents = ['checkout-sessions', 'carts/1', 'catalog/search', 'orders/1'];
    for (const path of agents) expect(isOfAgents(`/api/v1/${path}`), path).to.equal(true);
    expect(isOfAgents('/.well-known/ucp/2026-01-11')).to.equal(true);
    const besideOrders = [
      ...read('.config/gateway/routes.caddy').matchAll(/ \/api\/v1\/(orders\/[a-z-]+)\/\?\$/g),
    ];
    expect(besideOrders).not.to.deep.equal([]);
    const words = besideOrders.map(([, path = '']) => path);
    for (const path of [...words, 'orders', 'orders/1/cancel', 'cartsx', 'products'])
      expect(isOfAgents(`/api/v1/${path}`), path).to.equal(false);
  });

  it('sends every request where the routers say: npm run gateway writes its table', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '.config/tillroll.js',
      'routes',
      '--caddy',
    ]);
    expect(read('.config/gateway/routes.caddy')).to.equal(stdout);
  });
});
