import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { toMinor } from '#values/money.ts';
import Stripe from 'stripe';
import { stripeProvider } from '#adapters/payment-providers/stripe/stripe-provider.ts';
import type { RawCallback, ReadCallback } from '#ports/payment-callback.ts';
import { idNamed, noon } from '#test/support/builders/basket.ts';
import { chargeOf, startOf } from '#test/support/builders/payment.ts';
import { startStripeDouble, type StripeDouble } from '#test/support/stripe/stripe-double.ts';
import { describeHolds } from './held-money.contract.ts';
import {
  describeCallbacks,
  describeCharges,
  describeDeclaration,
  describeSessions,
  describeVault,
  type ProviderUnderTest,
} from './payment-provider.contract.ts';

const webhookSecret = 'whsec_test';

const keys = { secretKey: 'sk_test_1', publishableKey: 'pk_test_1', webhookSecret };

const at = (apiBaseUrl: string, timeoutMilliseconds = 5000, capture = 'automatic') =>
  stripeProvider({ settings: () => ({ ...keys, apiBaseUrl, capture }), timeoutMilliseconds });

const underTest = async (capture?: string): Promise<ProviderUnderTest> => {
  const double = await startStripeDouble();
  return {
    provider: at(double.url, undefined, capture),
    tokens: {
      good: 'pm_card_visa',
      declined: 'pm_card_chargeDeclined',
      slowRefund: 'pm_card_pendingRefund',
    },
    payIn: double.payIn,
    endRefund: (refundId, how) => double.endRefund(refundId, how === 'completed' ? 'succeeded' : 'failed'),
    goAway: double.goAway,
    loseResponse: () => {
      double.loseResponse();
      return 'pm_card_visa';
    },
    expire: double.expire,
    taken: () => Promise.resolve(double.taken()),
    close: double.goAway,
  };
};

const event = (type: string, object: object): string =>
  JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } });

const intent = {
  id: 'pi_1',
  object: 'payment_intent',
  amount: 2640,
  amount_received: 2640,
  currency: 'gbp',
  metadata: { invoiceId: idNamed('invoice') },
};

const charge = {
  ...{ id: 'ch_1', object: 'charge', payment_intent: 'pi_1', captured: true, outcome: null },
  ...{ amount: 2640, amount_captured: 2640, currency: 'gbp', metadata: intent.metadata },
};

const refund = { id: 're_1', object: 'refund', payment_intent: 'pi_1', amount: 640, currency: 'gbp' };

const signed = (body: string, secret = webhookSecret): RawCallback => {
  const timestamp = Math.floor(noon / 1000);
  const header = Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
  return { body: Buffer.from(body), headers: { 'stripe-signature': header }, now: noon };
};

describeDeclaration('Stripe', () => Promise.resolve(at('')));
describeCharges('Stripe', () => underTest());
describeHolds('Stripe', 'wallet', () => underTest('manual'));
describeSessions('Stripe', 'wallet', () => underTest());
describeVault('Stripe', () => underTest());
describeCallbacks('Stripe', () =>
  Promise.resolve({
    provider: at(''),
    now: noon,
    signed: (options) => signed(event('payment_intent.succeeded', intent), options?.secret),
    ofRefund: (how) =>
      signed(event('refund.updated', { ...refund, status: how === 'completed' ? 'succeeded' : 'failed' })),
  }),
);

