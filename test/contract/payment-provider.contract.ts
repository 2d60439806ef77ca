import { expect } from 'chai';
import type { RawCallback } from '#ports/payment-callback.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { ChargeRequest, RefundRequest, SavedMethodIds, StartRequest } from '#ports/payment-requests.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { chargeOf, startOf } from '#test/support/builders/payment.ts';

/** A provider, and what makes it say what the suite wants to hear. */
export interface ProviderUnderTest {
  readonly provider: PaymentProvider;
  /** `slowRefund`: is charged, and its refunds are on their way until they end. */
  readonly tokens: { readonly good: string; readonly declined: string; readonly slowRefund: string };
  /** Somebody pays in a session. */
  readonly payIn: (sessionId: string) => void | Promise<void>;
  /** A refund that was on its way, by the provider's name of it. */
  readonly endRefund: (transactionId: string, how: 'completed' | 'failed') => void | Promise<void>;
  /** The next request finds nobody. */
  readonly goAway: () => void | Promise<void>;
  /** A token whose charge is made, and whose first answer never comes; or what loses the next answer. */
  readonly loseResponse: () => string | Promise<string>;
  /** What is held under this name was not captured in time. */
  readonly expire: (transactionId: string) => void;
  /** What the provider itself has taken, less what it gave back. */
  readonly taken: () => Promise<number>;
  readonly close?: () => Promise<void>;
}

/** What the provider calls the shop with. */
export interface CallbackUnderTest {
  readonly provider: PaymentProvider;
  readonly now: number;
  /** A callback of a payment of 26.40 GBP. `at` in milliseconds. */
  readonly signed: (options?: { readonly at?: number; readonly secret?: string }) => RawCallback;
  /** Of a refund of 6.40 GBP, `re_1` of payment `pi_1`. */
  readonly ofRefund: (how: 'completed' | 'failed') => RawCallback;
}

const can = <T>(ability: T | undefined): T => ability ?? expect.fail('it cannot do that');

/** What every provider declares, whatever it can do. */
export const describeDeclaration = (name: string, open: () => Promise<PaymentProvider>): void => {
  describe(`what is declared of the payment provider ${name}`, () => {
    let provider: PaymentProvider;
    before(async () => {
      provider = await open();
    });

    it('names each method and each field once', () => {
      for (const names of [
        provider.methods.map(({ methodAlias }) => methodAlias),
        provider.fields.map(({ key }) => key),
      ])
        expect(new Set(names).size).to.equal(names.length);
      expect(provider.methods).to.not.be.empty;
    });

    it('shows as a secret what is one', () => {
      for (const { key, type, isSecret } of provider.fields)
        expect(isSecret, key).to.equal(type === 'secret');
    });

    it('says of itself what it can do', () => {
      const { supports, refund, lookUpRefund, capture, charge, direct, methods } = provider;
      expect(supports.refunds).to.equal(refund !== undefined);
      expect(supports.refunds).to.equal(lookUpRefund !== undefined);
      expect(supports.partialRefunds && !supports.refunds).to.equal(false);
      expect(supports.authAndCapture).to.equal(capture !== undefined && provider.void !== undefined);
      expect(methods.every(({ integration }) => integration === 'DirectForm')).to.equal(direct !== null);
      expect(charge !== undefined).to.equal(direct === null);
    });

    it('knows what is no token of its own', () => {
      expect(provider.checkToken('4242 4242 4242 4242')).to.be.a('string');
    });
  });
};

const refundOf = (transactionId: string, amountMinor: number, key: string): RefundRequest => ({
  idempotencyKey: idNamed(key),
  transactionId,
  amountMinor,
  currency: 'GBP',
  reason: 'too small',
});

/** Where those come back to who were at their bank. */
const returnPage = 'https://shop.example/api/shop/storefront/payment-methods/return?provider=x';

const person = {
  customerId: idNamed('ada'),
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  providerCustomerId: null,
};

