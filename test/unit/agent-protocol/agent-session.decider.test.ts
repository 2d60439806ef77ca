import { expect } from 'chai';
import { webhooksOf } from '#agent-orders/fold-order.ts';
import { agentSessionDecider } from '#command/contexts/agent-protocol/sessions/agent-session.decider.ts';
import { isSession } from '#command/contexts/agent-protocol/sessions/agent-session.state.ts';
import {
  ada,
  agentLine,
  card,
  completeSession,
  failCompletion,
  minutesLater,
  placeIn,
  startCompletion,
  startSession,
  updateSession,
} from '#test/support/builders/agent-session.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { onceForgotten } from '#test/support/forgotten.ts';
import { given, inStream, recordedEvents } from '#test/support/given.ts';
import { streamOf } from '#values/stream-name.ts';

const none = given(agentSessionDecider);
const open = none.after(startSession());
const paying = open.after(startCompletion(1));
const cancel = (minutes: number) => ({ type: 'CancelSession', now: minutesLater(minutes) }) as const;
const expire = (minutes: number) => ({ type: 'ExpireSession', now: minutesLater(minutes) }) as const;
const awaitPayment = (from: 'buyer' | 'provider' = 'provider') =>
  ({
    type: 'AwaitPayment',
    completionId: idNamed('completion first'),
    invoiceId: idNamed('invoice'),
    from,
    continueUrl: from === 'buyer' ? 'https://pay.example/3ds' : null,
    now: minutesLater(2),
  }) as const;