describe('what an answer of Stripe means (docs/guides/writing-a-payment-provider.md#what-went-wrong)', () => {
  let double: StripeDouble;
  before(async () => {
    double = await startStripeDouble();
  });
  after(() => double.goAway());

  const failing =
    (status: number, error: object) =>
    (response: ServerResponse): void =>
      void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error }));

  for (const [what, status, error, outcome] of [
    [
      'a card without money',
      402,
      { type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds', message: 'No money.' },
      { kind: 'refused', code: 'insufficient_funds', message: 'No money.' },
    ],
    [
      'a request that makes no sense',
      400,
      { type: 'invalid_request_error', code: 'parameter_invalid_integer', message: 'sk_live_secret' },
      {
        kind: 'refused',
        code: 'parameter_invalid_integer',
        message: 'The payment provider did not accept this payment.',
      },
    ],
    [
      'a wrong key',
      401,
      { type: 'invalid_request_error', message: 'sk_live_secret' },
      { kind: 'unavailable' },
    ],
    [
      'too many requests',
      429,
      { type: 'invalid_request_error', code: 'rate_limit' },
      { kind: 'unavailable' },
    ],
    [
      'a key that somebody asks with at this moment',
      409,
      { type: 'idempotency_error', code: 'idempotency_key_in_use' },
      { kind: 'unknownOutcome' },
    ],
    ['a conflict', 409, { type: 'invalid_request_error', code: 'lock_timeout' }, { kind: 'unknownOutcome' }],
    ['a failure of its own', 500, { type: 'api_error', message: 'Oops' }, { kind: 'unknownOutcome' }],
    ['a gateway without it', 503, { type: 'api_error', message: 'Later' }, { kind: 'unknownOutcome' }],
  ] as const) {
    it(`${what}: ${outcome.kind}`, async () => {
      double.answerNext(failing(status, error));
      expect(await at(double.url).charge(chargeOf('pm_card_visa'))).to.deep.equal(outcome);
    });
  }

  it('silence is an unknown outcome, and is not waited for without end', async () => {
    double.answerNext(() => undefined);
    const asked = at(double.url, 100).charge(chargeOf('pm_card_visa', 'silence'));
    expect(await asked).to.deep.equal({ kind: 'unknownOutcome' });
  });

  it('an answer without end is cut off', async () => {
    double.answerNext((response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(' '.repeat(100_000)));
      };
      response.on('drain', more);
      more();
    });
    const asked = at(double.url).charge(chargeOf('pm_card_visa', 'flood'));
    expect(await asked).to.deep.equal({ kind: 'unknownOutcome' });
  });

  it('nonsense is an unknown outcome', async () => {
    double.answerNext((response) => void response.writeHead(200).end('<html>'));
    const asked = at(double.url).charge(chargeOf('pm_card_visa', 'nonsense'));
    expect(await asked).to.deep.equal({ kind: 'unknownOutcome' });
  });

  it('a bank that wants to see the payer is a session at its page', async () => {
    const outcome = await at(double.url).charge(chargeOf('pm_card_authenticationRequired', '3ds'));
    expect(outcome).to.deep.nested.include({
      kind: 'requiresAction',
      'session.redirectUrl': 'https://hooks.stripe.com/3d_secure_2/hosted?of=pi_00000001',
      'session.sdkConfig.publishableKey': 'pk_test_1',
    });
  });

  it('is asked for with the key of the attempt, the invoice and the page to come back to', async () => {
    await at(double.url).charge(chargeOf('pm_card_visa', 'asked'));
    const { key, form } = double.asked.at(-1) ?? expect.fail('nobody was asked');
    expect(key).to.equal(idNamed('asked'));
    expect(form).to.include({
      amount: '2640',
      currency: 'gbp',
      'metadata[invoiceId]': idNamed('invoice'),
      return_url: 'https://shop.example/api/shop/checkout/return?provider=sandbox',
    });
  });

  // https://docs.stripe.com/currencies: of the special cases, 5 krónur are sent as 500, and so are 5 shillings; of
  // three decimals the last one is 0.
  for (const [price, currency, sent] of [
    ['5', 'ISK', '500'],
    ['5', 'UGX', '500'],
    ['5.12', 'KWD', '5120'],
    ['500', 'JPY', '500'],
    ['10.00', 'USD', '1000'],
  ] as const) {
    it(`is asked for ${price} ${currency} as ${sent}, and is understood so`, async () => {
      const amountMinor = toMinor(Number(price), currency);
      const asked = { ...chargeOf('pm_card_visa', currency.toLowerCase()), amountMinor, currency };
      const charged = await at(double.url).charge(asked);
      const transactionId = 'transactionId' in charged ? charged.transactionId : expect.fail(charged.kind);
      expect(double.asked.at(-1)?.form).to.include({ amount: sent, currency: currency.toLowerCase() });
      const found = await at(double.url).lookUp({ transactionId });
      expect(found).to.have.nested.property('payment.amountMinor', amountMinor);
    });
  }

  it('is not asked for an amount of three decimals whose last one is not 0, nor to give one back', async () => {
    const price = { amountMinor: toMinor(5.124, 'KWD'), currency: 'KWD' };
    const before = double.asked.length;
    const provider = at(double.url);
    const payment = { idempotencyKey: idNamed('fils'), transactionId: 'pi_1', ...price };
    for (const answer of [
      await provider.charge({ ...chargeOf('pm_card_visa', 'fils'), ...price }),
      await provider.refund({ ...payment, reason: '' }),
      await provider.capture(payment),
    ]) {
      expect(answer).to.include({ kind: 'refused', code: 'amount_not_in_steps' });
      expect(answer).to.have.property('message').that.includes('a multiple of KWD\u00a00.010');
    }
    expect(double.asked).to.have.length(before);
  });

  // https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts and #presentment-currencies
  for (const [what, amountMinor, currency, code, words] of [
    ['less than its minimum', 29, 'GBP', 'amount_too_small', /too small/],
    ['more than eight digits', 100_000_000, 'GBP', 'amount_too_large', /too large/],
    ['a currency that it does not have', 5000, 'IRR', 'currency_not_supported', /Choose another currency/],
  ] as const)
    for (const way of ['charge', 'intent', 'page'] as const)
      it(`refuses ${what}, in words for shoppers: ${way}`, async () => {
        const price = { amountMinor, currency };
        const methodAlias = way === 'page' ? 'checkout' : 'card';
        const session = { ...startOf(`${way} ${code}`), methodAlias, ...price };
        const asked =
          way === 'charge'
            ? at(double.url).charge({ ...chargeOf('pm_card_visa', code), ...price })
            : at(double.url).start(session);
        const answer = await asked;
        expect(answer).to.include({ kind: 'refused', code });
        expect(answer).to.have.property('message').that.matches(words);
      });

  // https://docs.stripe.com/error-codes#authentication-required
  it('refuses a card whose bank wants to see a payer where nobody is there', async () => {
    const asked = {
      ...chargeOf('pm_card_authenticationRequired', 'nobody there'),
      isOffSession: true,
    } as const;
    const answer = await at(double.url).charge(asked);
    expect(answer).to.include({ kind: 'refused', code: 'authentication_required' });
    expect(answer).to.have.property('message').that.includes('Pay with the card at the checkout');
    expect(double.asked.at(-1)?.form).to.include({ off_session: 'true' }).and.not.have.property('return_url');
    const set = { ...chargeOf('pm_card_visa', 'nobody needed'), isOffSession: true } as const;
    expect(await at(double.url).charge(set)).to.have.property('kind', 'completed');
  });

  it('says whether the key is right', async () => {
    const provider = at(double.url);
    expect(await provider.test()).to.equal(null);
    double.answerNext(failing(401, { type: 'invalid_request_error', message: 'sk_live_secret' }));
    expect(await provider.test()).to.equal('Stripe does not accept the secret key.');
    double.answerNext(failing(500, { type: 'api_error' }));
    expect(await provider.test()).to.equal('Stripe does not answer.');
  });
});