/** What every provider that takes money is held to. */
export const describeCharges = (name: string, open: () => Promise<ProviderUnderTest>): void => {
  describe(`money at the payment provider ${name}`, () => {
    let shop: ProviderUnderTest;
    beforeEach(async () => {
      shop = await open();
    });
    afterEach(async () => shop.close?.());

    const charge = (request: ChargeRequest) => can(shop.provider.charge)(request);
    const transaction = async (request: ChargeRequest): Promise<string> => {
      const outcome = await charge(request);
      return outcome.kind === 'completed' ? outcome.transactionId : expect.fail(JSON.stringify(outcome));
    };
    const refund = (request: RefundRequest) => can(shop.provider.refund)(request);

    it('is taken once under a key, however often it is asked for, and answered alike', async () => {
      const { good } = shop.tokens;
      const answers = await Promise.all([1, 2, 3].map(() => charge(chargeOf(good))));
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).to.equal(1);
      expect(answers[0]).to.have.property('kind', 'completed');
      expect(await shop.taken()).to.equal(2640);
      await charge(chargeOf(good, 'another key'));
      expect(await shop.taken()).to.equal(5280);
    });

    it('is not taken where the card is declined, and the payer is told why', async () => {
      const outcome = await charge(chargeOf(shop.tokens.declined));
      expect(outcome).to.deep.include({ kind: 'refused', code: 'card_declined' });
      expect(outcome).to.have.property('message').that.is.a('string').and.not.empty;
      expect(await shop.taken()).to.equal(0);
    });

    it('is certainly not taken where nobody can be reached', async () => {
      await shop.goAway();
      expect(await charge(chargeOf(shop.tokens.good))).to.deep.equal({ kind: 'unavailable' });
      expect(await shop.taken()).to.equal(0);
    });

    it('is taken once although the first answer was lost', async () => {
      const request = chargeOf(await shop.loseResponse());
      const first = await charge(request);
      expect(first.kind).to.be.oneOf(['unknownOutcome', 'completed']);
      expect((await charge(request)).kind).to.equal('completed');
      expect(await shop.taken()).to.equal(2640);
    });

    it('is taken and given back once under a key that is asked with in other words later', async () => {
      const request = { ...chargeOf(shop.tokens.good), saveFor: person };
      const transactionId = await transaction(request);
      const elsewhere = 'https://other.example/api/shop/checkout/return?provider=x';
      const moved = { ...person, email: 'ada.king@example.com' };
      expect(await transaction({ ...request, returnPage: elsewhere, saveFor: moved })).to.equal(
        transactionId,
      );
      expect(await shop.taken()).to.equal(2640);
      const asked = refundOf(transactionId, 640, 'part');
      const first = await refund(asked);
      expect(await refund({ ...asked, reason: '' })).to.deep.equal(first);
      expect(await shop.taken()).to.equal(2000);
    });

    it('is found by its transaction, with its amount and currency', async () => {
      const transactionId = await transaction(chargeOf(shop.tokens.good));
      const lookUp = can(shop.provider.lookUp);
      const found = await lookUp({ transactionId });
      expect(found).to.have.nested.property('payment.status', 'completed');
      expect(found).to.deep.nested.include({ 'payment.amountMinor': 2640, 'payment.currency': 'GBP' });
      expect(found).to.have.nested.property('payment.invoiceId', idNamed('invoice'));
      expect(await lookUp({ transactionId: 'pi_of_nobody' })).to.deep.equal({ kind: 'notFound' });
    });

    it('is given back in parts, once under a key, and never more than was taken', async () => {
      const transactionId = await transaction(chargeOf(shop.tokens.good));
      const part = refundOf(transactionId, 640, 'part');
      const answers = [await refund(part), await refund(part)];
      expect(answers[0]).to.have.property('kind', 'completed');
      expect(answers[0]).to.deep.equal(answers[1]);
      expect(await shop.taken()).to.equal(2000);
      expect(await refund(refundOf(transactionId, 2001, 'too much'))).to.have.property('kind', 'refused');
      expect(await refund(refundOf(transactionId, 2000, 'rest'))).to.have.property('kind', 'completed');
      expect(await refund(refundOf(transactionId, 1, 'more'))).to.have.property('kind', 'refused');
      expect(await shop.taken()).to.equal(0);
    });

    it('is given back once by two who ask at the same time for all of it', async () => {
      const transactionId = await transaction(chargeOf(shop.tokens.good));
      const both = await Promise.all(
        ['one', 'other'].map((key) => refund(refundOf(transactionId, 2640, key))),
      );
      expect(both.map(({ kind }) => kind)).to.have.members(['completed', 'refused']);
      expect(await shop.taken()).to.equal(0);
    });

    for (const [how, left] of [
      ['completed', 2000],
      ['failed', 2640],
    ] as const) {
      it(`is on its way back until the provider says more: ${how}`, async () => {
        const transactionId = await transaction(chargeOf(shop.tokens.slowRefund));
        const part = refundOf(transactionId, 640, 'part');
        const asked = [await refund(part), await refund(part)];
        expect(asked[0]).to.have.property('kind', 'pending');
        expect(asked[0]).to.deep.equal(asked[1]);
        const name = asked[0]?.kind === 'pending' ? asked[0].transactionId : expect.fail('not pending');
        const look = () => can(shop.provider.lookUpRefund)({ transactionId: name });
        expect(await look()).to.deep.equal({ kind: 'pending', transactionId: name });
        await shop.endRefund(name, how);
        const found = await look();
        expect(found.kind).to.equal(how === 'completed' ? 'completed' : 'refused');
        expect(await look()).to.deep.equal(found);
        expect(await shop.taken()).to.equal(left);
        // What has failed can be asked for again, under another key.
        const rest = await refund(refundOf(transactionId, left, 'rest'));
        expect(rest.kind).to.be.oneOf(['completed', 'pending']);
      });
    }

    it('is neither given back nor lost of a refund that the provider does not find', async () => {
      const look = can(shop.provider.lookUpRefund);
      expect(await look({ transactionId: 're_of_nobody' })).to.deep.equal({ kind: 'unknownOutcome' });
    });

    it('is not given back of a payment that nobody knows', async () => {
      expect(await refund(refundOf('pi_of_nobody', 1, 'key'))).to.have.property('kind', 'refused');
    });
  });
};

