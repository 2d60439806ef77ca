import { expect } from 'chai';
import {
  addressMessages,
  buyerMessages,
  codeMessages,
  eligibilityMessages,
  paymentMessages,
  shippingMessages,
  withoutRepeats,
} from '#command/contexts/agent-protocol/sessions/session-messages.ts';
import { addressOf } from '#command/contexts/agent-protocol/sessions/session-place.ts';
import { checkOneAddress } from '#command/contexts/checkout/check-address.ts';
import { isSession } from '#command/contexts/agent-protocol/sessions/agent-session.state.ts';
import { statusOf } from '#command/contexts/agent-protocol/sessions/session-status.ts';
import { agentSessionDecider } from '#command/contexts/agent-protocol/sessions/agent-session.decider.ts';
import { problem } from '#command/pricing/discounts/discount-problem.ts';
import {
  ada,
  completeSession,
  placeIn,
  startCompletion,
  startSession,
  updateSession,
} from '#test/support/builders/agent-session.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { given } from '#test/support/given.ts';

const needs = { hasDigital: false, requiresEmail: false, hasShoppersEmail: false };
const expired = (code: string) => (code === 'SPRING' ? problem('Expired', 'SPRING is over.') : null);
const open = given(agentSessionDecider).after(startSession());
const codesOf = (messages: readonly { readonly code: string }[]) => messages.map(({ code }) => code);

// docs/rules/agent-sessions.md#messages
describe('What an agent is told beside the figures', () => {
  it('is why each code takes nothing off, where it stands, in any case and spelling', () => {
    expect(codeMessages(['save10', 'Spring', ' SAVE10'], expired)).to.deep.equal([
      {
        type: 'warning',
        code: 'discount_code_expired',
        content: 'SPRING is over.',
        path: '$.discounts.codes[1]',
      },
      {
        type: 'warning',
        code: 'discount_code_already_applied',
        content: 'SAVE10 is there already.',
        path: '$.discounts.codes[2]',
      },
    ]);
  });

  it('is told once what both a request that comes again and the session that it has begun are short of', () => {
    const short = (line: number, product: string) =>
      ({
        type: 'error',
        code: 'out_of_stock',
        content: `Short of ${product}.`,
        path: `$.line_items[${line}]`,
      }) as const;
    const unknown = { type: 'error', code: 'item_unavailable', content: 'No such tea.' } as const;
    const told = withoutRepeats([unknown, short(1, 'mugs'), short(2, 'jars')], [short(0, 'mugs')]);
    expect(told).to.deep.equal([unknown, short(2, 'jars'), short(0, 'mugs')]);
  });

  for (const [errorCode, told] of [
    ['NotFound', 'discount_code_invalid'],
    ['NotStarted', 'discount_code_invalid'],
    ['UsageLimitReached', 'discount_code_invalid'],
    ['MinimumRequirementNotMet', 'discount_code_user_ineligible'],
    ['CustomerNotEligible', 'discount_code_user_ineligible'],
    ['CannotCombine', 'discount_code_combination_disallowed'],
  ] as const) {
    it(`calls a code ${told} for ${errorCode}`, () => {
      const messages = codeMessages(['A'], () => problem(errorCode, 'No.'));
      expect(codesOf(messages)).to.deep.equal([told]);
    });
  }

  it('is an e-mail address that is missing, an error only where the shop asks for one', () => {
    const guest = { buyer: null, memberId: null };
    expect(buyerMessages(guest, needs)).to.deep.include({
      type: 'info',
      code: 'missing',
      content: 'buyer.email: no e-mail address was given.',
      path: '$.buyer.email',
    });
    expect(buyerMessages(guest, { ...needs, requiresEmail: true })[0]).to.include({ type: 'error' });
    const asking = { ...needs, requiresEmail: true };
    expect(buyerMessages({ buyer: ada, memberId: null }, asking)).to.deep.equal([]);
    expect(buyerMessages(guest, { ...asking, hasShoppersEmail: true }), 'after a hand-over').to.deep.equal(
      [],
    );
  });

  it('is the account that digital goods need', () => {
    const digital = { ...needs, hasDigital: true };
    expect(buyerMessages({ buyer: ada, memberId: null }, digital)[0]).to.include({
      code: 'account_required',
      severity: 'requires_buyer_input',
    });
    expect(buyerMessages({ buyer: ada, memberId: idNamed('member') }, digital)).to.deep.equal([]);
  });

  it('is what became of its choice of place and option', () => {
    const destinations = [placeIn('GB')];
    const choice = { methodId: 'shipping', destinationId: 'nowhere', options: [] };
    const [unknown, ...others] = shippingMessages({ destinations, fulfilment: choice }, null);
    expect([unknown?.type, unknown?.code]).to.deep.equal(['warning', 'destination_not_found']);
    expect(others).to.deep.equal([]);
    const session = { destinations, fulfilment: { ...choice, destinationId: 'to-GB' } };
    const fine = { undeliverable: null, outOfStock: [], lost: [], freeShipping: [] };
    const told = { ...fine, lost: ['drone'], freeShipping: ['Free over £50'] };
    expect(shippingMessages(session, told).map(({ type, code }) => [type, code])).to.deep.equal([
      ['warning', 'fulfillment_option_unavailable'],
      ['info', 'free_shipping_applied'],
    ]);
    const none = {
      ...fine,
      undeliverable: 'We do not deliver there.',
      outOfStock: ['Mug: 2 wanted, 1 available.'],
    };
    expect(shippingMessages(session, none)).to.deep.equal([
      {
        type: 'error',
        code: 'address_undeliverable',
        content: 'We do not deliver there.',
        path: '$.fulfillment.methods[0].selected_destination_id',
        severity: 'recoverable',
      },
      {
        type: 'error',
        code: 'out_of_stock',
        content: 'Insufficient stock. Mug: 2 wanted, 1 available.',
        path: '$.line_items',
        severity: 'recoverable',
      },
    ]);
  });

  it('is each part of the selected address that is missing or wrong, where the shop wants it whole', () => {
    const place = { ...placeIn('GB'), addressOne: ' ', phone: 'none' };
    const session = {
      destinations: [placeIn('FR'), place],
      fulfilment: { methodId: 'shipping', destinationId: 'to-GB', options: [] },
    };
    const address = addressOf(place, null);
    const { errors } = checkOneAddress(address) as { readonly errors: Readonly<Record<string, string>> };
    expect(
      addressMessages(session, address, errors).map(({ code, path, severity }) => [code, path, severity]),
    ).to.deep.equal([
      ['missing', '$.fulfillment.methods[0].destinations[1].street_address', 'recoverable'],
      ['invalid', '$.fulfillment.methods[0].destinations[1].phone_number', 'recoverable'],
    ]);
  });

  it('is every claim of the buyer that changes nothing', () => {
    expect(eligibilityMessages(['student', 'vip']).map(({ type, path }) => [type, path])).to.deep.equal([
      ['warning', '$.context.eligibility[0]'],
      ['warning', '$.context.eligibility[1]'],
    ]);
  });
});

