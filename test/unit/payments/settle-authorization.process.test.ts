import { expect } from 'chai';
import { askForAuthorized } from '#command/contexts/payments/authorizations/ask-for-authorized.ts';
import {
  settleAuthorization,
  type OpenAuthorization,
} from '#command/contexts/payments/authorizations/settle-authorization.process.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { CaptureOutcome, FoundPayment, ProviderPayment, VoidOutcome } from '#ports/payment-requests.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { givenProcess } from '#test/support/given-process.ts';

const paymentId = idNamed('payment');
const wanted = { kind: 'capture', askId: idNamed('capture'), amount: 2000, by: 'mary' } as const;
const open = (ask: OpenAuthorization['ask'] = wanted): OpenAuthorization => ({
  invoiceId: idNamed('mugs'),
  currency: 'GBP',
  ask,
  authorization: {
    ...{ paymentId, attemptId: null, provider: 'stripe', method: 'card', transactionId: 'pi_1' },
    ...{ sessionId: null, amount: 2640, expiresAt: null, keptMethodId: null, risk: null },
    ...{ status: 'held', ask, lastNo: null },
  },
});
const toVoid = open({ kind: 'void', askId: idNamed('void'), by: 'mary' });

// docs/rules/authorizations.md#asking
describe('what a provider said of money that it holds', () => {
  const said = (outcome: unknown) => givenProcess(settleAuthorization, open(), { askFor: outcome });

  it('is recorded', async () => {
    await said({ kind: 'captured', amount: 2000 }).thenEndsWith([
      'CompleteCapture',
      { 'command.paymentId': paymentId, 'command.amount': 2000 },
    ]);
    await said({ kind: 'released', reason: 'voided' }).thenEndsWith([
      'ReleaseAuthorization',
      { 'command.reason': 'voided' },
    ]);
    await said({ kind: 'refused', code: 'no', message: 'No.' }).thenEndsWith([
      'DeclineAsk',
      { 'command.askId': wanted.askId, 'command.message': 'No.' },
    ]);
  });

  it('leaves the ask open where it is not known', async () => {
    await said(() => null).thenSends('askFor');
  });

  it('ends the process once nothing else is asked for', () => {
    const effectOf = (type: 'PaymentCaptured' | 'AuthorizationReleased', data: object) => {
      const effect = settleAuthorization.on[type];
      return typeof effect === 'function' ? effect({ data } as never) : effect;
    };
    expect(effectOf('PaymentCaptured', {}), 'never set aside').to.equal(null);
    expect(effectOf('PaymentCaptured', { asksLeft: 0 })).to.equal('ends');
    expect(effectOf('AuthorizationReleased', { asksLeft: 1 })).to.equal('opens');
  });
});

describe('to ask for money that a provider holds', () => {
  const no = { kind: 'refused', code: 'no', message: 'No.' } as const;
  const asking = (
    answers: {
      readonly capture?: CaptureOutcome;
      readonly void?: VoidOutcome;
      readonly status?: ProviderPayment['status'];
    },
    of = open(),
  ) => {
    const keys: string[] = [];
    const found = {
      kind: 'found',
      payment: { status: answers.status, transactionId: 'pi_1', amountMinor: 1500, currency: 'GBP' },
    } as unknown as FoundPayment;
    const provider = {
      capture: ({ idempotencyKey }) => {
        keys.push(idempotencyKey);
        return Promise.resolve(answers.capture ?? no);
      },
      void: () => Promise.resolve(answers.void ?? no),
      lookUp: () => Promise.resolve(answers.status ? found : { kind: 'unavailable' }),
    } as Partial<PaymentProvider> as PaymentProvider;
    return askForAuthorized(() => provider, 1000)(of).then((outcome) => ({ outcome, keys }));
  };

  it('goes by the key of the capture', async () => {
    const { outcome, keys } = await asking({ capture: { kind: 'completed', transactionId: 'pi_1' } });
    expect(outcome).to.deep.equal({ kind: 'captured', amount: 2000 });
    expect(keys).to.deep.equal([wanted.askId]);
  });

  it('believes a no only once the money is seen to be held', async () => {
    expect((await asking({ status: 'authorized' })).outcome).to.deep.equal(no);
    expect((await asking({ status: 'completed' })).outcome).to.deep.equal({ kind: 'captured', amount: 1500 });
    expect((await asking({ status: 'cancelled' })).outcome).to.deep.equal({
      kind: 'released',
      reason: 'expired',
    });
    expect((await asking({})).outcome).to.equal(null);
  });

  it('knows nothing where there is no answer, or no provider', async () => {
    expect((await asking({ capture: { kind: 'unavailable' } })).outcome).to.equal(null);
    expect((await asking({ capture: { kind: 'unknownOutcome' } })).outcome).to.equal(null);
    expect(await askForAuthorized(() => undefined, 1000)(open())).to.equal(null);
  });

  it('lets it go, or says that it was taken before', async () => {
    const gone = await asking({ void: { kind: 'completed' } }, toVoid);
    expect(gone.outcome).to.deep.equal({ kind: 'released', reason: 'voided' });
    expect((await asking({ status: 'completed' }, toVoid)).outcome).to.deep.equal({
      kind: 'captured',
      amount: 1500,
    });
  });
});
