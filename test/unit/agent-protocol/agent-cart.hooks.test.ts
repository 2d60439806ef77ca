import { expect } from 'chai';
import type { AgentCartCommand } from '#command/contexts/agent-protocol/carts/agent-cart.commands.ts';
import { agentCartDecider } from '#command/contexts/agent-protocol/carts/agent-cart.decider.ts';
import { agentCartHooks } from '#command/contexts/agent-protocol/carts/agent-cart.hooks.ts';
import { ownersHooks } from '#command/engine/hooks.ts';
import { silentLogger } from '#runtime/logging.ts';
import { cancelCart, replaceCart, startCart, startCheckout } from '#test/support/builders/agent-cart.ts';
import { ada, agentLine } from '#test/support/builders/agent-session.ts';
import { anyMeta } from '#test/support/engine.ts';
import { given } from '#test/support/given.ts';

const names = ['ProtocolCartCreatingNotification', 'ProtocolCartUpdatingNotification'] as const;
const [ask] = ownersHooks({
  hooks: names.map((notification) => ({
    name: notification,
    notification,
    priority: 1000,
    before: (input: Readonly<Record<string, unknown>>) => `${notification} ${JSON.stringify(input['lines'])}`,
  })),
  beforeHooks: [agentCartHooks],
  log: silentLogger(),
});
const none = given(agentCartDecider);
const open = none.after(startCart());
const reasonFor = (at: typeof open, command: AgentCartCommand): string | undefined =>
  ask?.({ category: 'agentCart', id: 'cart', command, state: at.state(), meta: anyMeta() });

// docs/guides/hooks.md#before
describe('The owner’s hooks before a cart of an agent', () => {
  it('are asked before it begins and before it is replaced, with all that it is to hold', () => {
    const lines = [agentLine('jar', 3)];
    const told = JSON.stringify(lines);
    expect(reasonFor(none, startCart({ lines, buyer: ada }))).to.equal(
      `ProtocolCartCreatingNotification ${told}`,
    );
    expect(reasonFor(open, replaceCart(1, { lines }))).to.equal(`ProtocolCartUpdatingNotification ${told}`);
  });

  it('are not asked about what is a repeat or refused anyway', () => {
    expect(reasonFor(open, startCart())).to.equal(undefined);
    expect(reasonFor(none, replaceCart(1))).to.equal(undefined);
    for (const held of [open.after(startCheckout(1)), open.after(cancelCart(1))])
      expect(reasonFor(held, replaceCart(2))).to.equal(undefined);
  });
});
