import { setImmediate as nextTurn } from 'node:timers/promises';
import { pagesOf } from '#command/engine/personal-streams.ts';
import type { EventDecoder } from '#log/decode-page.ts';
import type { SubjectKeys } from '#log/subject-keys.ts';
import type { EventStore, StoredEvent } from '#ports/event-store.ts';
import { normalEmail } from '#values/email-address.ts';
import { streamOf } from '#values/stream-name.ts';

export interface GivenEmailsSources {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly decoder: EventDecoder;
  readonly subjectKeys: Pick<SubjectKeys, 'namedBy'>;
}

/** Baskets that are read side by side. */
const AT_ONCE = 25;

const inBaskets: readonly string[] = ['CheckoutEmailCaptured', 'CheckoutAddressesChanged'];
const byAgents: readonly string[] = ['AgentSessionBuyerNamed', 'AgentCartBuyerNamed'];
const inCustomers: readonly string[] = ['CustomerRegistered', 'CustomerChanged'];

interface Given {
  readonly email?: string | null;
  readonly customerId?: string | null;
  /** The buyer as an agent named them. */
  readonly buyer?: { readonly email?: string } | null;
}

/** Whose address an event gives: a basket may have named several people, one after another. */
const isGivenBy = (id: string, basketId: string, { data }: StoredEvent): boolean => {
  // A guest of an older release is known by their basket alone.
  const { customerId = basketId } = JSON.parse(data) as Given;
  return customerId === id;
};

async function* subjectsOf({ subjectKeys }: GivenEmailsSources, id: string) {
  yield [id];
  for (let after: string | null = ''; after !== null;) {
    const page: Awaited<ReturnType<SubjectKeys['namedBy']>> = await subjectKeys.namedBy(id, after);
    for (let from = 0; from < page.ids.length; from += AT_ONCE) yield page.ids.slice(from, from + AT_ONCE);
    after = page.next;
  }
}

const emailIn = ({ email, buyer }: Given): string | null => email ?? buyer?.email ?? null;

/**
 * The e-mail addresses that were given for a customer who is not one any more, or never was: in the log, as long as
 * there are keys. Those that others have given in the same baskets are left out. `namedIn`: the stream of an agent's
 * session or cart that names them, too.
 */
export const givenEmails = async (
  sources: GivenEmailsSources,
  id: string,
  namedIn: string | null = null,
): Promise<readonly string[]> => {
  const emails = new Set<string>();
  const collect = async (
    stream: string,
    types: readonly string[],
    isTheirs: (event: StoredEvent) => boolean,
  ): Promise<void> => {
    for await (const page of pagesOf(sources, stream)) {
      const giving = page.filter((event) => types.includes(event.type) && isTheirs(event));
      for (const { data } of giving.length === 0 ? [] : await sources.decoder.decodeAll(giving)) {
        const email = emailIn(data as Given);
        if (email !== null) emails.add(normalEmail(email));
      }
    }
  };
  await collect(streamOf.customer(id), inCustomers, () => true);
  if (namedIn !== null)
    await collect(namedIn, byAgents, ({ data }) => (JSON.parse(data) as Given).customerId === id);
  for await (const baskets of subjectsOf(sources, id)) {
    await Promise.all(
      baskets.map((basketId) =>
        collect(streamOf.basket(basketId), inBaskets, (event) => isGivenBy(id, basketId, event)),
      ),
    );
    await nextTurn();
  }
  return [...emails];
};
