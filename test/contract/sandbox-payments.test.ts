import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { sandboxProvider } from '#adapters/payment-providers/sandbox/sandbox-provider.ts';
import type { RawCallback } from '#ports/payment-callback.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import { idNamed, noon } from '#test/support/builders/basket.ts';
import { chargeOf } from '#test/support/builders/payment.ts';
import { describeHolds } from './held-money.contract.ts';
import {
  describeCallbacks,
  describeCharges,
  describeDeclaration,
  describeSessions,
  describeVault,
  type ProviderUnderTest,
} from './payment-provider.contract.ts';

const secret = 'whsec_test';

const openSandbox = async (
  authorisesFirst = false,
  stateStore = createMemoryDocumentStore(),
  capture = 'automatic',
) => {
  let now = noon;
  const slept: number[] = [];
  const sleep = (milliseconds: number): Promise<void> => {
    slept.push(milliseconds);
    return Promise.resolve();
  };
  const settings = () => ({ webhookSecret: secret, authorisesFirst, capture });
  const provider = await sandboxProvider({ stateStore, clock: { now: () => now }, settings, sleep });
  const taken = async (): Promise<number> => {
    const charges = (await provider.charges()).filter(({ status }) =>
      ['Completed', 'Refunded'].includes(status),
    );
    const charged = charges.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
    const refunded = (await provider.refunds()).reduce((sum, { amountMinor }) => sum + amountMinor, 0);
    return charged - refunded;
  };
  const statuses = async () => (await provider.charges()).map(({ status }) => status);
  const pass = (milliseconds: number): void => void (now += milliseconds);
  return { provider, slept, taken, statuses, stateStore, pass };
};

const underTest = async (capture?: string): Promise<ProviderUnderTest> => {
  const { provider, taken, pass } = await openSandbox(false, createMemoryDocumentStore(), capture);
  let isAway = false;
  const charge: PaymentProvider['charge'] = (request) =>
    provider.charge(isAway ? { ...request, source: { token: 'tok_unavailable' } } : request);
  return {
    provider: { ...provider, charge },
    tokens: { good: 'tok_success', declined: 'tok_decline', slowRefund: 'tok_refund_pending' },
    payIn: async (sessionId) => void (await provider.confirm({ sessionId, parameters: {} })),
    endRefund: async (refundId, how) =>
      void (await provider.accepted({
        type: how === 'completed' ? 'RefundCompleted' : 'RefundFailed',
        ...{ refundId, transactionId: '', invoiceId: '', amountMinor: 640, currency: 'GBP' },
      })),
    goAway: () => void (isAway = true),
    loseResponse: () => 'tok_timeout',
    expire: () => pass(7 * 24 * 60 * 60_000),
    taken,
  };
};

const completed = JSON.stringify({
  id: 'evt_1',
  type: 'PaymentCompleted',
  data: { transactionId: 'tx_1', invoiceId: idNamed('invoice'), amount: 26.4, currency: 'GBP' },
});

const signed = (body = completed, at = noon, key = secret): RawCallback => {
  const t = Math.floor(at / 1000);
  const v1 = createHmac('sha256', key).update(`${t}.${body}`).digest('hex');
  return { body: Buffer.from(body), headers: { 'x-webhook-signature': `t=${t},v1=${v1}` }, now: noon };
};

describeDeclaration('sandbox', async () => (await openSandbox()).provider);
describeCharges('sandbox', () => underTest());
describeHolds('sandbox', 'wallet', () => underTest('manual'));
describeSessions('sandbox', 'wallet', () => underTest());
describeVault('sandbox', () => underTest());
describeCallbacks('sandbox', async () => ({
  provider: (await openSandbox()).provider,
  now: noon,
  signed: (options) => signed(completed, options?.at, options?.secret),
  ofRefund: (how) =>
    signed(
      JSON.stringify({
        type: how === 'completed' ? 'RefundCompleted' : 'RefundFailed',
        data: { transactionId: 'pi_1', refundId: 're_1', amount: 6.4, currency: 'GBP' },
      }),
    ),
}));

