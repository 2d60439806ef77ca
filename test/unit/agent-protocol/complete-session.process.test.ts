import { expect } from 'chai';
import {
  completeSession,
  type OpenCompletion,
  type SessionPayment,
} from '#command/contexts/agent-protocol/completing/complete-session.process.ts';
import {
  completionError,
  mayBeTriedAgain,
} from '#command/contexts/agent-protocol/completing/completion-errors.ts';
import { completionCalls } from '#command/contexts/agent-protocol/completing/pay-for-session.ts';
import { agentSessionDecider } from '#command/contexts/agent-protocol/sessions/agent-session.decider.ts';
import { isSession } from '#command/contexts/agent-protocol/sessions/agent-session.state.ts';
import { agentSessions } from '#command/contexts/agent-protocol/sessions/agent-session.stream.ts';
import type { AgentPaid } from '#command/contexts/payments/agents/agent-payments.commands.ts';
import { Rejection } from '#kernel/rejection.ts';
import { derivedId } from '#kernel/ids.ts';
import { minutesLater, startCompletion, startSession } from '#test/support/builders/agent-session.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { anyMeta } from '#test/support/engine.ts';
import { given } from '#test/support/given.ts';
import { givenProcess } from '#test/support/given-process.ts';

const agreed = {
  ...{ units: { [idNamed('mug')]: 2 }, total: 2640 },
  ...{ shippingAddress: null, shippingOptions: ['parcel'] },
};
const payment: SessionPayment = {
  ...{
    providerAlias: 'sandbox',
    methodAlias: 'card',
    token: 'tok_success',
    savedMethodId: null,
    grantId: null,
  },
  ...{ ownAddress: 'https://shop.example', pages: { returnUrl: '/checkout', cancelUrl: '/checkout' } },
  ...{ billingAddress: null, agreed },
  ...{ wantedCurrency: 'GBP', shown: null, ip: '127.0.0.1' },
};
const open: OpenCompletion = {
  ...{ sessionId: idNamed('session'), basketId: idNamed('basket'), completionId: idNamed('completion') },
  ...{ isResumed: false, payment },
  ...{ startedAt: minutesLater(1), now: minutesLater(1), expiresAt: minutesLater(361) },
};
const invoiceId = idNamed('invoice');
const bought: AgentPaid = { kind: 'bought', invoiceId, invoiceNumber: 'INV-1' };
const asked = (paid: AgentPaid | Error) => givenProcess(completeSession, open, { pay: paid });
const lost = (paid: AgentPaid | null) =>
  givenProcess(completeSession, { ...open, isResumed: true, payment: null }, { look: () => paid });

// docs/rules/agent-sessions.md#completing
describe('What comes of completing a session', () => {
  it('is told to the session', async () => {
    await asked(bought).thenSends('pay', ['CompleteSession', { 'command.invoiceNumber': 'INV-1' }]);
    const url = 'https://pay.example/3ds';
    await asked({ kind: 'awaited', invoiceId, from: 'buyer', continueUrl: url }).thenSends('pay', [
      'AwaitPayment',
      { 'command.from': 'buyer', 'command.continueUrl': url },
    ]);
    await asked({ kind: 'declined', invoiceId, isFraud: false, message: 'No.' }).thenSends('pay', [
      'FailCompletion',
      { 'command.code': 'payment_failed', 'command.invoiceId': invoiceId, 'command.message': 'No.' },
    ]);
  });

  it('is the refusal of checkout, where that comes to nothing', async () => {
    const gone = new Rejection('items-unavailable', 'mug: 2 wanted, 1 available.', {
      unavailableItems: [{ reason: 'stock' }],
    });
    await asked(gone).thenSends('pay', ['FailCompletion', { 'command.code': 'out-of-stock' }]);
    const withdrawn = new Rejection('items-unavailable', 'mug: not sold any more.', {
      unavailableItems: [{ reason: 'withdrawn' }],
    });
    await asked(withdrawn).thenSends('pay', ['FailCompletion', { 'command.code': 'items-unavailable' }]);
  });

  it('stays open while others are in the way', async () => {
    await asked(new Rejection('conflict', 'Again.')).thenStops({ code: 'conflict' }, 'pay');
  });

  it('is looked up once the request is lost: what was asked for goes on, and nothing else begins', async () => {
    await lost(bought).thenSends('look', 'CompleteSession');
    await lost({ kind: 'awaited', invoiceId, from: 'provider', continueUrl: null }).thenSends(
      'look',
      'AwaitPayment',
    );
    const repeated = { ...open, isResumed: true };
    await givenProcess(completeSession, repeated, { look: () => null, pay: bought }).thenSends(
      ...['look', 'pay', 'CompleteSession'],
    );
    await givenProcess(completeSession, repeated, { look: bought }).thenSends('look', 'CompleteSession');
    await lost(null).thenSends('look', ['FailCompletion', { 'command.code': 'provider-unavailable' }]);
  });
});