/** What every provider with sessions is held to. */
export const describeSessions = (
  name: string,
  methodAlias: string,
  open: () => Promise<ProviderUnderTest>,
): void => {
  describe(`sessions of the payment provider ${name}`, () => {
    let shop: ProviderUnderTest;
    beforeEach(async () => {
      shop = await open();
    });
    afterEach(async () => shop.close?.());

    const start = async (key: string, changes: Partial<StartRequest> = {}) => {
      const started = await can(shop.provider.start)({
        ...startOf(key),
        methodAlias,
        invoiceId: null,
        basketId: idNamed('basket'),
        ...changes,
      });
      return started.kind === 'started' ? started.session : expect.fail(JSON.stringify(started));
    };
    const look = (transactionId: string) => can(shop.provider.lookUp)({ transactionId });
    const close = (transactionId: string) =>
      can(shop.provider.void)({ idempotencyKey: idNamed(`void ${transactionId}`), transactionId });

    it('are started once under a key, and say for which basket and amount', async () => {
      const [one, again, other] = [await start('one'), await start('one'), await start('other')];
      expect(one).to.deep.equal(again);
      expect(one.sessionId).to.not.equal(other.sessionId);
      expect(await look(one.sessionId)).to.deep.nested.include({
        'payment.status': 'open',
        'payment.basketId': idNamed('basket'),
        'payment.invoiceId': null,
        'payment.amountMinor': 2640,
        'payment.currency': 'GBP',
      });
      expect(await shop.taken()).to.equal(0);
    });

    it('are started all the same under a key that was asked with in other words before', async () => {
      const cancelPage = 'https://other.example/api/shop/checkout/cancel?provider=x';
      const changes = { cancelPage, returnPage: cancelPage, description: 'INV-0002' };
      const [first, other] = [await start('one'), await start('one', changes)];
      expect(await look(other.sessionId)).to.have.nested.property('payment.status', 'open');
      expect(first.sessionId).to.be.a('string');
    });

    it('keep the method that was paid with, where that was asked for, and tell of it whoever looks', async () => {
      const { sessionId } = await start('kept', { saveFor: person });
      await shop.payIn(sessionId);
      const found = [await look(sessionId), await look(sessionId)];
      expect(found[0]).to.deep.nested.include({
        'payment.status': 'completed',
        'payment.savedMethod.last4': '4242',
      });
      expect(found[0]).to.deep.equal(found[1]);
      const { sessionId: other } = await start('not kept');
      await shop.payIn(other);
      expect(await look(other)).to.not.have.nested.property('payment.savedMethod');
    });

    it('can be closed, twice too, and take nothing then', async () => {
      const { sessionId } = await start('one');
      expect(await close(sessionId)).to.deep.equal({ kind: 'completed' });
      expect(await close(sessionId)).to.deep.equal({ kind: 'completed' });
      expect(await look(sessionId)).to.have.nested.property('payment.status', 'cancelled');
      expect(await shop.taken()).to.equal(0);
    });
  });
};