// docs/rules/agent-sessions.md#status
describe('The status of a session, to an agent', () => {
  const status = (given: typeof open, isComplete = true) => {
    const session = given.state(isSession);
    return statusOf(session, buyerMessages(session, needs), isComplete);
  };
  const paying = open.after(startCompletion(1));
  const awaiting = (from: 'buyer' | 'provider') =>
    paying.after({
      type: 'AwaitPayment',
      completionId: startCompletion(1).completionId,
      invoiceId: idNamed('invoice'),
      from,
      continueUrl: null,
      now: startCompletion(2).now,
    });

  it('is incomplete while something is missing, and ready when nothing is', () => {
    expect(status(open, false)).to.equal('incomplete');
    expect(status(open)).to.equal('ready_for_complete');
  });

  it('asks for the buyer where only they can go on', () => {
    const messages = buyerMessages({ buyer: ada, memberId: null }, { ...needs, hasDigital: true });
    expect(statusOf(open.state(isSession), messages, true)).to.equal('requires_escalation');
    const waiting = awaiting('buyer').state();
    expect(status(awaiting('buyer'))).to.equal('requires_escalation');
    expect(waiting.status === 'active' && codesOf(paymentMessages(waiting))).to.deep.equal([
      'payment_action_required',
    ]);
  });

  it('is in progress while an order is placed or a provider owes the outcome', () => {
    expect(status(paying)).to.equal('complete_in_progress');
    expect(status(awaiting('provider'))).to.equal('complete_in_progress');
  });

  it('is final once it is over', () => {
    expect(status(paying.after(completeSession(2)))).to.equal('completed');
    const cancelled = open.after({ type: 'CancelSession', now: updateSession(1).now });
    expect(status(cancelled)).to.equal('canceled');
    expect(status(open.after({ type: 'ExpireSession', now: updateSession(999).now }))).to.equal('canceled');
  });
});
