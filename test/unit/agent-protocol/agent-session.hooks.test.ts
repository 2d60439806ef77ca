import { expect } from 'chai';
import { agentSessionHooks } from '#command/contexts/agent-protocol/sessions/agent-session.hooks.ts';
import { agentSessionDecider } from '#command/contexts/agent-protocol/sessions/agent-session.decider.ts';
import type { AgentSessionCommand } from '#command/contexts/agent-protocol/sessions/agent-session.commands.ts';
import type { AgentSessionState } from '#command/contexts/agent-protocol/sessions/agent-session.state.ts';
import { ownersHooks } from '#command/engine/hooks.ts';
import { silentLogger } from '#runtime/logging.ts';
import type { BeforeNotification } from '#values/notifications.ts';
import { minutesLater, startSession, updateSession } from '#test/support/builders/agent-session.ts';
import { anyMeta } from '#test/support/engine.ts';
import { given } from '#test/support/given.ts';

// docs/guides/hooks.md#before
describe('The owner’s hooks before a session', () => {
  const asked: (readonly [BeforeNotification, Readonly<Record<string, unknown>>])[] = [];
  const [ask] = ownersHooks({
    hooks: (['ProtocolSessionCreatingNotification', 'ProtocolSessionUpdatingNotification'] as const).map(
      (notification) => ({
        name: notification,
        notification,
        priority: 1000,
        before: (input: Readonly<Record<string, unknown>>) => {
          asked.push([notification, input]);
          return 'Not today.';
        },
      }),
    ),
    beforeHooks: [agentSessionHooks],
    log: silentLogger(),
  });
  const reasonFor = (state: AgentSessionState, command: AgentSessionCommand): string | undefined =>
    ask?.({ category: 'agentSession', id: 'session', command, state, meta: anyMeta() });
  const stateAfter = (...commands: readonly AgentSessionCommand[]): AgentSessionState =>
    given(agentSessionDecider)
      .after(...commands)
      .state();

  it('are asked before it begins and before each update, with what it is about', () => {
    const start = startSession({ changes: { buyer: { firstName: 'Ada' } } });
    expect(reasonFor({ status: 'none' }, start)).to.equal('Not today.');
    expect(reasonFor(stateAfter(start), updateSession(1, { codes: ['TEN'] }))).to.equal('Not today.');
    const [[, creating], [, updating]] = asked as unknown as [[string, object], [string, object]];
    expect(creating).to.deep.include({ agent: start.agent, lines: start.lines, buyer: { firstName: 'Ada' } });
    expect(updating).to.deep.include({ basketId: start.basketId, changes: { codes: ['TEN'] } });
  });

  it('are not asked about what is refused or repeated anyway', () => {
    const start = startSession();
    const cancelled = stateAfter(start, { type: 'CancelSession', now: minutesLater(1) });
    expect(reasonFor(stateAfter(start), start)).to.equal(undefined);
    expect(reasonFor(cancelled, updateSession(2))).to.equal(undefined);
  });
});