describe('the sandbox (docs/rules/payments.md#sandbox-tokens)', () => {
  it('asks again after two seconds when the first answer is lost: one charge', async () => {
    const { provider, slept, statuses } = await openSandbox();
    expect((await provider.charge(chargeOf('tok_timeout'))).kind).to.equal('completed');
    expect([slept, await statuses()]).to.deep.equal([[2000], ['Completed']]);
  });

  it('refuses a card without money in its own words', async () => {
    const { provider, statuses } = await openSandbox();
    expect(await provider.charge(chargeOf('tok_insufficient_funds'))).to.deep.equal({
      kind: 'refused',
      code: 'insufficient_funds',
      message: 'Insufficient funds.',
    });
    expect(await statuses()).to.deep.equal([]);
  });

  it('sends a payer whose bank wants to see them to the page for those who come back', async () => {
    const { provider } = await openSandbox();
    const outcome = await provider.charge(chargeOf('tok_3ds'));
    if (outcome.kind !== 'requiresAction') return expect.fail(outcome.kind);
    const { session, transactionId } = outcome;
    expect(transactionId).to.equal(session.sessionId);
    expect(session.redirectUrl).to.equal(
      `/api/shop/checkout/return?provider=sandbox&sessionId=${session.sessionId}`,
    );
  });

  for (const [outcomes, status, charges] of [
    [['', 'decline'], 'completed', ['Completed']],
    [['decline', ''], 'failed', []],
    [['pending', ''], 'completed', ['Completed']],
    [['pending', 'pending'], 'pending', []],
  ] as const) {
    it(`lets the first final outcome of a session stand: ${outcomes.map((one) => one || 'paid').join(', then ')}`, async () => {
      const { provider, statuses, stateStore } = await openSandbox();
      const { provider: another } = await openSandbox(false, stateStore);
      const charged = await provider.charge(chargeOf('tok_3ds'));
      const sessionId = charged.kind === 'requiresAction' ? charged.transactionId : expect.fail(charged.kind);
      for (const [index, outcome] of outcomes.entries())
        await (index === 0 ? provider : another).confirm({ sessionId, parameters: { outcome } });
      expect(await another.lookUp({ transactionId: sessionId })).to.have.nested.property(
        'payment.status',
        status,
      );
      expect(await statuses()).to.deep.equal(charges);
    });
  }

  it('charges a session once that two processes end at the same time', async () => {
    const { provider, statuses, stateStore } = await openSandbox();
    const { provider: another } = await openSandbox(false, stateStore);
    const charged = await provider.charge(chargeOf('tok_3ds'));
    const sessionId = charged.kind === 'requiresAction' ? charged.transactionId : expect.fail(charged.kind);
    const ended = await Promise.all([
      provider.confirm({ sessionId, parameters: {} }),
      another.confirm({ sessionId, parameters: {} }),
    ]);
    expect(ended[0]).to.deep.equal(ended[1]);
    expect(await statuses()).to.deep.equal(['Completed']);
  });

  it('owes an outcome until a callback brings it, which then is in its books', async () => {
    const { provider, statuses } = await openSandbox();
    const pending = await provider.charge(chargeOf('tok_pending'));
    const transactionId = pending.kind === 'pending' ? pending.transactionId : expect.fail(pending.kind);
    expect(await provider.lookUp({ transactionId })).to.have.nested.property('payment.status', 'pending');
    const callback = {
      type: 'PaymentCompleted',
      invoiceId: idNamed('invoice'),
      transactionId,
      refundId: null,
      amountMinor: 2640,
      currency: 'GBP',
    } as const;
    await provider.accepted(callback);
    await provider.accepted(callback);
    await provider.accepted({ ...callback, transactionId: 'made up by a test' });
    expect(await statuses()).to.deep.equal(['Completed', 'Completed']);
    expect(await provider.lookUp({ transactionId })).to.have.nested.property('payment.status', 'completed');
  });

  it('calls a charge refunded once all of it is given back, by the shop or by a callback', async () => {
    const { provider, statuses } = await openSandbox();
    const charged = await provider.charge(chargeOf('tok_success'));
    const transactionId = charged.kind === 'completed' ? charged.transactionId : expect.fail(charged.kind);
    const amount = { amountMinor: 1320, currency: 'GBP' };
    const part = { idempotencyKey: 'half', transactionId, reason: 'broken', ...amount };
    const refund = await provider.refund(part);
    expect(await statuses()).to.deep.equal(['Completed']);
    const told = {
      type: 'RefundCompleted',
      invoiceId: idNamed('invoice'),
      transactionId,
      ...amount,
    } as const;
    // The callback of the refund that the shop has asked for says nothing new.
    const refundId = refund.kind === 'completed' ? refund.transactionId : expect.fail(refund.kind);
    await provider.accepted({ ...told, refundId });
    expect(await statuses()).to.deep.equal(['Completed']);
    await provider.accepted({ ...told, refundId: 're_2' });
    await provider.accepted({ ...told, refundId: 're_2' });
    expect(await statuses()).to.deep.equal(['Refunded']);
    expect((await provider.refunds()).map(({ chargeTransactionId }) => chargeTransactionId)).to.deep.equal([
      transactionId,
      transactionId,
    ]);
  });

  it('fails the refunds of tok_refund_fails once they are looked up, and of others when a callback says so', async () => {
    const { provider, taken } = await openSandbox();
    const refundOf = async (token: string) => {
      const charged = await provider.charge(chargeOf(token, token));
      const transactionId = charged.kind === 'completed' ? charged.transactionId : expect.fail(charged.kind);
      const amount = { amountMinor: 2640, currency: 'GBP' };
      const asked = { idempotencyKey: `back ${token}`, transactionId, reason: 'broken', ...amount };
      const refund = await provider.refund(asked);
      return 'transactionId' in refund
        ? { ...amount, transactionId, refundId: refund.transactionId }
        : expect.fail(refund.kind);
    };
    const failing = await refundOf('tok_refund_fails');
    expect(await provider.lookUpRefund({ transactionId: failing.refundId })).to.have.property(
      'kind',
      'refused',
    );
    const done = await refundOf('tok_success');
    expect(await taken()).to.equal(2640);
    const told = { type: 'RefundFailed', invoiceId: idNamed('invoice'), ...done } as const;
    await provider.accepted(told);
    await provider.accepted(told);
    expect(await taken()).to.equal(5280);
    expect(await provider.lookUpRefund({ transactionId: done.refundId })).to.have.property('kind', 'refused');
  });

  it('authorises first where it is set so: what is captured is taken, what is voided never was', async () => {
    const { provider, statuses } = await openSandbox(true);
    const authorise = async (key: string): Promise<string> => {
      const outcome = await provider.charge(chargeOf('tok_success', key));
      return outcome.kind === 'authorized' ? outcome.transactionId : expect.fail(outcome.kind);
    };
    const [kept, undone] = [await authorise('kept'), await authorise('undone')];
    const capture = (transactionId: string) =>
      provider.capture({ idempotencyKey: 'capture', transactionId, amountMinor: 2640, currency: 'GBP' });
    const undo = (transactionId: string) => provider.void({ idempotencyKey: 'void', transactionId });
    const taken = { kind: 'completed', transactionId: kept, amountMinor: 2640 };
    expect(await capture(kept)).to.deep.equal(taken);
    expect(await capture(kept)).to.deep.equal(taken);
    expect(await undo(undone)).to.deep.equal({ kind: 'completed' });
    expect(await undo(undone)).to.deep.equal({ kind: 'completed' });
    expect((await statuses()).toSorted()).to.deep.equal(['Completed', 'Voided']);
    expect(await undo(kept)).to.have.property('kind', 'refused');
    expect(await capture(undone)).to.have.property('kind', 'refused');
  });

  for (const [token, once, later] of [
    ['tok_saved_decline', 'completed', 'card_declined'],
    ['tok_saved_expired', 'completed', 'expired_card'],
  ] as const) {
    it(`keeps ${token}, and refuses it later`, async () => {
      const { provider } = await openSandbox();
      const ada = { customerId: 'ada', email: 'ada@example.com', name: 'Ada', providerCustomerId: null };
      const outcome = await provider.charge({ ...chargeOf(token), saveFor: ada });
      expect(outcome.kind).to.equal(once);
      const saved = 'savedMethod' in outcome ? outcome.savedMethod : undefined;
      if (!saved) return expect.fail('it was not kept');
      const again = await provider.charge({ ...chargeOf('', 'again'), source: { saved } });
      expect(again).to.have.property('code', later);
    });
  }

  it('makes the session of a wallet by itself', async () => {
    const { provider } = await openSandbox();
    const made = await provider.validateWallet({
      validationUrl: 'https://apple-pay-gateway.apple.com/paymentservices/startSession',
      displayName: 'Mugs',
      domain: 'shop.example',
    });
    expect(made).to.have.nested.property('session.domainName', 'shop.example');
  });
});

