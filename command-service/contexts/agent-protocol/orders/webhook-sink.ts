/** A notice that a test agent has been sent. */
export interface ReceivedWebhook {
  readonly receivedAt: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const KEPT = 50;

/** Where notices to test agents end up: the last ones of all agents, in this process, until it ends. */
export const createWebhookSink = () => {
  const received: { readonly agentId: string; readonly notice: ReceivedWebhook }[] = [];
  return {
    add: (agentId: string, notice: ReceivedWebhook): void => {
      received.push({ agentId, notice });
      if (received.length > KEPT) received.shift();
    },
    /** Oldest first. */
    of: (agentId: string): readonly ReceivedWebhook[] =>
      received.flatMap((one) => (one.agentId === agentId ? [one.notice] : [])),
  };
};
