import { newKeyPair } from '#command/contexts/agent-protocol/signing-keys/first-signing-key.ts';
import { SIGNING_KEYS } from '#command/contexts/agent-protocol/signing-keys/signing-key.stream.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { agentOrderEvents } from '#events/agent-order.events.ts';
import { agentSessionEvents } from '#events/agent-session.events.ts';
import { signingKeyEvents } from '#events/signing-key.events.ts';
import { mailEvents } from '#events/mail.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { newId } from '#kernel/ids.ts';
import { defaultMailConfigurations } from '#mails/default-configurations.ts';
import { agentSource, startedSession } from '#test/support/builders/agent-order.ts';
import { agentLine } from '#test/support/builders/agent-session.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { streamOf } from '#values/stream-name.ts';

type Append = (stream: string, events: readonly DomainEvent[]) => Promise<number>;

/** A checkout of an agent with this notice address, in the version whose notices carry their time. */
const beginOne = async (append: Append, target: string): Promise<string> => {
  const sessionId = newId();
  const { data } = startedSession([agentLine('mug', 2)]);
  const asked = { ...data, dialect: '2026-01-11', orderWebhookUrl: target };
  await append(streamOf.agentSession(sessionId), [agentSessionEvents.create.AgentSessionStarted(asked)]);
  return sessionId;
};

/** The events of a sale through a session. */
const saleOf = (sessionId: string): readonly DomainEvent[] => {
  const sale = invoice('sale', {
    customer: null,
    email: null,
    content: { source: { ...agentSource, sessionId } },
  });
  return [sale.placed, sale.confirmed()];
};

/** Makes a signing key, and turns off mails to buyers, which are not measured here. */
export const openToAgents = async (append: Append): Promise<void> => {
  const at = isoInstant(Date.now());
  const created = signingKeyEvents.create.SigningKeyCreated({ ...newKeyPair(at), signsFrom: at, at });
  await append(streamOf.signingKeys(SIGNING_KEYS), [created]);
  for (const { id } of defaultMailConfigurations)
    await append(streamOf.mailConfiguration(id), [mailEvents.create.MailConfigurationDeleted({ at })]);
};

const TOGETHER = 200;

const together = async <Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> => {
  for (let from = 0; from < items.length; from += TOGETHER)
    await Promise.all(items.slice(from, from + TOGETHER).map(work));
};

/** Sells to agents with these notice addresses in turn. Returns the ids of the invoices. */
export const sellToAgents = async (
  append: Append,
  targets: readonly string[],
  count: number,
): Promise<readonly string[]> => {
  const invoiceIds = Array.from({ length: count }, () => newId());
  const sales = invoiceIds.map((id, index) => ({ id, target: targets[index % targets.length] ?? '' }));
  await together(sales, async ({ id, target }) =>
    append(streamOf.invoice(id), saleOf(await beginOne(append, target))),
  );
  return invoiceIds;
};

/** Changes each order in a way that only its agent is told of: all at once, or one every `everyMs`. */
export const changeOrders = async (
  append: Append,
  invoiceIds: readonly string[],
  everyMs: number,
): Promise<void> => {
  const change = (id: string) =>
    append(streamOf.agentOrder(id), [
      agentOrderEvents.create.AgentOrderAmended({
        ...{ events: [], adjustments: [], amendedAt: isoInstant(Date.now()) },
      }),
    ]);
  if (everyMs === 0) return together(invoiceIds, change);
  for (const id of invoiceIds) {
    await change(id);
    await pause(everyMs);
  }
};
