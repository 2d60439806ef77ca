import { createHash, sign } from 'node:crypto';
import { contentDigest } from '#signatures/content-digest.ts';
import { TestShop } from '../shop.ts';
import { agentKey, type AgentKey } from './agent-key.ts';
import type { DatedVersion } from './answer-schemas.ts';
import { cartsPath, sessionsPath, wanting } from './asking-agent.ts';
import { componentsOf, type SigningAgent, type WireRequest } from './signing-agent.ts';

/*
 * What can be done to a signed request, and how a shop that wants signatures answers: `null` where it takes the
 * request, else the code (docs/rules/agent-signatures.md).
 */

export interface Manipulation {
  readonly what: string;
  readonly is: string | null;
  /** The whole request as it is sent. */
  readonly send: (stage: SignatureStage) => WireRequest;
}

/** Who signs what, and where. */
export interface SignatureStage {
  readonly base: string;
  readonly agent: SigningAgent;
  /** Of the same agent, published: on another curve. */
  readonly otherCurve: AgentKey;
  /** Of another agent. */
  readonly stranger: AgentKey;
}

/** A shop that takes signed requests only, with mugs. */
export const signingShop = async (): Promise<TestShop> => {
  const shop = await TestShop.open({
    environment: {
      ALLOW_LOOPBACK_TARGETS: 'true',
      Protocol__Ucp__RequireSignature: 'true',
      Protocol__Ucp__RateLimits__UnsignedPerAddressPerMinute: '0',
    },
  });
  await shop.sell('mug', { price: 10 });
  return shop;
};

/** Publishes the keys that the table signs with. */
export const stageWith = (base: string, agent: SigningAgent): SignatureStage => {
  const otherCurve = agentKey('agent-key-p384', 'P-384');
  agent.keys = [agent.key.published, otherCurve.published];
  return { base, agent, otherCurve, stranger: agentKey('stranger-key-1') };
};

const query = '?via=test';

const asked = ({ agent }: Pick<SignatureStage, 'agent'>): WireRequest =>
  agent.request('POST', sessionsPath + query, { line_items: wanting(['mug', 1]) });

type Options = Parameters<SigningAgent['signed']>[2];

const signed = (stage: SignatureStage, options: Options = {}): WireRequest =>
  stage.agent.signed(stage.base, asked(stage), options);

const row = (what: string, is: string | null, send: Manipulation['send']): Manipulation => ({
  what,
  is,
  send,
});

/** Changes a request after it is signed. */
const after = (
  what: string,
  is: string | null,
  change: (request: WireRequest) => Partial<WireRequest>,
): Manipulation =>
  row(what, is, (stage) => {
    const request = signed(stage);
    return { ...request, ...change(request) };
  });

/** Changes the request before it is signed. */
const before = (
  what: string,
  is: string | null,
  change: (request: WireRequest) => Partial<WireRequest>,
): Manipulation =>
  row(what, is, (stage) => {
    const request = asked(stage);
    return stage.agent.signed(stage.base, { ...request, ...change(request) });
  });

type Headers = WireRequest['headers'];

const mapped = (headers: Headers, name: string, change: (value: string) => string): Headers =>
  headers.map(([one, value]) => [one, one.toLowerCase() === name ? change(value) : value]);
const without = (headers: Headers, name: string): Headers =>
  headers.filter(([one]) => one.toLowerCase() !== name);
const withField = (headers: Headers, name: string, value: string): Headers => [...headers, [name, value]];
const again = (headers: Headers, name: string): Headers =>
  headers.flatMap((field) => (field[0].toLowerCase() === name ? [field, field] : [field]));

const covering = (
  what: string,
  is: string | null,
  components: (all: readonly string[]) => readonly string[],
) => row(what, is, (stage) => signed(stage, { components: components(componentsOf(asked(stage))) }));

/** Signs parameters of its own choice over the usual components. */
const withParameters = (
  what: string,
  is: string | null,
  parameters: (now: number) => string,
  { isDer = false } = {},
): Manipulation =>
  row(what, is, ({ base, agent }) => {
    const request = asked({ agent });
    const headers = withField(request.headers, 'Content-Digest', contentDigest(request.body));
    const names = componentsOf({ ...request, headers });
    const values: Readonly<Record<string, string>> = {
      '@method': 'POST',
      '@authority': new URL(base).host,
      '@path': sessionsPath,
      '@query': query,
      ...Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    };
    const input = `(${names.map((name) => `"${name}"`).join(' ')})${parameters(Math.floor(agent.now() / 1000))}`;
    const lines = [...names.map((name) => `"${name}": ${values[name]}`), `"@signature-params": ${input}`];
    const bytes = Buffer.from(lines.join('\n'));
    const signature = isDer
      ? sign('sha256', bytes, { key: agent.key.privateKey, dsaEncoding: 'der' })
      : agent.key.sign(bytes);
    return {
      ...request,
      headers: [
        ...headers,
        ['Signature-Input', `sig1=${input}`],
        ['Signature', `sig1=:${signature.toString('base64')}:`],
      ],
    };
  });