describe('what Stripe tells the shop of its own accord', () => {
  const read = (type: string, object: object): ReadCallback => at('').callback(signed(event(type, object)));
  const failure = { message: 'Your card was declined.' };

  for (const [type, object, told] of [
    [
      'payment_intent.payment_failed',
      { ...intent, last_payment_error: failure },
      { type: 'PaymentFailed', reason: failure.message },
    ],
    ['payment_intent.canceled', intent, { type: 'PaymentCancelled', transactionId: 'pi_1' }],
    [
      'checkout.session.completed',
      {
        id: 'cs_1',
        payment_status: 'paid',
        payment_intent: 'pi_1',
        amount_total: 2640,
        currency: 'gbp',
        metadata: intent.metadata,
      },
      { type: 'PaymentCompleted', transactionId: 'pi_1', sessionId: 'cs_1', amountMinor: 2640 },
    ],
    [
      'checkout.session.completed',
      { id: 'cs_1', payment_status: 'unpaid', payment_intent: 'pi_1', amount_total: 1, currency: 'gbp' },
      { type: 'Unknown' },
    ],
    [
      'refund.updated',
      { ...refund, status: 'succeeded' },
      { type: 'RefundCompleted', refundId: 're_1', transactionId: 'pi_1', amountMinor: 640 },
    ],
    ['refund.created', { ...refund, status: 'pending' }, { type: 'Unknown' }],
    [
      'refund.failed',
      { ...refund, status: 'failed', failure_reason: 'lost_or_stolen_card' },
      { type: 'RefundFailed', refundId: 're_1', reason: 'The refund has failed: lost or stolen card.' },
    ],
    [
      'charge.refund.updated',
      { ...refund, status: 'canceled' },
      { type: 'RefundFailed', reason: 'The refund has failed: canceled.' },
    ],
    ['charge.refund.updated', { ...refund, status: 'succeeded' }, { type: 'RefundCompleted' }],
    [
      'charge.dispute.created',
      {
        id: 'dp_1',
        status: 'needs_response',
        payment_intent: 'pi_1',
        amount: 2640,
        currency: 'gbp',
        reason: 'fraudulent',
      },
      { type: 'DisputeOpened', disputeId: 'dp_1', disputeOutcome: null, reason: 'fraudulent' },
    ],
    [
      'charge.dispute.closed',
      { id: 'dp_1', status: 'lost', payment_intent: 'pi_1', amount: 2640, currency: 'gbp' },
      { type: 'DisputeResolved', disputeOutcome: 'lost' },
    ],
    [
      'charge.succeeded',
      { ...charge, outcome: { risk_level: 'elevated', risk_score: 68 } },
      {
        type: 'PaymentCompleted',
        transactionId: 'pi_1',
        amountMinor: 2640,
        risk: { score: 68, source: 'radar' },
      },
    ],
    [
      'charge.updated',
      { ...charge, outcome: { risk_level: 'highest' } },
      { type: 'PaymentCompleted', risk: { score: 75, source: 'radar' } },
    ],
    [
      'charge.succeeded',
      { ...charge, outcome: { risk_level: 'not_assessed' } },
      { type: 'PaymentCompleted', risk: null },
    ],
    ['charge.succeeded', { ...charge, captured: false, amount_captured: 0 }, { type: 'Unknown' }],
    ['charge.succeeded', { ...charge, payment_intent: null }, { type: 'Unknown' }],
    ['invoice.paid', { id: 'in_1' }, { type: 'Unknown' }],
  ] as const) {
    it(`${type} is ${told.type}`, () => {
      const answer = read(type, object);
      expect(answer.kind === 'event' ? answer.event : answer).to.deep.include({ eventId: 'evt_1', ...told });
    });
  }

  it('is not read without a secret, nor where it is no event', () => {
    const provider = stripeProvider({ settings: () => ({}) });
    expect(provider.callback(signed(event('x', {})))).to.deep.equal({ kind: 'invalidSignature' });
    expect(at('').callback(signed('{"data":{}}')).kind).to.equal('malformed');
    expect(at('').callback(signed('{"id":')).kind).to.equal('malformed');
  });
});
