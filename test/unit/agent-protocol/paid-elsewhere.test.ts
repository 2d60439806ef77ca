import { expect } from 'chai';
import { agentSessionDecider } from '#command/contexts/agent-protocol/sessions/agent-session.decider.ts';
import { isSession } from '#command/contexts/agent-protocol/sessions/agent-session.state.ts';
import { mayExpire, refuseWhilePaid } from '#command/contexts/agent-protocol/sessions/paid-elsewhere.ts';
import type { BasketState } from '#command/contexts/basket/basket.state.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import type { InvoiceState } from '#command/contexts/invoices/invoice.state.ts';
import type { Rejection } from '#kernel/rejection.ts';
import {
  failCompletion,
  minutesLater,
  startCompletion,
  startSession,
} from '#test/support/builders/agent-session.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice } from '#test/support/builders/invoice.ts';
import { byHand, pageOf } from '#test/support/builders/payment.ts';
import { given, inContext } from '#test/support/given.ts';

const mugs = invoice('mugs');
const unpaid = given(
  inContext(invoiceDecider, decidedAt('2026-03-01T09:05:00.000Z', { invoiceId: mugs.id })),
  [mugs.placed],
);
const promised = unpaid.after({ ...byHand, holdMinutes: 60 });
const atPage = unpaid.after(pageOf('ses_1'));
const atAnother = unpaid.after(pageOf('ses_1'), pageOf('ses_2'));

const session = given(agentSessionDecider).after(startSession(), startCompletion(1));
const declined = session.after({ ...failCompletion(2), invoiceId: mugs.id });
const awaiting = session.after({
  ...{ type: 'AwaitPayment', completionId: idNamed('completion first'), invoiceId: mugs.id, from: 'buyer' },
  ...{ continueUrl: 'https://pay.example/ses_1', now: minutesLater(2) },
});

const basket = {
  ...{ placement: null, isForgotten: false, status: 'open', handOver: { from: 'agent' } },
  order: { invoiceId: mugs.id },
} as unknown as BasketState;
const streamsWith = (state: InvoiceState) => ({
  streams: {
    load: ({ decider }: { decider: { category: string } }) => ({
      state: decider.category === 'invoice' ? state : basket,
    }),
  } as never,
});

/** Whether the agent is kept from the order. */
const isKept = async (of: typeof session, { state }: typeof unpaid): Promise<boolean> =>
  refuseWhilePaid(streamsWith(state()), of.state(isSession), basket).then(
    () => false,
    (error: unknown) => (error as Rejection).code === 'checkout_not_modifiable',
  );

// docs/rules/agent-sessions.md#completing
describe('An order of the agent’s that the shopper pays', () => {
  it('is left to them from the moment that they promise to pay, or stand at the page of a provider', async () => {
    expect(await isKept(declined, unpaid)).to.equal(false);
    expect(await isKept(declined, promised)).to.equal(true);
    expect(await isKept(declined, atPage)).to.equal(true);
    expect(await isKept(awaiting, atPage), 'where the agent has sent them').to.equal(false);
    expect(await isKept(awaiting, atAnother), 'where they have gone by themselves').to.equal(true);
  });

  it('keeps its session from expiring meanwhile', async () => {
    const late = minutesLater(9999);
    const state = declined.state(isSession);
    expect(await mayExpire(streamsWith(unpaid.state()), state, late)).to.equal(true);
    expect(await mayExpire(streamsWith(atPage.state()), state, late)).to.equal(false);
    expect(await mayExpire(streamsWith(unpaid.state()), state, minutesLater(3))).to.equal(false);
  });
});