const KEY = ';keyid="agent-key-1"';

const digestOf = (algorithm: string, name: string) => (request: WireRequest) => ({
  headers: withField(
    request.headers,
    'Content-Digest',
    `${name}=:${createHash(algorithm).update(request.body).digest('base64')}:`,
  ),
});

/** Several signatures of one request, each under its own label. */
const several = (
  what: string,
  is: string | null,
  keys: (stage: SignatureStage) => readonly (AgentKey | 'spoilt')[],
) =>
  row(what, is, (stage) => {
    const request = asked(stage);
    const added = keys(stage).map((key, index) => {
      const label = `sig${index + 1}`;
      const given = stage.agent.signed(stage.base, request, {
        key: key === 'spoilt' ? stage.agent.key : key,
        label,
      });
      if (key !== 'spoilt') return given.headers.slice(request.headers.length);
      return mapped(given.headers.slice(request.headers.length), 'signature', () => `${label}=:AAAA:`);
    });
    const lines = added.flat().filter(([name]) => name !== 'Content-Digest');
    return {
      ...request,
      headers: [...withField(request.headers, 'Content-Digest', contentDigest(request.body)), ...lines],
    };
  });

const accepted: readonly Manipulation[] = [
  after('as it was signed', null, () => ({})),
  covering('the components in another order', null, (all) => all.toReversed()),
  covering('more covered than is needed', null, (all) => [...all, '@target-uri', '@scheme']),
  before('a digest by sha-512', null, digestOf('sha512', 'sha-512')),
  withParameters(
    'an algorithm that is the key’s',
    null,
    (now) => `;created=${now}${KEY};alg="ecdsa-p256-sha256"`,
  ),
  withParameters(
    'a signature that expires later',
    null,
    (now) => `;created=${now};expires=${now + 60}${KEY};nonce="n"`,
  ),
  several('a first signature of an unknown key', null, ({ stranger, agent }) => [stranger, agent.key]),
];

const changed: readonly Manipulation[] = [
  after('a byte of the body', 'digest_mismatch', ({ body }) => ({
    body: Buffer.from(String(body).replace('1', '2')),
  })),
  row('the method', 'signature_invalid', ({ base, agent }) => ({
    ...agent.signed(base, agent.request('GET', `${sessionsPath}/none`)),
    method: 'PUT',
  })),
  after('the path: the body replayed elsewhere', 'signature_invalid', () => ({ path: cartsPath + query })),
  after('a byte of the query', 'signature_invalid', ({ path }) => ({ path: path.replace('test', 'tess') })),
  after('the query left out', 'signature_invalid', () => ({ path: sessionsPath })),
  after('the host', 'signature_invalid', ({ headers }) => ({
    headers: withField(headers, 'Host', 'other.example'),
  })),
  row('the path: the one that was signed stands in the host', 'signature_invalid', (stage) => {
    const request = signed(stage);
    const host = `${new URL(stage.base).host}${request.path}#`;
    return { ...request, path: cartsPath + query, headers: withField(request.headers, 'Host', host) };
  }),
  after('a byte of UCP-Agent', 'signature_invalid', ({ headers }) => ({
    headers: mapped(headers, 'ucp-agent', (value) => `${value};a`),
  })),
  after('a byte of Idempotency-Key', 'signature_invalid', ({ headers }) => ({
    headers: mapped(headers, 'idempotency-key', (value) => `${value}0`),
  })),
  after('a byte of Content-Type', 'signature_invalid', ({ headers }) => ({
    headers: mapped(headers, 'content-type', (value) => `${value};`),
  })),
  after('a second of its time', 'signature_invalid', ({ headers }) => ({
    headers: mapped(headers, 'signature-input', (value) =>
      value.replace(/created=(\d+)/, (_, seconds: string) => `created=${Number(seconds) - 1}`),
    ),
  })),
  after('a byte of the signature', 'signature_invalid', ({ headers }) => ({
    headers: mapped(headers, 'signature', (value) =>
      value.replace(/:(.)/, (_, one) => (one === 'A' ? ':B' : ':A')),
    ),
  })),
];