// docs/rules/agent-sessions.md#states
describe('A checkout session of an agent', () => {
  it('begins with what the agent said, each part an event of its own, and once only', () => {
    const changes = { buyer: ada, codes: ['SAVE10'], destinations: [placeIn('GB')] };
    none
      .when(startSession({ changes }))
      .thenLike(
        ['AgentSessionStarted', { agent: 'https://agent.example/profile', expiresAt: minutesLater(360) }],
        ['AgentSessionBuyerNamed', { buyer: ada }],
        ['AgentSessionCodesSubmitted', { codes: ['SAVE10'] }],
        ['AgentSessionDestinationsGiven', { destinations: [placeIn('GB')] }],
      );
    open.when(startSession()).thenNothing();
  });

  it('is linked to a member before it holds anything of theirs, and to no other afterwards', () => {
    const [member, other] = [idNamed('member'), idNamed('other')].map((memberId) => ({
      ...{ memberId, customerId: idNamed('customer') },
    }));
    if (!member || !other) throw new Error('nobody');
    none
      .when(startSession({ member, changes: { destinations: [placeIn('GB')] } }))
      .thenLike(
        ['AgentSessionStarted', {}],
        ['AgentSessionMemberLinked', member],
        ['AgentSessionDestinationsGiven', {}],
      );
    const linked = open.after({ ...updateSession(1, { buyer: ada }), member });
    expect(linked.history.map(({ type }) => type)).to.deep.equal([
      ...[
        'AgentSessionStarted',
        'AgentSessionMemberLinked',
        'AgentSessionBuyerNamed',
        'AgentSessionExtended',
      ],
    ]);
    expect(linked.state(isSession)).to.include(member);
    linked.when({ ...updateSession(2), member }).thenLike(['AgentSessionExtended']);
    linked.when(updateSession(2)).thenLike(['AgentSessionExtended']);
    linked.when({ ...updateSession(2), member: other }).thenRefused('not_found');
    paying.when({ ...updateSession(2), member }).thenRefused('checkout_not_modifiable');
  });

  it('keeps what an update leaves out, replaces what it names and clears what is null', () => {
    const named = open.after(updateSession(1, { buyer: ada, codes: ['A', 'B'] }));
    const moved = named.after(updateSession(2, { codes: ['B'], lines: [agentLine('jar', 1)] }));
    expect(moved.state(isSession)).to.deep.include({
      buyer: ada,
      codes: ['B'],
      lines: [agentLine('jar', 1)],
    });
    expect(moved.after(updateSession(3, { buyer: null })).state(isSession).buyer).to.equal(null);
  });

  it('records of an update what differs only, and lasts longer with each', () => {
    open
      .when(updateSession(10, { lines: [agentLine('mug', 2)], codes: [] }))
      .thenLike(['AgentSessionExtended', { expiresAt: minutesLater(370) }]);
  });

  it('is unknown until it begins', () => {
    none.when(updateSession(1)).thenRefused('not_found');
    none.when(cancel(1)).thenRefused('not_found');
    none.when(startCompletion(1)).thenRefused('not_found');
    none.when(expire(999)).thenNothing();
  });

  for (const [ending, ended] of [
    ['completed', paying.after(completeSession(2))],
    ['cancelled', open.after(cancel(1))],
    ['expired', open.after(expire(360))],
  ] as const) {
    it(`stays as it is once it is ${ending}`, () => {
      expect(ended.state().status).to.equal(ending);
      ended.when(updateSession(3)).thenRefused('checkout_not_modifiable');
      ended.when(cancel(3)).thenRefused('checkout_not_modifiable');
      ended.when(startCompletion(3, 'second')).thenRefused('checkout_not_modifiable');
      ended.when(completeSession(3)).thenNothing();
      ended.when(expire(9999)).thenNothing();
    });
  }

  it('expires when its time is over and not a moment before, whoever asks', () => {
    open.when(expire(359.9)).thenNothing();
    open.when(expire(360)).thenLike(['AgentSessionExpired', { expiredAt: minutesLater(360) }]);
    open.when(updateSession(360)).thenRefused('checkout_not_modifiable');
    open.when(cancel(360)).thenRefused('checkout_not_modifiable');
    open.after(updateSession(100)).when(expire(360)).thenNothing();
  });

  it('owes its agent a notice of its end where the agent has said where, until that is queued', () => {
    const told = none.after(startSession({ sessionWebhookUrl: 'https://agent.example/checkouts' }));
    const noticeId = idNamed('notice');
    const queued = { type: 'NoteNoticeQueued', noticeId, now: minutesLater(361) } as const;
    for (const [command, notice] of [
      [completeSession(2), 'checkout_completed'],
      [cancel(2), 'checkout_canceled'],
      [expire(360), 'checkout_expired'],
    ] as const) {
      const { history } = told.after(command);
      expect(history.at(-1)).to.deep.include({
        type: 'AgentSessionNoticeDue',
        data: { notice, dueAt: command.now },
      });
    }
    const ended = told.after(cancel(2));
    ended.when(queued).thenLike(['AgentSessionNoticeQueued', { noticeId }]);
    ended.after(queued).when(queued).thenNothing();
    told.when(queued).thenNothing();
    open.when(cancel(2)).thenLike(['AgentSessionCancelled', {}]);
  });

  it('forgets its buyer with the basket, and whom it has named with their customer', () => {
    const named = open.after({ ...updateSession(1, { buyer: ada }), customerId: idNamed('customer ada') });
    for (const { state, customerId } of [
      { state: open.state(), customerId: null },
      { state: named.state(), customerId: idNamed('customer ada') },
      { state: named.after(updateSession(2, { buyer: null })).state(), customerId: idNamed('customer ada') },
    ])
      expect(agentSessionDecider.subject?.(idNamed('session'), state)).to.deep.equal({
        ...{ id: idNamed('basket'), customerId },
      });
  });

  it('holds nothing of its buyer once they are forgotten', () => {
    const told = {
      ...{ buyer: ada, destinations: [placeIn('GB')], instruments: [card] },
      ...{ context: { intent: 'a present for Ada' }, attribution: { referrer: 'friend of Ada' } },
    };
    const { history } = none.after(startSession({ changes: told }), startCompletion(1));
    const forgotten = given(agentSessionDecider, onceForgotten(history));
    expect(forgotten.state(isSession)).to.deep.include({ instruments: [], context: null, attribution: null });
    expect(JSON.stringify([forgotten.history, forgotten.state()])).not.to.match(/Ada|SW1A|visa/);
  });
});

