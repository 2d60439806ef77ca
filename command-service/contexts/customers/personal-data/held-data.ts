import { setImmediate as nextTurn } from 'node:timers/promises';
import { personalStreams } from '#command/engine/personal-streams.ts';
import { eventDefinition } from '#events/registry.ts';
import type { Document } from '#kernel/projection.ts';
import type { Recorded } from '#kernel/event.ts';
import type { EventDecoder } from '#log/decode-page.ts';
import type { PersonalTexts } from '#log/personal-texts.ts';
import type { SubjectKeys } from '#log/subject-keys.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { mailsCollection, type MailDelivery } from '#mails/mail-delivery.ts';
import { MAX_PAGE, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import { members, type Member } from '#runtime/members.ts';
import { agentNoticesCollection, type AgentNotice } from '#topics/agent-notice.ts';
import { deliveriesCollection, type Delivery, type HttpDelivery } from '#topics/webhook-delivery.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { streamOf } from '#values/stream-name.ts';

export interface HeldDataSources {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly stateStore: DocumentStore;
  readonly decoder: EventDecoder;
  readonly subjectKeys: SubjectKeys;
  readonly personalTexts: Pick<PersonalTexts, 'openAll'>;
}

export interface AskedFor {
  readonly customerId: string;
  /** The login of the customer, if they have one. */
  readonly memberId: string | null;
  /** ISO instant. */
  readonly at: string;
}

/** Streams of which the first page is read side by side; then callers have their turn. */
const AT_ONCE = 10;
const SUBJECTS_AT_ONCE = 500;
const ROWS_AT_ONCE = 100;

/** The subjects whose personal data are the customer's: the customer, and every basket and address book of theirs. */
async function* subjectsOf(
  { subjectKeys }: HeldDataSources,
  customerId: string,
): AsyncGenerator<readonly string[]> {
  yield [customerId];
  for (let after: string | null = ''; after !== null;) {
    const { ids, next }: Awaited<ReturnType<SubjectKeys['namedBy']>> = await subjectKeys.namedBy(
      customerId,
      after,
    );
    for (let from = 0; from < ids.length; from += SUBJECTS_AT_ONCE)
      yield ids.slice(from, from + SUBJECTS_AT_ONCE);
    after = next;
  }
}

/** Every stream that may hold something about the customer; some may be empty. */
async function* streamsOf(
  sources: HeldDataSources,
  { customerId, memberId }: Omit<AskedFor, 'at'>,
): AsyncGenerator<readonly string[]> {
  yield [streamOf.customer(customerId), streamOf.savedMethods(customerId)];
  if (memberId !== null) yield [streamOf.agentLinks(memberId)];
  for await (const subjects of subjectsOf(sources, customerId)) yield subjects.map(streamOf.addressBook);
  const of = { store: sources.store, keys: sources.subjectKeys };
  for await (const { basketIds, invoiceIds } of personalStreams(of, customerId))
    yield [
      ...basketIds.flatMap((id) => [
        streamOf.basket(id),
        streamOf.abandonedCheckout(abandonedCheckoutId(id)),
      ]),
      ...invoiceIds.map(streamOf.invoice),
    ];
}

/** An event as it is held, secrets of the shop left out. */
const shownEvent = ({ type, position, revision, recordedAt, metadata, data }: Recorded): string => {
  const secrets = eventDefinition(type)?.secretFields ?? [];
  const hidden = Object.fromEntries(secrets.map((field) => [field, '(secret)']));
  const shown = { ...(data as object), ...hidden };
  return JSON.stringify({ position, revision, type, recordedAt, actor: metadata.actor, data: shown });
};

async function* streamTexts(
  { store, decoder }: HeldDataSources,
  stream: string,
  first: readonly StoredEvent[],
): AsyncGenerator<string> {
  let page = first;
  for (let revision = 0; ; revision += MAX_PAGE) {
    const events = (await decoder.decodeAll(page)).map(shownEvent).join(',\n');
    yield revision === 0 ? `{"stream":${JSON.stringify(stream)},"events":[\n${events}` : `,\n${events}`;
    if (page.length < MAX_PAGE) break;
    page = await store.readStream(stream, { fromRevision: revision + MAX_PAGE });
    if (page.length === 0) break;
  }
  yield ']}';
}

async function* allStreamTexts(
  sources: HeldDataSources,
  asked: Omit<AskedFor, 'at'>,
): AsyncGenerator<string> {
  let between = '';
  for await (const streams of streamsOf(sources, asked)) {
    for (let from = 0; from < streams.length; from += AT_ONCE) {
      const some = streams.slice(from, from + AT_ONCE);
      const pages = await Promise.all(
        some.map((stream) => sources.store.readStream(stream, { fromRevision: 0 })),
      );
      await nextTurn();
      for (const [index, page] of pages.entries()) {
        if (page.length === 0) continue;
        yield between;
        yield* streamTexts(sources, some[index] ?? '', page);
        between = ',\n';
      }
    }
  }
}

/** The rows of a collection that are about the customer, by pages. */
async function* rowsAbout<Row extends Document>(
  sources: HeldDataSources,
  collection: string,
  customerId: string,
): AsyncGenerator<readonly Row[]> {
  for await (const subjects of subjectsOf(sources, customerId)) {
    for (let after: string | undefined = ''; after !== undefined;) {
      const rows: readonly Row[] = await sources.stateStore.find<Row>(collection, {
        filter: { subject: { in: subjects }, _id: { gt: after } },
        sort: [['_id', 1]],
        limit: ROWS_AT_ONCE,
      });
      yield rows;
      after = rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1)?._id;
    }
  }
}