const digests: readonly Manipulation[] = [
  after('no digest', 'digest_mismatch', ({ headers }) => ({ headers: without(headers, 'content-digest') })),
  before('a digest of another body', 'digest_mismatch', ({ headers }) => ({
    headers: withField(headers, 'Content-Digest', contentDigest(Buffer.from('{}'))),
  })),
  before('a digest by another algorithm', 'digest_mismatch', digestOf('sha1', 'sha')),
  before('a digest that cannot be read', 'digest_mismatch', ({ headers }) => ({
    headers: withField(headers, 'Content-Digest', 'sha-256=none:'),
  })),
  before('two digests, one of another body', 'digest_mismatch', (request) => ({
    headers: withField(
      digestOf('sha512', 'sha-512')(request).headers,
      'Content-Digest',
      contentDigest(Buffer.from('{}')),
    ),
  })),
];

const mandatory = [
  '@method',
  '@authority',
  '@path',
  '@query',
  'ucp-agent',
  'idempotency-key',
  'content-digest',
];

const leftOut: readonly Manipulation[] = [...mandatory, 'content-type'].map((name) =>
  row(`${name} not covered`, 'signature_invalid', (stage) => {
    const request = asked(stage);
    const headers = withField(request.headers, 'Content-Digest', contentDigest(request.body));
    const components = componentsOf(request).filter((one) => one !== name);
    return stage.agent.signed(stage.base, { ...request, headers }, { components });
  }),
);

const keys: readonly Manipulation[] = [
  row('a key of another agent under its own id', 'key_not_found', (stage) =>
    signed(stage, { key: stage.stranger }),
  ),
  row('a key of another agent under the id of this one', 'signature_invalid', (stage) =>
    signed(stage, { key: { kid: stage.agent.key.kid, sign: stage.stranger.sign } }),
  ),
  row('a key on another curve', 'algorithm_unsupported', (stage) => signed(stage, { key: stage.otherCurve })),
  withParameters('no key', 'key_not_found', (now) => `;created=${now}`),
  withParameters('the algorithm none', 'algorithm_unsupported', (now) => `;created=${now}${KEY};alg="none"`),
  withParameters(
    'a shared secret',
    'algorithm_unsupported',
    (now) => `;created=${now}${KEY};alg="hmac-sha256"`,
  ),
  withParameters('DER instead of r and s', 'signature_invalid', (now) => `;created=${now}${KEY}`, {
    isDer: true,
  }),
];

const times: readonly Manipulation[] = [
  withParameters('no time', 'signature_invalid', () => KEY),
  withParameters('a time that is no number', 'signature_invalid', (now) => `;created="${now}"${KEY}`),
  row('301 seconds old', 'signature_invalid', (stage) => signed(stage, { at: stage.agent.now() - 301_000 })),
  row('299 seconds old', null, (stage) => signed(stage, { at: stage.agent.now() - 299_000 })),
  row('62 seconds ahead', 'signature_invalid', (stage) => signed(stage, { at: stage.agent.now() + 62_000 })),
  row('58 seconds ahead', null, (stage) => signed(stage, { at: stage.agent.now() + 58_000 })),
  withParameters('expired', 'signature_invalid', (now) => `;created=${now};expires=${now - 1}${KEY}`),
];

const twice = ['ucp-agent', 'content-type', 'host'].map((name) =>
  after(`${name} twice`, 'signature_invalid', ({ headers }) => ({
    headers: again(name === 'host' ? withField(headers, 'Host', 'shop.example') : headers, name),
  })),
);

