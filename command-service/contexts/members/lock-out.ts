import type { Clock } from '#kernel/clock.ts';
import type { Document } from '#kernel/projection.ts';
import type { Caller, RateLimits } from '#http/rate-limit.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { clientNetwork } from '#values/client-network.ts';

/** The account whose password is tried: a member as they are now, or an e-mail address without an account. */
export interface TriedAccount {
  readonly email: string;
  /** Counts start over with it: a reset of the password lifts every lock. */
  readonly tokenVersion: number;
}

/** A try of a password; until it is known to be right it counts as a failure. */
export type PasswordTry =
  | {
      readonly isLocked: false;
      /** In a row, this one included. */
      readonly failedAttempts: number;
      /** It was right: it counts nowhere, and the network is known from now on. */
      succeeded(): Promise<void>;
      /** It was not tried after all. */
      takenBack(): Promise<void>;
    }
  | { readonly isLocked: true; readonly failedAttempts: number; readonly endsInSeconds: number };

/** Bounds guesses at passwords, for all processes together (docs/rules/members.md#lock-out). */
export interface LockOut {
  /** Errors: `EngineUnavailable`. */
  admit(account: TriedAccount, from: Caller): Promise<PasswordTry>;
  /** Forgets networks without a sign-in for long; returns how many. */
  sweep(): Promise<number>;
}

export interface LockOutOptions {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly limits: RateLimits;
  readonly keyedHash: (kind: string, value: string) => string;
}

interface KnownNetwork extends Document {
  readonly expiresAt: number;
}

const perNetwork = 5;
const overAllNetworks = 50;
const lockSeconds = 300;
const knownForMs = 90 * 24 * 3600 * 1000;

const collection = 'memberNetworks';

/** Declares its collection; call it once at start. */
export const createLockOut = async (options: LockOutOptions): Promise<LockOut> => {
  const { stateStore, clock, limits, keyedHash } = options;
  await stateStore.declare(collection, [{ fields: ['expiresAt'] }]);
  const ofNetwork = limits.failures('member sign-in', lockSeconds);
  const ofAll = limits.failures('member sign-in anywhere', lockSeconds);

  const isKnown = async (id: string): Promise<boolean> => {
    const known = await stateStore.get<KnownNetwork>(collection, id);
    return known !== null && known.expiresAt > clock.now();
  };
  const remember = async (id: string): Promise<void> => {
    const network: KnownNetwork = { _id: id, expiresAt: clock.now() + knownForMs };
    await stateStore.write([{ collection, put: network }]);
  };

  return {
    admit: async ({ email, tokenVersion }, { ip }) => {
      const network = clientNetwork(ip, 48);
      const networkId = keyedHash('member network', JSON.stringify([email, network]));
      const here = JSON.stringify([email, tokenVersion, network]);
      const anywhere = JSON.stringify([email, tokenVersion]);
      // Strangers who guess elsewhere do not keep the owner out.
      const countsAnywhere = !(await isKnown(networkId));
      const atAll = countsAnywhere ? await ofAll.take(anywhere, overAllNetworks) : null;
      if (atAll && !atAll.isTaken)
        return { isLocked: true, failedAttempts: perNetwork, endsInSeconds: atAll.endsInSeconds };
      const takeBackAnywhere = async (): Promise<void> => {
        if (countsAnywhere) await ofAll.giveBack(anywhere);
      };
      const atNetwork = await ofNetwork.take(here, perNetwork);
      if (!atNetwork.isTaken) {
        await takeBackAnywhere();
        return { isLocked: true, failedAttempts: perNetwork, endsInSeconds: atNetwork.endsInSeconds };
      }
      return {
        isLocked: false,
        failedAttempts: atNetwork.count,
        succeeded: async () => {
          await Promise.all([ofNetwork.clear(here), takeBackAnywhere(), remember(networkId)]);
        },
        takenBack: async () => {
          await Promise.all([ofNetwork.giveBack(here), takeBackAnywhere()]);
        },
      };
    },
    sweep: async () => {
      let removed = 0;
      for (let last = -1; last !== 0; removed += last)
        last = await stateStore.deleteMany(collection, { expiresAt: { lte: clock.now() } }, 1000);
      return removed;
    },
  };
};
