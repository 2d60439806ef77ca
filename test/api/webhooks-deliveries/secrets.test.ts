import { expect } from 'chai';
import { pino } from 'pino';
import type { ApiResponse } from '#test/support/browser.ts';
import { TestShop } from '#test/support/shop.ts';
import { startReceiver, type Receiver, type Responder } from '#test/support/subscriber.ts';

const mgmt = '/backoffice/api/v1';
const password = 'pässword/with="signs"';
const credentials = {
  token: 'tok/en+of-the-address',
  bearer: 'bearer-of-the-receiver/==',
  key: 'key-of-the-receiver',
  login: `ali:${password}`,
  header: 'value/of-an-own-header',
};

const none = {};
const kinds: readonly Readonly<Record<string, unknown>>[] = [
  { authType: 'None' },
  { authType: 'HmacSha256', standardWebhooks: true, headers: { 'X-Team-Token': credentials.header } },
  { authType: 'HmacSha512' },
  { authType: 'BearerToken', authHeaderValue: credentials.bearer },
  { authType: 'ApiKey', authHeaderName: 'X-Receiver-Key', authHeaderValue: credentials.key },
  { authType: 'BasicAuth', authHeaderValue: credentials.login },
];

/** Repeats everything that it was sent, in its body and in its header fields, and refuses it. */
const echo: Responder = (response, { path, headers }) => {
  const { authorization = '', 'x-receiver-key': key = '', 'webhook-signature': signature = '' } = headers;
  const php = JSON.stringify(headers).replaceAll('/', '\\/');
  const login = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
  const whole = `${path} ${JSON.stringify(headers)} ${php} ${login} ${JSON.stringify({ login })}`;
  const some = `${authorization} ${String(key)} ${String(signature)}`;
  response.writeHead(500, { 'X-Echo': some, 'X-Path': path }).end(whole);
};

/** As it may be written: in clear, in JSON, in JSON of PHP, in an address, in base64. */
const spellings = (secret: string): readonly string[] => {
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    json,
    json.replaceAll('/', '\\/'),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64'),
  ];
};

describe('A secret of a webhook', () => {
  let shop: TestShop;
  let receiver: Receiver;
  const lines: string[] = [];
  const answers: (readonly [call: string, text: string])[] = [];
  /** Told once each, when a subscription or a new secret is made. */
  const signingSecrets: string[] = [];

  const note = (call: string, { text }: ApiResponse, isToldOnce = false): void => {
    const secret = isToldOnce ? String((JSON.parse(text) as { secret?: string }).secret) : null;
    answers.push([call, secret === null ? text : text.replaceAll(secret, '')]);
    if (secret !== null) signingSecrets.push(secret);
  };
  const asked = async (path: string): Promise<ApiResponse> => {
    const answer = await shop.admin.get(mgmt + path);
    expect(answer.status, path).to.equal(200);
    note(`GET ${path}`, answer);
    return answer;
  };
  const sent = async (
    path: string,
    body: object,
    status: number,
    isToldOnce = false,
  ): Promise<ApiResponse> => {
    const answer = await shop.admin.post(mgmt + path, body);
    expect(answer.status, `${path} ${answer.text}`).to.equal(status);
    note(`POST ${path}`, answer, isToldOnce);
    return answer;
  };

  before(async () => {
    receiver = await startReceiver(echo);
    shop = await TestShop.open({
      environment: { ALLOW_LOOPBACK_TARGETS: 'true' },
      log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
    });
  });
  after(async () => {
    await shop.close();
    await receiver.stop();
  });

  const yesterday = new Date(Date.now() - 86_400_000).toISOString();
  const targetUrl = (): string => `${receiver.url}?token=${encodeURIComponent(credentials.token)}`;

  it('is in no answer of any endpoint: lists, details, deliveries, trials, changes, refusals', async () => {
    const ids: string[] = [];
    for (const kind of kinds) {
      const body = {
        name: String(kind['authType']),
        topic: 'customer.created',
        targetUrl: targetUrl(),
        ...kind,
      };
      const isSigned = String(kind['authType']).startsWith('Hmac');
      ids.push((await sent('/webhooks', body, 201, isSigned)).body['id'] as string);
    }
    await shop.admin.post(`${mgmt}/customers`, { email: 'ada@example.com' });
    await shop.settle();
    expect(receiver.received).to.have.length(kinds.length);

    for (const id of ids) {
      await asked(`/webhooks/${id}`);
      await asked(`/webhooks/${id}/events`);
      const { body } = await asked(`/webhooks/${id}/deliveries`);
      const [delivery] = body['items'] as readonly { readonly id: string }[];
      const detail = await asked(`/webhooks/deliveries/${delivery?.id}`);
      expect(detail.body['responseBody']).to.contain('***');
      await sent(`/webhooks/deliveries/${delivery?.id}/retry`, none, 200);
      await sent(`/webhooks/${id}/test`, none, 200);
      await sent(`/webhooks/${id}/regenerate-secret`, none, 200, true);
      await sent(`/webhooks/${id}/replay`, { from: yesterday, include: 'all' }, 202);
      note('PUT', await shop.admin.put(`${mgmt}/webhooks/${id}`, { name: 'Renamed' }));
    }
    await shop.settle();
    for (const path of [
      '/webhooks',
      '/webhooks/stats',
      '/webhooks/topics',
      '/audit/events?position=0&limit=1000',
    ])
      await asked(path);
    await asked('/health-checks');
    await sent('/webhooks/ping', { url: targetUrl() }, 200);
    await sent('/webhooks/ping', { url: `ftp://${encodeURIComponent(credentials.login)}@example.com` }, 200);
    const wrong = { name: 'Wrong', topic: 'customer.created', targetUrl: targetUrl() };
    for (const changes of [
      { authType: 'BasicAuth', authHeaderValue: credentials.bearer },
      { authType: 'BearerToken', authHeaderValue: `${credentials.bearer}\n` },
      { headers: { 'X-Token': `${credentials.header}\n` } },
      { targetUrl: `http://10.0.0.1/?token=${credentials.token}` },
      { targetUrl: `https://${encodeURIComponent(credentials.login)}@example.com` },
    ])
      await sent('/webhooks', { ...wrong, ...changes }, 400);
    await shop.settle();

    const signatures = receiver.received.flatMap(({ headers }) =>
      ['x-service-hmac-sha256', 'x-service-hmac-sha512', 'webhook-signature'].flatMap((name) =>
        headers[name] ? [String(headers[name]).replace(/^v1,/, '')] : [],
      ),
    );
    expect(signatures).to.have.length.above(5);
    expect(signingSecrets).to.have.length(2 + kinds.length);
    const secrets = [...Object.values(credentials), password, ...signingSecrets, ...signatures].flatMap(
      spellings,
    );
    const found = answers.flatMap(([call, text]) =>
      secrets.filter((secret) => text.includes(secret)).map((secret) => `${call}: ${secret}`),
    );
    expect(found).to.deep.equal([]);
  });

  it('is in no log line', () => {
    expect(lines.some((line) => line.includes('delivery attempted'))).to.equal(true);
    const secrets = [...Object.values(credentials), password, ...signingSecrets].flatMap(spellings);
    const found = lines.filter((line) => secrets.some((secret) => line.includes(secret)));
    expect(found).to.deep.equal([]);
  });
});
