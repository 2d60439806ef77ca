import { expect } from 'chai';
import { agentCarts } from '#command/contexts/agent-protocol/carts/agent-cart.stream.ts';
import {
  createHandOver,
  type HandOverDeps,
} from '#command/contexts/agent-protocol/hand-over/hand-over.actions.ts';
import { agentSessions } from '#command/contexts/agent-protocol/sessions/agent-session.stream.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { createHandOverTokens } from '#runtime/hand-over-tokens.ts';
import { convertCart, startCart, startCheckout } from '#test/support/builders/agent-cart.ts';
import { minutesLater, startCompletion, startSession } from '#test/support/builders/agent-session.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { anyMeta, startTestEngine, testStreams } from '#test/support/engine.ts';

const clock = { now: () => Date.parse(minutesLater(2)) };
const cartId = idNamed('cart');
const sessionId = derivedId('agent session of cart', cartId, 0);

// docs/rules/agent-hand-over.md#the-link
describe('The link of a cart', () => {
  const converted = async (isVerified: boolean) => {
    const { engine } = await startTestEngine();
    const streams = testStreams(engine, clock);
    const tokens = createHandOverTokens(Buffer.alloc(32, 1));
    const apis = { checkout: { restorable: () => Promise.resolve({}) } };
    const handOver = createHandOver({
      ...{ streams, clock, apis, tokens, ttlMinutes: 60 },
    } as unknown as HandOverDeps);
    const look = () =>
      handOver.look(tokens.tokenOf({ kind: 'cart', id: cartId }), anyMeta()).then(
        ({ currency }) => currency,
        (error: unknown) => (error instanceof Rejection ? error.code : error),
      );
    for (const command of [startCart({}, { isVerified }), startCheckout(1), convertCart(1, sessionId, true)])
      await streams.send(agentCarts, cartId, command, anyMeta());
    await streams.send(agentSessions, sessionId, startSession({ cartId, currency: 'GBP' }), anyMeta());
    return { streams, look };
  };

  it('leads to its session, and nowhere while that is being paid', async () => {
    const { streams, look } = await converted(true);
    expect(await look()).to.equal('GBP');
    await streams.send(agentSessions, sessionId, startCompletion(1), anyMeta());
    expect(await look()).to.equal('hand-over-link-invalid');
  });

  it('that was made without a signature does not lead to a session made with one', async () => {
    const { look } = await converted(false);
    expect(await look()).to.equal('hand-over-link-invalid');
  });
});
