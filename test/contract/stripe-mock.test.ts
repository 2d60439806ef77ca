import { createServer, request as requestOf } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { stripeProvider } from '#adapters/payment-providers/stripe/stripe-provider.ts';
import type { VaultCustomer } from '#ports/payment-requests.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { chargeOf } from '#test/support/builders/payment.ts';
import { skipFor } from '#test/support/real-engine.ts';
import { startStripeMock, type StripeMock } from '#test/support/stripe-mock.ts';

const mock = await startStripeMock();

/** Passes requests on, and keeps what was answered: `POST /v1/refunds 200`. */
const recording = async (target: string) => {
  const answered: string[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const to = new URL(url, target);
    const forwarded = { method, headers: { ...headers, host: to.host } };
    const onward = requestOf(to, forwarded, (answer) => {
      const path = to.pathname.replace(/\/(pi|cs|re|seti|pm|cus|src|py)_[^/]+/g, '/{id}');
      answered.push(`${method} ${path} ${answer.statusCode ?? 0}`);
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${port}`, answered, close };
};

/** It holds requests against Stripe's own description: what Stripe would not understand is not answered 200. */
const suite = (stand: StripeMock | null): void => {
  let wire: Awaited<ReturnType<typeof recording>>;
  before(async () => {
    wire = await recording(stand?.url ?? '');
  });
  beforeEach(() => void (wire.answered.length = 0));
  after(() => wire.close());
  /** What has been asked for since, each understood. */
  const understood = (...requests: readonly string[]): void => {
    expect(wire.answered).to.deep.equal(requests.map((request) => `${request} 200`));
  };
  const provider = (capture = 'automatic') =>
    stripeProvider({
      settings: () => ({
        secretKey: 'sk_test_123',
        publishableKey: 'pk_test_1',
        apiBaseUrl: wire.url,
        capture,
      }),
    });
  const ada = {
    customerId: idNamed('ada'),
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    providerCustomerId: null,
  };
  const start = (methodAlias: string, saveFor?: VaultCustomer, capture?: string) =>
    provider(capture).start({
      idempotencyKey: idNamed(methodAlias),
      methodAlias,
      amountMinor: 2640,
      currency: 'GBP',
      invoiceId: idNamed('invoice'),
      basketId: idNamed('basket'),
      returnPage: 'https://shop.example/return?provider=stripe',
      cancelPage: 'https://shop.example/cancel?provider=stripe',
      description: 'INV-0001',
      ...(saveFor ? { saveFor } : {}),
    });
  const money = { amountMinor: 100, currency: 'GBP' };

  it('understands a charge by method and by confirmation token', async () => {
    for (const token of ['pm_card_visa', 'ctoken_1']) {
      const outcome = await provider().charge(chargeOf(token));
      // Its example is an intent that nobody has paid, whatever was asked.
      expect(outcome).to.include({ kind: 'refused' });
    }
    understood('POST /v1/payment_intents', 'POST /v1/payment_intents');
  });

  it('understands what is only to be authorised', async () => {
    const outcome = await provider('manual').charge(chargeOf('pm_card_visa'));
    expect(outcome).to.include({ kind: 'refused' });
    for (const methodAlias of ['card', 'checkout'])
      expect((await start(methodAlias, undefined, 'manual')).kind).to.equal('started');
    understood('POST /v1/payment_intents', 'POST /v1/payment_intents', 'POST /v1/checkout/sessions');
  });

  it('understands a charge of a method that is kept, and one whose method is to be kept', async () => {
    const saved = { providerMethodId: 'pm_1', providerCustomerId: 'cus_1' };
    const outcomes = [
      await provider().charge({ ...chargeOf(''), source: { saved } }),
      await provider().charge({ ...chargeOf('pm_card_visa'), saveFor: ada }),
    ];
    for (const outcome of outcomes) expect(outcome).to.include({ kind: 'refused' });
    understood('POST /v1/payment_intents', 'POST /v1/customers', 'POST /v1/payment_intents');
  });

  for (const [methodAlias, started] of [
    ['card', 'POST /v1/payment_intents'],
    ['checkout', 'POST /v1/checkout/sessions'],
    ['wallet', 'POST /v1/payment_intents'],
  ] as const) {
    it(`understands the start of a session: ${methodAlias}`, async () => {
      for (const saveFor of [undefined, ada])
        expect((await start(methodAlias, saveFor)).kind).to.equal('started');
      understood(started, 'POST /v1/customers', started);
    });
  }

  it('is asked for payments and pages', async () => {
    expect((await provider().lookUp({ transactionId: 'pi_1' })).kind).to.equal('found');
    expect((await provider().confirm({ sessionId: 'cs_1', parameters: {} })).kind).to.equal('found');
    understood('GET /v1/payment_intents/{id}', 'GET /v1/checkout/sessions/{id}');
  });

  it('understands captures, voids and refunds', async () => {
    const key = { idempotencyKey: idNamed('key'), transactionId: 'pi_1' };
    expect((await provider().capture({ ...key, ...money })).kind).to.equal('completed');
    expect((await provider().void(key)).kind).to.equal('completed');
    expect((await provider().void({ ...key, transactionId: 'cs_1' })).kind).to.equal('completed');
    const refund = await provider().refund({ ...key, ...money, reason: 'too small' });
    const found = await provider().lookUpRefund({ transactionId: 're_1' });
    expect([refund.kind, found.kind]).to.deep.equal(['completed', 'completed']);
    understood(
      'POST /v1/payment_intents/{id}/capture',
      'POST /v1/payment_intents/{id}/cancel',
      'POST /v1/checkout/sessions/{id}/expire',
      'POST /v1/refunds',
      'GET /v1/refunds/{id}',
    );
  });

  it('understands what is kept and forgotten', async () => {
    const { setUp, confirm, remove } = provider().vault;
    const asked = {
      idempotencyKey: idNamed('key'),
      methodAlias: null,
      returnPage: 'https://shop.example/return',
      ip: null,
    };
    expect((await setUp({ ...asked, customer: ada })).kind).to.equal('started');
    const confirmed = await confirm({
      sessionId: 'seti_1',
      token: 'pm_card_visa',
      providerCustomerId: null,
      parameters: {},
      returnPage: 'https://shop.example/return',
    });
    // Nor has anybody confirmed the example of a setup.
    expect(confirmed.kind).to.equal('refused');
    await remove({ providerMethodId: 'pm_1', providerCustomerId: 'cus_1' });
    understood(
      'POST /v1/customers',
      'POST /v1/setup_intents',
      'GET /v1/setup_intents/{id}',
      'POST /v1/setup_intents/{id}/confirm',
      'POST /v1/payment_methods/{id}/detach',
    );
  });

  it('lets a key be tried', async () => {
    expect(await provider().test()).to.equal(null);
    understood('GET /v1/balance');
  });
};

if (mock === null) skipFor("Stripe's stand-in, which is built with Go, cannot be had", () => suite(null));
else
  describe('the adapter of Stripe, against stripe-mock', () => {
    after(() => mock.dispose());
    suite(mock);
  });
