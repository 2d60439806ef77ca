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

/** Begins checkouts of an agent that is told at `target`; it speaks the version whose notices say when they are of. */
const beginOne = async (append: Append, target: string): Promise<string> => {
  const sessionId = newId();
  const { data } = startedSession([agentLine('mug', 2)]);
  const asked = { ...data, dialect: '2026-01-11', orderWebhookUrl: target };
  await append(streamOf.agentSession(sessionId), [agentSessionEvents.create.AgentSessionStarted(asked)]);
  return sessionId;
};

/** The events of a whole sale by a session. */
const saleOf = (sessionId: string): readonly DomainEvent[] => {
  const sale = invoice('sale', {
    customer: null,
    email: null,
    content: { source: { ...agentSource, sessionId } },
  });
  return [sale.placed, sale.confirmed()];
};

/** A key to sign with, and no mails to buyers beside what is measured. */
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

/** Orders of agents that are told at these addresses in turn. Returns their ids. */
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

/** Something happens to each order of which its agent alone is told: all at once, or one every `everyMs`. */
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