/** Deliveries of a collection, with what was sent and answered. `about`: what else is shown of each. */
async function* deliveryTexts<Row extends HttpDelivery>(
  sources: HeldDataSources,
  collection: string,
  customerId: string,
  about: (row: Row) => object,
): AsyncGenerator<string> {
  const { personalTexts } = sources;
  let between = '';
  for await (const rows of rowsAbout<Row>(sources, collection, customerId)) {
    const texts = await personalTexts.openAll(
      rows.flatMap(({ requestBody, responseBody }) => [requestBody, responseBody ?? '']),
    );
    for (const [index, row] of rows.entries()) {
      const { _id: id, status, dateCreated, dateSent } = row;
      const [requestBody, responseBody] = texts.slice(2 * index);
      yield (
        between +
        JSON.stringify({ id, ...about(row), status, dateCreated, dateSent, requestBody, responseBody })
      );
      between = ',\n';
    }
  }
}

const webhookTexts = (sources: HeldDataSources, customerId: string): AsyncGenerator<string> =>
  deliveryTexts<Delivery>(sources, deliveriesCollection, customerId, ({ topic }) => ({ topic }));

const noticeTexts = (sources: HeldDataSources, customerId: string): AsyncGenerator<string> =>
  deliveryTexts<AgentNotice>(sources, agentNoticesCollection, customerId, ({ eventType, agent }) => ({
    ...{ eventType, agent },
  }));

/** Mails, with what they say; a link that opens an account is left out. */
async function* mailTexts(sources: HeldDataSources, customerId: string): AsyncGenerator<string> {
  let between = '';
  for await (const rows of rowsAbout<MailDelivery>(sources, mailsCollection, customerId)) {
    const texts = await sources.personalTexts.openAll(rows.map(({ sealed }) => sealed ?? ''));
    for (const [index, { _id, topic, status, dateCreated, dateSent, sealed, isSecret }] of rows.entries()) {
      const text = sealed === null || isSecret ? null : texts[index];
      const content: unknown = text ? JSON.parse(text) : null;
      yield between + JSON.stringify({ id: _id, topic, status, dateCreated, dateSent, content });
      between = ',\n';
    }
  }
}

/** The login as it is kept, without what proves a password. */
const accountText = async ({ stateStore }: HeldDataSources, memberId: string | null): Promise<string> => {
  const member = memberId === null ? null : await stateStore.get<Member>(members, memberId);
  if (!member) return 'null';
  const { passwordHash: _, tokenVersion: __, ...shown } = member;
  return JSON.stringify(shown);
};

/**
 * All that the shop holds about a customer, as the text of one JSON object, read as fast as it is taken
 * (docs/rules/personal-data.md#answer). Errors: `EngineUnavailable`.
 */
export async function* heldData(
  sources: HeldDataSources,
  { customerId, memberId, at }: AskedFor,
): AsyncGenerator<string> {
  yield `{"customerId":${JSON.stringify(customerId)},"at":${JSON.stringify(at)},"account":`;
  yield await accountText(sources, memberId);
  yield ',\n"streams":[\n';
  yield* allStreamTexts(sources, { customerId, memberId });
  yield '],\n"deliveries":[\n';
  yield* webhookTexts(sources, customerId);
  yield '],\n"agentNotices":[\n';
  yield* noticeTexts(sources, customerId);
  yield '],\n"mails":[\n';
  yield* mailTexts(sources, customerId);
  yield '],\n"isComplete":true}\n';
}