const fields: readonly Manipulation[] = [
  ...twice,
  after('a digest of another body added', 'digest_mismatch', ({ headers }) => ({
    headers: withField(headers, 'Content-Digest', contentDigest(Buffer.from('{}'))),
  })),
  after('no Signature', 'signature_missing', ({ headers }) => ({ headers: without(headers, 'signature') })),
  after('no Signature-Input', 'signature_missing', ({ headers }) => ({
    headers: without(headers, 'signature-input'),
  })),
  after('a Signature that cannot be read', 'signature_missing', ({ headers }) => ({
    headers: mapped(headers, 'signature', () => 'sig1=:%:'),
  })),
  after('a Signature-Input that cannot be read', 'signature_missing', ({ headers }) => ({
    headers: mapped(headers, 'signature-input', (value) => value.replace(')', '')),
  })),
  after('a Signature of another label', 'signature_invalid', ({ headers }) => ({
    headers: mapped(headers, 'signature', (value) => value.replace('sig1', 'sig2')),
  })),
  after('a component twice', 'signature_invalid', ({ headers }) => ({
    headers: mapped(headers, 'signature-input', (value) =>
      value.replace('("@method"', '("@method" "@method"'),
    ),
  })),
  after('a component that is not known', 'signature_invalid', ({ headers }) => ({
    headers: mapped(headers, 'signature-input', (value) => value.replace('("@method"', '("@moon" "@method"')),
  })),
  after('a field covered that is not there', 'signature_invalid', ({ headers }) => ({
    headers: mapped(headers, 'signature-input', (value) =>
      value.replace('("@method"', '("x-none" "@method"'),
    ),
  })),
  several('a first signature that does not hold', 'signature_invalid', ({ agent }) => ['spoilt', agent.key]),
  several('three signatures of unknown keys before it', 'key_not_found', ({ agent }) => [
    ...['a', 'b', 'c'].map((kid) => agentKey(kid)),
    agent.key,
  ]),
];

const jws = (
  what: string,
  is: string | null,
  change: (jws: string, stage: SignatureStage) => string,
): Manipulation =>
  row(what, is, (stage) => {
    const request = signed(stage);
    return {
      ...request,
      headers: mapped(request.headers, 'request-signature', (value) => change(value, stage)),
    };
  });

const encoded = (header: object): string => Buffer.from(JSON.stringify(header)).toString('base64url');

/** Of the body alone, under a header of one's own. */
const underHeader = (what: string, is: string, header: object): Manipulation =>
  jws(what, is, (_, stage) => {
    const bytes = Buffer.concat([Buffer.from(`${encoded(header)}.`), asked(stage).body]);
    return `${encoded(header)}..${stage.agent.key.sign(bytes).toString('base64url')}`;
  });

const plain = { b64: false, crit: ['b64'] };

const older: readonly Manipulation[] = [
  after('as it was signed', null, () => ({})),
  after('a byte of the body', 'signature_invalid', ({ body }) => ({
    body: Buffer.from(String(body).replace('1', '2')),
  })),
  jws('a byte of the signature', 'signature_invalid', (value) =>
    value.replace(/\.\.(.)/, (_, one) => (one === 'A' ? '..B' : '..A')),
  ),
  row('a key of another agent', 'key_not_found', (stage) => signed(stage, { key: stage.stranger })),
  row('a key of another agent under the id of this one', 'signature_invalid', (stage) =>
    signed(stage, { key: { kid: stage.agent.key.kid, sign: stage.stranger.sign } }),
  ),
  row('a key on another curve', 'algorithm_unsupported', (stage) => signed(stage, { key: stage.otherCurve })),
  underHeader('no key', 'key_not_found', { alg: 'ES256', ...plain }),
  underHeader('the algorithm none', 'algorithm_unsupported', { alg: 'none', kid: 'agent-key-1', ...plain }),
  underHeader('an encoded body', 'signature_invalid', { alg: 'ES256', kid: 'agent-key-1' }),
  jws('DER instead of r and s', 'signature_invalid', (value, stage) => {
    const [header = ''] = value.split('.');
    const bytes = Buffer.concat([Buffer.from(`${header}.`), asked(stage).body]);
    const der = sign('sha256', bytes, { key: stage.agent.key.privateKey, dsaEncoding: 'der' });
    return `${header}..${der.toString('base64url')}`;
  }),
  jws('the body in the middle', 'signature_missing', (value) => value.replace('..', '.e30.')),
  jws('two parts', 'signature_missing', (value) => value.replace('..', '.')),
  after('twice', 'signature_missing', ({ headers }) => ({ headers: again(headers, 'request-signature') })),
  after('beside a version that signs whole requests', 'signature_missing', ({ headers }) => ({
    headers: mapped(headers, 'ucp-agent', (value) => `${value}, version="2026-04-08"`),
  })),
];

export const manipulationsOf: Readonly<
  Record<DatedVersion, readonly (readonly [title: string, rows: readonly Manipulation[]])[]>
> = {
  '2026-04-08': [
    ['Taken', accepted],
    ['One byte changed', changed],
    ['Digests', digests],
    ['Components left out', leftOut],
    ['Keys and algorithms', keys],
    ['Times', times],
    ['Fields', fields],
  ],
  '2026-01-11': [['A detached signature of the body', older]],
};
