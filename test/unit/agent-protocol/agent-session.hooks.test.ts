import { expect } from 'chai';
import { agentSessionHooks } from '#command/contexts/agent-protocol/sessions/agent-session.hooks.ts';
import { agentSessionDecider } from '#command/contexts/agent-protocol/sessions/agent-session.decider.ts';
import type { AgentSessionCommand } from '#command/contexts/agent-protocol/sessions/agent-session.commands.ts';
import type { AgentSessionState } from '#command/contexts/agent-protocol/sessions/agent-session.state.ts';
import { ownersHooks } from '#command/engine/hooks.ts';
import { silentLogger } from '#runtime/logging.ts';
import type { BeforeNotification } from '#values/notifications.ts';
import {
  card,
  minutesLater,
  startCompletion,
  startSession,
  updateSession,
} from '#test/support/builders/agent-session.ts';
import { anyMeta } from '#test/support/engine.ts';
import { given } from '#test/support/given.ts';

// docs/guides/hooks.md#before
describe('The owner’s hooks before a session', () => {
  const asked: (readonly [BeforeNotification, Readonly<Record<string, unknown>>])[] = [];
  const [ask] = ownersHooks({
    hooks: (['Creating', 'Updating', 'Completing'] as const).map((word) => {
      const notification = `ProtocolSession${word}Notification` as const;
      return {
        name: notification,
        notification,
        priority: 1000,
        before: (input: Readonly<Record<string, unknown>>) => {
          asked.push([notification, input]);
          return 'Not today.';
        },
      };
    }),
    beforeHooks: [agentSessionHooks],
    log: silentLogger(),
  });
  const reasonFor = (state: AgentSessionState, command: AgentSessionCommand): string | undefined =>
    ask?.({ category: 'agentSession', id: 'session', command, state, meta: anyMeta() });
  const stateAfter = (...commands: readonly AgentSessionCommand[]): AgentSessionState =>
    given(agentSessionDecider)
      .after(...commands)
      .state();

  it('are asked before it begins, before each update and before it is completed, with what it is about', () => {
    const start = startSession({ changes: { buyer: { firstName: 'Ada' } } });
    expect(reasonFor({ status: 'none' }, start)).to.equal('Not today.');
    expect(reasonFor(stateAfter(start), updateSession(1, { codes: ['TEN'] }))).to.equal('Not today.');
    expect(reasonFor(stateAfter(start), startCompletion(1))).to.equal('Not today.');
    const [creating, updating, completing] = asked.map(([, about]) => about);
    expect(creating).to.deep.include({ agent: start.agent, lines: start.lines, buyer: { firstName: 'Ada' } });
    expect(updating).to.deep.include({ basketId: start.basketId, changes: { codes: ['TEN'] } });
    expect(completing).to.deep.include({ agent: start.agent, lines: start.lines, instrument: card });
  });

  it('are not asked about what is refused or repeated anyway', () => {
    const start = startSession();
    const cancelled = stateAfter(start, { type: 'CancelSession', now: minutesLater(1) });
    expect(reasonFor(stateAfter(start), start)).to.equal(undefined);
    expect(reasonFor(cancelled, updateSession(2))).to.equal(undefined);
    expect(reasonFor(cancelled, startCompletion(2))).to.equal(undefined);
    expect(reasonFor(stateAfter(start, startCompletion(1)), startCompletion(2))).to.equal(undefined);
  });
});
