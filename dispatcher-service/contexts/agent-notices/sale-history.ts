import { LRUCache } from 'lru-cache';
import { atMost } from '#kernel/at-most.ts';
import type { Recorded } from '#kernel/event.ts';
import type { EventDecoder } from '#log/decode-page.ts';
import { streamPages } from '#log/stream-history.ts';
import type { EventStore, StoredEvent } from '#ports/event-store.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import { streamOf } from '#values/stream-name.ts';

/** What the log holds of an agent's sale, up to a position. */
export interface SaleHistory {
  readonly invoiceId: string;
  readonly sessionId: string;
  /** Events of the invoice and of its test amendments, in the order of the log. */
  readonly order: readonly Recorded[];
  readonly session: readonly Recorded[];
  /** The data subject of the invoice. */
  readonly subject: string | null;
}

interface Sources {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly decoder: EventDecoder;
}

type Created = Recorded<EventOfType<InvoiceEvent, 'InvoiceCreated'>>;

/** Of so many invoices it is remembered whether an agent has bought. */
const REMEMBERED = 10_000;

const upTo = async (sources: Sources, stream: string, position: number): Promise<readonly Recorded[]> => {
  const events: Recorded[] = [];
  for await (const page of streamPages(sources, stream)) {
    events.push(...page.filter((event) => event.position <= position));
    if (page.some((event) => event.position > position)) break;
  }
  return events;
};

/** Reads only what is not personal, so nothing is decrypted. */
const isOfAgent = ({ type, data }: StoredEvent): boolean => {
  if (type !== 'InvoiceCreated') return false;
  const { content } = JSON.parse(data) as Pick<Created['data'], 'content'>;
  return content.source.type === 'ucp' && content.source.sessionId !== null;
};

/**
 * Reads an agent's sale as it was at a position, from its streams, as views may be further. Null: no agent bought it.
 * Errors: `EngineUnavailable`.
 */
export const createSaleHistory = (sources: Sources) => {
  const known = new LRUCache<string, boolean>(atMost(REMEMBERED));
  const isSaleOfAgent = async (invoiceId: string, stream: string): Promise<boolean> => {
    const before = known.get(invoiceId);
    if (before !== undefined) return before;
    const [first] = await sources.store.readStream(stream, { limit: 1 });
    const isSale = first !== undefined && isOfAgent(first);
    known.set(invoiceId, isSale);
    return isSale;
  };

  return async (invoiceId: string, position: number): Promise<SaleHistory | null> => {
    const stream = streamOf.invoice(invoiceId);
    if (!(await isSaleOfAgent(invoiceId, stream))) return null;
    const [invoice, amended] = await Promise.all(
      [stream, streamOf.agentOrder(invoiceId)].map((name) => upTo(sources, name, position)),
    );
    const created = invoice?.[0] as Created | undefined;
    const sessionId = created?.data.content.source.sessionId ?? null;
    if (!created || sessionId === null) return null;
    return {
      ...{ invoiceId, sessionId },
      order: [...(invoice ?? []), ...(amended ?? [])].toSorted((one, other) => one.position - other.position),
      session: await upTo(sources, streamOf.agentSession(sessionId), position),
      subject: created.metadata.subject ?? null,
    };
  };
};