/** What every provider that keeps ways to pay is held to. */
export const describeVault = (name: string, open: () => Promise<ProviderUnderTest>): void => {
  describe(`what the payment provider ${name} keeps`, () => {
    let shop: ProviderUnderTest;
    beforeEach(async () => {
      shop = await open();
    });
    afterEach(async () => shop.close?.());

    const saved = async () => {
      const vault = can(shop.provider.vault);
      const setUp = await vault.setUp({
        idempotencyKey: idNamed('set up'),
        customer: person,
        methodAlias: null,
        returnPage,
        ip: '203.0.113.9',
      });
      if (setUp.kind !== 'started') return expect.fail(JSON.stringify(setUp));
      const { sessionId, providerCustomerId } = setUp.session;
      const token = shop.tokens.good;
      const confirmation = { sessionId, token, providerCustomerId, parameters: {}, returnPage };
      const confirmed = [await vault.confirm(confirmation), await vault.confirm(confirmation)];
      expect(confirmed[0]).to.deep.equal(confirmed[1]);
      return confirmed[0]?.kind === 'saved' ? confirmed[0].method : expect.fail(JSON.stringify(confirmed));
    };
    const chargeSaved = (ids: SavedMethodIds, key: string) => {
      const { providerMethodId, providerCustomerId } = ids;
      const source = { saved: { providerMethodId, providerCustomerId } };
      return can(shop.provider.charge)({ ...chargeOf('', key), source });
    };

    it('is recognised by its last digits and expiry, and can be charged until it is forgotten', async () => {
      const method = await saved();
      expect(method).to.deep.include({ methodType: 'Card', cardBrand: 'visa', last4: '4242' });
      expect(method.expiryYear).to.be.greaterThan(2030);
      expect(JSON.stringify(method)).to.not.include(shop.tokens.good);
      expect((await chargeSaved(method, 'first')).kind).to.equal('completed');
      expect(await shop.taken()).to.equal(2640);

      const { remove } = can(shop.provider.vault);
      await remove(method);
      await remove(method);
      expect(await chargeSaved(method, 'second')).to.have.property('kind', 'refused');
      expect(await shop.taken()).to.equal(2640);
    });

    it('is not charged for somebody else', async () => {
      const method = await saved();
      const stranger = { ...method, providerCustomerId: 'cus_of_somebody_else' };
      expect(await chargeSaved(stranger, 'first')).to.have.property('kind', 'refused');
    });

    it('is kept with a purchase, too', async () => {
      const charged = await can(shop.provider.charge)({ ...chargeOf(shop.tokens.good), saveFor: person });
      const method = 'savedMethod' in charged ? charged.savedMethod : undefined;
      expect((await chargeSaved(can(method), 'next')).kind).to.equal('completed');
      expect(await shop.taken()).to.equal(5280);
    });
  });
};

const altered = (body: Uint8Array): Uint8Array => {
  const bytes = Uint8Array.from(body);
  const last = bytes.length - 2;
  bytes[last] = (bytes[last] ?? 0) ^ 1;
  return bytes;
};

/** What every provider that calls the shop is held to. */
export const describeCallbacks = (name: string, open: () => Promise<CallbackUnderTest>): void => {
  describe(`callbacks of the payment provider ${name}`, () => {
    let calls: CallbackUnderTest;
    before(async () => {
      calls = await open();
    });
    const read = (callback: RawCallback) => {
      const { callback: reader } = calls.provider;
      return reader ? reader(callback) : expect.fail('it has none');
    };

    it('are read where the provider has signed them', () => {
      const answer = read(calls.signed());
      expect(answer).to.deep.nested.include({
        'event.type': 'PaymentCompleted',
        'event.invoiceId': idNamed('invoice'),
        'event.amountMinor': 2640,
        'event.currency': 'GBP',
      });
      const other = read(calls.signed());
      expect(other, 'the same event has the same name').to.deep.equal(answer);
    });

    for (const [how, type] of [
      ['completed', 'RefundCompleted'],
      ['failed', 'RefundFailed'],
    ] as const) {
      it(`say what has come of a refund: ${how}`, () => {
        expect(read(calls.ofRefund(how))).to.deep.nested.include({
          'event.type': type,
          'event.transactionId': 'pi_1',
          'event.refundId': 're_1',
          'event.amountMinor': 640,
          'event.currency': 'GBP',
        });
      });
    }

    for (const [what, change] of [
      ['a byte of the body is another', (raw) => ({ ...raw, body: altered(raw.body) })],
      [
        'the JSON is written anew',
        (raw) => ({
          ...raw,
          body: Buffer.from(JSON.stringify(JSON.parse(Buffer.from(raw.body).toString()), null, 1)),
        }),
      ],
      ['there is no signature', (raw) => ({ ...raw, headers: {} })],
      ['it is cut off', (raw) => ({ ...raw, body: raw.body.subarray(0, 20) })],
      ['it is five minutes and a second old', (raw) => ({ ...raw, now: raw.now + 301_000 })],
    ] as readonly (readonly [string, (raw: RawCallback) => RawCallback])[]) {
      it(`are refused where ${what}`, () => {
        expect(read(change(calls.signed()))).to.deep.equal({ kind: 'invalidSignature' });
      });
    }

    it('are refused where another secret has signed them', () => {
      expect(read(calls.signed({ secret: 'whsec_of_somebody_else' }))).to.deep.equal({
        kind: 'invalidSignature',
      });
    });

    it('are read five minutes late', () => {
      const raw = calls.signed();
      expect(read({ ...raw, now: raw.now + 299_000 }).kind).to.equal('event');
    });
  });
};
