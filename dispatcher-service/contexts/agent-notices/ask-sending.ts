import type { Logger } from 'pino';
import { createAskHooks } from '#runtime/ask-hooks.ts';
import type { Hook } from '#runtime/hooks-file.ts';
import type { AgentNotice } from '#topics/agent-notice.ts';

/** Why a notice must not be sent, in the words of the hook that objects; undefined: it goes out. */
export type AskSending = (notice: AgentNotice, body: string) => string | undefined;

/** Asks the owner's hooks before each attempt; `body` is decrypted (docs/guides/hooks.md#notifications). */
export const createAskSending = (
  hooks: readonly Hook[],
  log: Pick<Logger, 'warn' | 'error' | 'info'>,
): AskSending => {
  if (hooks.length === 0) return () => undefined;
  const ask = createAskHooks(hooks, log);
  return (notice, body) => {
    const {
      _id: deliveryId,
      eventType,
      agent,
      dialect,
      targetUrl,
      invoiceId,
      sessionId,
      attemptNumber,
    } = notice;
    const about = { deliveryId, eventType, agent, dialect, targetUrl, invoiceId, sessionId, attemptNumber };
    const objection = ask('ProtocolWebhookSendingNotification', { ...about, body });
    if (objection === undefined) return undefined;
    const reason = `Withheld by a hook: ${objection}`;
    log.info({ deliveryId, eventType, agent, reason }, 'an agent is not told');
    return reason;
  };
};
