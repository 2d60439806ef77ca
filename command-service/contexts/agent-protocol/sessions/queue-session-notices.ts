import { mainDialect, versionOf } from '#agents/dialect-choice.ts';
import type { ProtocolSessions } from '#agents/commerce-protocol.ts';
import type { AgentIdentity } from '#agents/agent-request.ts';
import { sessionForms } from '#agents/forms/session-forms.ts';
import { createBackgroundRuns } from '#command/engine/background-runs.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import { isoInstant } from '#kernel/clock.ts';
import { declareNoticeLog } from '#runtime/notice-log.ts';
import { inParallel } from '#runtime/work-off.ts';
import { shopUrlOf } from '#runtime/shop-url.ts';
import {
  agentNoticesCollection,
  agentNoticesOnBus,
  newNotice,
  type AgentNotice,
} from '#topics/agent-notice.ts';
import { isSession, type AgentSession } from './agent-session.state.ts';
import { agentSessions } from './agent-session.stream.ts';
import type { OwedNotice, OwedNotices } from './owed-notices.ts';

interface SessionNoticeDeps extends Pick<
  ModuleDeps,
  'streams' | 'stateStore' | 'bus' | 'personalTexts' | 'config' | 'settings' | 'clock' | 'reach' | 'log'
> {
  readonly owedNotices: OwedNotices;
  /** As the agent would read it. */
  readonly getSession: ProtocolSessions['getSession'];
}

const AT_ONCE = 8;
const TAKEN_TOGETHER = 200;

const actor = { kind: 'system', id: 'queue-session-notices' } as const;

/** The agent of a session, without a request from it. */
const agentOf = ({ agent, agentName }: AgentSession): AgentIdentity => ({
  profileUri: agent,
  profileState: 'unneeded',
  name: agentName,
  version: null,
  capabilities: null,
  signingKeys: [],
  webhookUrl: null,
  checkoutWebhookUrl: null,
  supportsMultiGroup: false,
  isVerified: true,
});

/** The session as its agent reads it, in its own dialect: that of a member as with a token of theirs. */
const shownTo = async (deps: SessionNoticeDeps, id: string, session: AgentSession) => {
  const { config, settings, getSession } = deps;
  const { memberId } = session;
  const { version: ownVersion, schemaBaseUrl } = config.protocol.ucp;
  const shown = await getSession({
    agent: {
      identity: agentOf(session),
      ownVersion,
      requestedVersion: null,
      member: memberId === null ? null : { memberId, grantId: '' },
      dialect: mainDialect(ownVersion),
    },
    id,
    body: undefined,
    actor,
    correlationId: id,
    reached: { position: 0 },
    ip: '',
    baseUrl: shopUrlOf(config, settings()),
  });
  const { dialect } = shown;
  if ('error' in shown) throw new Error(shown.error.text);
  const { result } = shown;
  if (typeof result === 'string') return { dialect, body: result };
  const version = versionOf(ownVersion, dialect);
  return { dialect, body: JSON.stringify(sessionForms[dialect](result, { version, schemaBaseUrl })) };
};

/** A wake-up that is lost costs time only: the dispatcher finds the row. */
const wake = async ({ bus, log }: SessionNoticeDeps, { _id, queue }: AgentNotice): Promise<void> => {
  if (queue === null) return;
  await bus.publish(agentNoticesOnBus.topic, [{ key: queue, value: _id }]).catch((err: unknown) => {
    log.warn({ err }, 'a notice is sent later: the bus does not answer');
  });
};

/** Writes the row unless it exists: a repeat leaves it as it is. */
const queueOne = async (
  deps: SessionNoticeDeps,
  sessionId: string,
  session: AgentSession & { readonly sessionWebhookUrl: string },
  { noticeId, notice, position, dueAt }: OwedNotice,
): Promise<void> => {
  const { stateStore, personalTexts, clock } = deps;
  const { agent, basketId, customerId, sessionWebhookUrl: targetUrl } = session;
  const { dialect, body } = await shownTo(deps, sessionId, session);
  const requestBody = await personalTexts.seal([{ id: basketId, customerId }], body);
  const queued = {
    ...{ _id: noticeId, eventType: notice, position, occurredAt: dueAt },
    ...{ invoiceId: null, sessionId, agent, dialect, targetUrl, subject: basketId, requestBody },
  };
  const row = newNotice(queued, clock.now());
  await stateStore.insertIfAbsent(agentNoticesCollection, row);
  await wake(deps, row);
};

/**
 * Hands notices of sessions that are over to the dispatcher: the row first, then the note in the log that it is there.
 * After a kill the next process repeats the step and finds the row (docs/rules/agent-notices.md#sessions).
 */
export const createSessionNotices = async (deps: SessionNoticeDeps) => {
  const { owedNotices, streams, clock, reach, log } = deps;

  const settle = async (sessionId: string, owed: OwedNotice): Promise<void> => {
    const { state } = await streams.load(agentSessions, sessionId);
    if (!isSession(state) || !state.owesNotice || state.sessionWebhookUrl === null) return;
    const { sessionWebhookUrl } = state;
    await queueOne(deps, sessionId, { ...state, sessionWebhookUrl }, owed);
    const { noticeId } = owed;
    const command = { type: 'NoteNoticeQueued', noticeId, now: isoInstant(clock.now()) } as const;
    const meta = { correlationId: sessionId, causationId: noticeId, actor };
    await streams.send(agentSessions, sessionId, command, meta);
  };

  const { topic, partitions } = agentNoticesOnBus;
  await declareNoticeLog(deps.stateStore);
  await deps.bus.declareTopic(topic, partitions);

  const queueAll = async (): Promise<void> => {
    const later: string[] = [];
    await reach();
    while (!runs.isStopped()) {
      const owed = owedNotices.take(TAKEN_TOGETHER);
      if (owed.length === 0) break;
      await inParallel(owed, AT_ONCE, async ([sessionId, one]) => {
        await settle(sessionId, one).catch((err: unknown) => {
          later.push(sessionId);
          log.warn({ sessionId, err }, 'an agent is told later that its session is over');
        });
      });
    }
    later.forEach(owedNotices.putBack);
  };

  const runs = createBackgroundRuns(queueAll, (err) =>
    log.warn({ err }, 'agents are told later that their sessions are over'),
  );
  owedNotices.watch(runs.wake);
  runs.wake();
  return { run: runs.run, idle: runs.idle, stop: runs.stop };
};