// docs/rules/agent-sessions.md#completing
describe('The completion of a session', () => {
  it('shuts out every other change until it ends', () => {
    paying.when(startCompletion(2, 'second')).thenRefused('checkout_not_modifiable');
    paying.when(updateSession(2)).thenRefused('checkout_not_modifiable');
    paying.when(cancel(2)).thenRefused('checkout_not_modifiable');
    paying.when(expire(9999)).thenNothing();
  });

  it('is recognised when it is asked for again, whatever came of it', () => {
    paying.when(startCompletion(2)).thenNothing();
    paying.after(failCompletion(2)).when(startCompletion(3)).thenNothing();
    paying.after(completeSession(2)).when(startCompletion(3)).thenNothing();
  });

  it('starts with what the agent has seen, and with nothing else', () => {
    const updated = open.after(updateSession(1), updateSession(2));
    updated.when(startCompletion(3, 'first', 1)).thenRefused('basket-changed');
    updated.when(startCompletion(3, 'first', 2)).thenLike(['AgentSessionCompletionStarted', {}]);
  });

  it('says where the agent is told from now on, once its profile was read again', () => {
    const first = { orderWebhookUrl: 'https://agent.example/orders', sessionWebhookUrl: null };
    const moved = { orderWebhookUrl: null, sessionWebhookUrl: 'https://agent.example/sessions' };
    const told = none.after(startSession(first));
    const toldAt = ({ history }: typeof told) =>
      webhooksOf(recordedEvents(inStream(streamOf.agentSession(idNamed('session')), ...history)));
    expect(toldAt(told.after(startCompletion(1)))).to.deep.equal(first);
    const completing = told.after({ ...startCompletion(1), webhooks: moved });
    expect(toldAt(completing)).to.deep.equal(moved);
    expect(completing.state(isSession)).to.include(moved);
    completing
      .when(completeSession(2))
      .thenLike(['AgentSessionCompleted', {}], ['AgentSessionNoticeDue', { notice: 'checkout_completed' }]);
  });

  it('records the mandate of its buyer with the start, and has it nowhere else', () => {
    const signedBy = { kid: 'key', kty: 'EC', crv: 'P-256', x: 'x', y: 'y' };
    const mandate = { sdJwt: 'eyJ.eyJ.signature~', signedBy };
    const agreed = open.after({ ...startCompletion(1), mandate });
    expect(agreed.history.at(-1)).to.have.deep.nested.property('data.mandate', mandate);
    expect(JSON.stringify(agreed.state())).not.to.include('mandate');
  });

  it('bars nothing while only the buyer has to do something, and is given up then', () => {
    const waiting = paying.after(awaitPayment('buyer'));
    const left = { completionId: idNamed('completion first'), code: 'payment-given-up' };
    waiting.when(expire(9999)).thenNothing();
    waiting
      .when(updateSession(3, { codes: ['A'] }))
      .thenLike(
        ['AgentSessionCompletionFailed', left],
        ['AgentSessionCodesSubmitted', {}],
        ['AgentSessionExtended', {}],
      );
    waiting
      .when(startCompletion(3, 'second'))
      .thenLike(['AgentSessionCompletionFailed', left], ['AgentSessionCompletionStarted', {}]);
    waiting.when(cancel(3)).thenLike(['AgentSessionCompletionFailed', left], ['AgentSessionCancelled', {}]);
    waiting.when(startCompletion(3)).thenNothing();
  });

  it('waits for an outcome that is not known, and says where the buyer goes on', () => {
    const waiting = paying.after(awaitPayment());
    waiting.when(awaitPayment()).thenNothing();
    waiting.when(cancel(3)).thenRefused('checkout_not_modifiable');
    waiting.when(expire(9999)).thenNothing();
    expect(waiting.state(isSession)).to.deep.include({ status: 'active' });
    waiting.when(completeSession(3)).thenLike(['AgentSessionCompleted', { invoiceNumber: 'INV-1' }]);
  });

  it('leaves the session open when nothing was charged, with all the time that there is', () => {
    const declined = paying.after(failCompletion(100));
    declined.when(expire(360)).thenNothing();
    declined.when(expire(460)).thenLike(['AgentSessionExpired']);
    declined
      .when(startCompletion(101, 'second'))
      .thenLike(['AgentSessionCompletionStarted', { instrument: card }]);
  });

  it('hears nothing of an older one', () => {
    const second = paying.after(failCompletion(2), startCompletion(3, 'second'));
    second.when(failCompletion(4)).thenNothing();
    second.when(awaitPayment()).thenNothing();
  });

  it('is done by the shopper to whom the basket was handed over, too', () => {
    open.when(completeSession(5)).thenLike(['AgentSessionCompleted', { invoiceId: idNamed('invoice') }]);
  });
});
