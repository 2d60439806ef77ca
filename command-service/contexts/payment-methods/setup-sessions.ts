import type { Document } from '#kernel/projection.ts';
import type { Clock } from '#kernel/clock.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { Job } from '#runtime/job-runner.ts';

/** Who began to save a method at a provider; `_id` names the provider and its session. */
interface SetupSession extends Document {
  readonly customerId: string;
  readonly providerCustomerId: string | null;
  /** The shop's milliseconds. */
  readonly expiresAt: number;
}

/** Whose a saved method is; `_id` is the method's. Written before the method is there. */
interface MethodOwner extends Document {
  readonly customerId: string;
}

const SETUPS = 'payment_setups';
const OWNERS = 'saved_method_owners';
const KEPT_MILLISECONDS = 24 * 60 * 60 * 1000;
const PURGED_TOGETHER = 1000;

const idOf = (provider: string, sessionId: string): string => `${provider} ${sessionId}`;

/** What is looked up of saved methods by something else than their customer. Errors: `EngineUnavailable`. */
export const createSavedMethodRows = async ({
  stateStore,
  clock,
}: {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
}) => {
  await Promise.all([stateStore.declare(SETUPS, [{ fields: ['expiresAt'] }]), stateStore.declare(OWNERS)]);
  return {
    keepSetup: async (
      provider: string,
      sessionId: string,
      { customerId, providerCustomerId }: Pick<SetupSession, 'customerId' | 'providerCustomerId'>,
    ): Promise<void> => {
      const expiresAt = clock.now() + KEPT_MILLISECONDS;
      const _id = idOf(provider, sessionId);
      const setup: SetupSession = { _id, customerId, providerCustomerId, expiresAt };
      await stateStore.write([{ collection: SETUPS, put: setup }]);
    },
    /** Null for another customer's session, and for one that was not begun within a day. */
    findSetup: async (provider: string, sessionId: string, customerId: string) => {
      const setup = await stateStore.get<SetupSession>(SETUPS, idOf(provider, sessionId));
      return setup?.customerId === customerId && setup.expiresAt > clock.now() ? setup : null;
    },
    keepOwner: async (methodId: string, customerId: string): Promise<void> => {
      const owner: MethodOwner = { _id: methodId, customerId };
      await stateStore.write([{ collection: OWNERS, put: owner }]);
    },
    ownerOf: async (methodId: string): Promise<string | null> =>
      (await stateStore.get<MethodOwner>(OWNERS, methodId))?.customerId ?? null,
    dropOwner: async (methodId: string): Promise<void> => {
      await stateStore.write([{ collection: OWNERS, remove: methodId }]);
    },
    purge: {
      name: 'purge-payment-setups',
      schedule: '43 * * * *',
      runOnce: async (now) => {
        let removed = 0;
        for (let last = -1; last !== 0; removed += last)
          last = await stateStore.deleteMany(SETUPS, { expiresAt: { lte: now } }, PURGED_TOGETHER);
        return { removed };
      },
    } satisfies Job,
  };
};

export type SavedMethodRows = Awaited<ReturnType<typeof createSavedMethodRows>>;