describe('A completion that came to nothing', () => {
  const failedFor = (code: string) => ({ completionId: invoiceId, invoiceId: null, code, message: 'Why.' });
  const told = (code: string) => {
    const { code: as, httpStatus } = completionError(failedFor(code));
    return [as, httpStatus];
  };

  it('is told in the words of the protocol', () => {
    expect(told('payment_failed')).to.deep.equal(['payment_failed', undefined]);
    expect(told('payment-suspected')).to.deep.equal(['payment_failed', 403]);
    expect(told('out-of-stock')).to.deep.equal(['out_of_stock', 409]);
    expect(told('shipping-not-selected')).to.deep.equal(['fulfillment_required', undefined]);
    expect(told('provider-unavailable')).to.deep.equal(['payment_unavailable', undefined]);
    expect(told('basket-changed')).to.deep.equal(['conflict', undefined]);
    expect(told('payment-unknown')).to.deep.equal(['checkout_not_modifiable', undefined]);
    expect(told('something-else')).to.deep.equal(['invalid', undefined]);
  });

  it('is tried again under the same key only where no answer to it is kept', () => {
    const again = (code: string) => mayBeTriedAgain(failedFor(code));
    expect(['provider-unavailable', 'basket-changed', 'payment-suspected'].map(again)).to.deep.equal([
      ...[true, true, true],
    ]);
    expect(['payment_failed', 'out-of-stock', 'payment-given-up'].map(again)).to.deep.equal([
      ...[false, false, false],
    ]);
  });
});

// docs/rules/linked-members.md#ending
describe('What an earlier run of a completion has ordered before it was killed', () => {
  const completionId = idNamed('completion first');
  const memberId = idNamed('member');
  const session = given(agentSessionDecider)
    .after(startSession({ member: { memberId, customerId: null } }), startCompletion(1))
    .state(isSession);
  const payWith = (placedBy: string) => {
    const placementId = derivedId('placement', derivedId('order of completion', placedBy));
    const basket = { memberId, handOver: null, order: { placementId, invoiceId } };
    const found = async (stream: unknown) => ({ state: stream === agentSessions ? session : basket });
    const streams = { recall: found, load: found };
    const apis = { agentLinks: { isLinked: async () => false } };
    const { pay } = completionCalls({ streams, apis } as unknown as Parameters<typeof completionCalls>[0]);
    const linked = {
      ...open,
      completionId,
      isResumed: true,
      payment: { ...payment, grantId: idNamed('grant') },
    };
    return pay(linked, anyMeta()).catch((error: unknown) => error);
  };

  it('is named where its agent is shut out by then, as an order that is left unpaid', async () => {
    expect(await payWith(completionId)).to.deep.include({ code: 'invalid_token', details: { invoiceId } });
  });

  it('is not what another has ordered in the same basket', async () => {
    expect(await payWith(idNamed('completion of another'))).to.deep.include({
      code: 'invalid_token',
      details: {},
    });
  });
});
