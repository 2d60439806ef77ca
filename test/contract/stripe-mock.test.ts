import { expect } from 'chai';
import { stripeProvider } from '#adapters/payment-providers/stripe/stripe-provider.ts';
import type { VaultCustomer } from '#ports/payment-requests.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { chargeOf } from '#test/support/builders/payment.ts';
import { skipFor } from '#test/support/real-engine.ts';
import { startStripeMock, type StripeMock } from '#test/support/stripe-mock.ts';

const mock = await startStripeMock();

/** It holds requests against Stripe's own description: what it answers at all, Stripe would have understood. */
const suite = (stand: StripeMock | null): void => {
  const provider = () =>
    stripeProvider({
      settings: () => ({
        secretKey: 'sk_test_123',
        publishableKey: 'pk_test_1',
        apiBaseUrl: stand?.url ?? '',
      }),
    });
  const ada = {
    customerId: idNamed('ada'),
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    providerCustomerId: null,
  };
  const start = (methodAlias: string, saveFor?: VaultCustomer) =>
    provider().start({
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

  // Its examples are of intents that nobody has paid, whatever was asked.
  const unpaid = ['refused', 'requiresAction', 'completed', 'pending', 'authorized'];

  it('understands a charge by method and by confirmation token', async () => {
    for (const token of ['pm_card_visa', 'ctoken_1']) {
      const outcome = await provider().charge(chargeOf(token));
      expect(outcome.kind).to.be.oneOf(unpaid);
      if (outcome.kind === 'refused') expect(outcome.code).to.not.match(/parameter|invalid_request/);
    }
  });

  it('understands a charge of a method that is kept, and one whose method is to be kept', async () => {
    const saved = { providerMethodId: 'pm_1', providerCustomerId: 'cus_1' };
    const outcomes = [
      await provider().charge({ ...chargeOf(''), source: { saved } }),
      await provider().charge({ ...chargeOf('pm_card_visa'), saveFor: ada }),
    ];
    for (const outcome of outcomes) {
      expect(outcome.kind).to.be.oneOf(unpaid);
      if (outcome.kind === 'refused') expect(outcome.code).to.not.match(/parameter|invalid_request/);
    }
  });

  for (const methodAlias of ['card', 'checkout', 'wallet']) {
    it(`understands the start of a session: ${methodAlias}`, async () => {
      for (const saveFor of [undefined, ada])
        expect((await start(methodAlias, saveFor)).kind).to.equal('started');
    });
  }

  it('is asked for payments and pages', async () => {
    expect((await provider().lookUp({ transactionId: 'pi_1' })).kind).to.equal('found');
    expect((await provider().confirm({ sessionId: 'cs_1', parameters: {} })).kind).to.equal('found');
  });

  it('understands captures, voids and refunds', async () => {
    const key = { idempotencyKey: idNamed('key'), transactionId: 'pi_1' };
    expect((await provider().capture({ ...key, ...money })).kind).to.equal('completed');
    expect((await provider().void(key)).kind).to.equal('completed');
    expect((await provider().void({ ...key, transactionId: 'cs_1' })).kind).to.equal('completed');
    const refund = await provider().refund({ ...key, ...money, reason: 'too small' });
    expect(refund.kind).to.be.oneOf(['completed', 'pending']);
    const found = await provider().lookUpRefund({ transactionId: 're_1' });
    expect(found.kind).to.be.oneOf(['completed', 'pending']);
  });

  it('understands what is kept and forgotten', async () => {
    const { setUp, confirm, remove } = provider().vault;
    const asked = {
      idempotencyKey: idNamed('key'),
      methodAlias: null,
      returnUrl: '',
      cancelUrl: '',
      ip: null,
    };
    expect((await setUp({ ...asked, customer: ada })).kind).to.equal('started');
    const confirmed = await confirm({
      sessionId: 'seti_1',
      token: 'pm_card_visa',
      providerCustomerId: null,
      parameters: {},
    });
    if (confirmed.kind === 'refused') expect(confirmed.code).to.not.match(/parameter|invalid_request/);
    expect(confirmed.kind).to.be.oneOf(['saved', 'refused']);
    await remove({ providerMethodId: 'pm_1', providerCustomerId: 'cus_1' });
  });

  it('lets a key be tried', async () => {
    expect(await provider().test()).to.equal(null);
  });
};

if (mock === null) skipFor("Stripe's stand-in, which is built with Go, cannot be had", () => suite(null));
else
  describe('the adapter of Stripe, against stripe-mock', () => {
    after(() => mock.dispose());
    suite(mock);
  });
