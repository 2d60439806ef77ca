import type { Document } from '#kernel/projection.ts';
import type { Clock } from '#kernel/clock.ts';
import type { PersonalTexts } from '#log/personal-texts.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { Job } from '#runtime/job-runner.ts';

/** Who began to save a method at a provider; `_id` names the provider and its session. */
interface SetupSession extends Document {
  readonly customerId: string;
  readonly providerCustomerId: string | null;
  /** The shop's own page for those who come back from their bank. */
  readonly returnPage: string;
  /** The shopper's own pages. */
  readonly returnUrl: string;
  readonly cancelUrl: string;
  /** What was last asked for: sealed JSON of a `SetupWish`, and such a one where an older release kept it. */
  readonly wish?: string | SetupWish;
  /** The shop's milliseconds. */
  readonly expiresAt: number;
}

export interface SetupWish {
  readonly setAsDefault: boolean;
  readonly consentIpAddress: string | null;
}

/** What a set-up is begun with. */
export type BegunSetup = Pick<
  SetupSession,
  'customerId' | 'providerCustomerId' | 'returnPage' | 'returnUrl' | 'cancelUrl'
>;

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
  personalTexts,
}: {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly personalTexts: Pick<PersonalTexts, 'open' | 'seal'>;
}) => {
  await Promise.all([stateStore.declare(SETUPS, [{ fields: ['expiresAt'] }]), stateStore.declare(OWNERS)]);
  return {
    keepSetup: async (provider: string, sessionId: string, begun: BegunSetup): Promise<void> => {
      const expiresAt = clock.now() + KEPT_MILLISECONDS;
      const setup: SetupSession = { _id: idOf(provider, sessionId), ...begun, expiresAt };
      await stateStore.write([{ collection: SETUPS, put: setup }]);
    },
    /** Neither the way back from the payer's bank nor a callback repeats it. */
    keepWish: async (
      provider: string,
      sessionId: string,
      customerId: string,
      wish: SetupWish,
    ): Promise<void> => {
      const sealed = await personalTexts.seal([{ id: customerId, customerId }], JSON.stringify(wish));
      await stateStore.updateIf(SETUPS, { _id: idOf(provider, sessionId) }, { set: { wish: sealed } });
    },
    /** Null for one that was not begun within a day. */
    findSetup: async (provider: string, sessionId: string) => {
      const setup = await stateStore.get<SetupSession>(SETUPS, idOf(provider, sessionId));
      if (!setup || setup.expiresAt <= clock.now()) return null;
      const { wish: kept, ...begun } = setup;
      const text = typeof kept === 'string' ? await personalTexts.open(kept) : null;
      const wish = typeof kept === 'string' ? text && (JSON.parse(text) as SetupWish) : kept;
      return { ...begun, ...(wish && { wish }) };
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