describe('a callback of the sandbox (docs/rules/payments.md#sandbox-callbacks)', () => {
  const read = async (callback: RawCallback) => (await openSandbox()).provider.callback(callback);
  const plain = (body: string): RawCallback => {
    const signature = createHmac('sha256', secret).update(body).digest('base64');
    return { body: Buffer.from(body), headers: { 'x-signature': signature }, now: noon };
  };

  it('may be signed without a time, but not beside a signature with a time that is wrong', async () => {
    expect((await read(plain(completed))).kind).to.equal('event');
    const both = { ...plain(completed).headers, 'x-webhook-signature': 't=1,v1=00' };
    expect(await read({ ...plain(completed), headers: both })).to.deep.equal({ kind: 'invalidSignature' });
  });

  it('is refused where it comes from the future', async () => {
    expect(await read(signed(completed, noon + 301_000))).to.deep.equal({ kind: 'invalidSignature' });
  });

  it('says what a refund, a dispute, a risk and a settlement are about', async () => {
    const data = {
      transactionId: 'tx_1',
      refundId: 're_1',
      disputeId: 'dp_1',
      outcome: 'lost',
      amount: 1000,
      currency: 'jpy',
      reason: 'fraud',
      riskScore: 71,
      riskScoreSource: 'radar',
      settlementCurrency: 'USD',
      settlementAmount: 6.52,
      settlementExchangeRate: '0.00652',
    };
    const answer = await read(signed(JSON.stringify({ id: 'evt_2', type: 'DisputeResolved', data })));
    expect(answer).to.deep.equal({
      kind: 'event',
      event: {
        eventId: 'evt_2',
        type: 'DisputeResolved',
        transactionId: 'tx_1',
        invoiceId: null,
        sessionId: null,
        amountMinor: 1000,
        currency: 'JPY',
        reason: 'fraud',
        refundId: 're_1',
        disputeId: 'dp_1',
        disputeOutcome: 'lost',
        risk: { score: 71, source: 'radar' },
        settlement: { currency: 'USD', amountMinor: 652, exchangeRate: '0.00652' },
      },
    });
  });

  it('that names no event is known by its body; one of another kind is none that the shop knows', async () => {
    const nameless = await read(signed('{"type":"Fireworks"}'));
    expect(nameless).to.have.nested.property('event.type', 'Unknown');
    expect(nameless)
      .to.have.nested.property('event.eventId')
      .that.matches(/^[0-9a-f]{64}$/);
  });

  for (const [body, message] of [
    ['[]', 'body: must be a JSON object'],
    ['{"type":', 'body: must be a JSON object'],
    ['{"data":{}}', 'type: must be the name of an event'],
    ['{"type":"PaymentCompleted","data":{"amount":1.001,"currency":"GBP"}}', 'data.amount'],
    ['{"type":"PaymentCompleted","data":{"amount":-1,"currency":"GBP"}}', 'data.amount'],
    ['{"type":"PaymentCompleted","data":{"amount":"1","currency":"GBP"}}', 'data.amount'],
    ['{"type":"PaymentCompleted","data":{"amount":1}}', 'data.amount'],
    ['{"type":"PaymentCompleted","data":{"amount":1,"currency":"XXQ"}}', 'data.currency'],
  ] as const) {
    it(`is refused: ${body}`, async () => {
      const answer = await read(signed(body));
      expect(answer.kind).to.equal('malformed');
      expect(answer).to.have.property('message').that.includes(message);
    });
  }
});
