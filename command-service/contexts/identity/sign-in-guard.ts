import { newId } from '#kernel/ids.ts';
import { countedAddress, tooManyRequests, type Caller, type RateLimits } from '#http/rate-limit.ts';

/** Where a sign-in comes from. */
export interface SignInFrom extends Caller {
  /** What the device was given when this account last signed in there. */
  readonly deviceMark: string | undefined;
}

/** An attempt that was let through; until it is known to be right it counts as a guess. */
export interface CountedAttempt {
  /** It was the right password: it counts nowhere. Returns the mark by which this device is known from now on. */
  succeeded(): Promise<string>;
}

/**
 * Bounds guesses at passwords, for all processes together, without letting strangers bar anybody
 * (docs/rules/identity.md#sign-in).
 */
export interface SignInGuard {
  /** `account` is the same for every spelling of it, whether or not it exists. Errors: `too-many-requests`. */
  admit(account: string, from: SignInFrom): Promise<CountedAttempt>;
}

export interface SignInGuardOptions {
  readonly limits: RateLimits;
  /** Wrong attempts from an address, and from a known device. */
  readonly attemptsPerMinute: number;
  readonly keyedHash: (kind: string, value: string) => string;
}

/** Wrong attempts on one account from unknown devices, over all addresses: it is never barred, only slowed down. */
const accountThrottle = { free: 10, stepSeconds: 1, longestSeconds: 30, forgottenAfterSeconds: 900 };

export const createSignInGuard = ({
  limits,
  attemptsPerMinute,
  keyedHash,
}: SignInGuardOptions): SignInGuard => {
  const byDevice = limits.perWindow('sign-in device', 60);
  const byAddress = limits.perWindow('sign-in address', 60);
  const byAccount = limits.throttle('sign-in account', accountThrottle);

  const markFor = (account: string, deviceId: string): string =>
    `${deviceId}.${keyedHash('sign-in device', `${account} ${deviceId}`)}`;

  /** The id of a device that this account has signed in on; null for any other mark. */
  const knownDevice = (account: string, mark: string | undefined): string | null => {
    const deviceId = mark?.split('.')[0];
    // Both are hashed again: how much of a forged mark is right cannot be told from the time that it takes.
    const hashOf = (text: string): string => keyedHash('sign-in mark', text);
    if (mark === undefined || deviceId === undefined) return null;
    return hashOf(mark) === hashOf(markFor(account, deviceId)) ? deviceId : null;
  };

  const refuse = (seconds: number): never => {
    throw tooManyRequests(`Too many attempts. Try again in ${seconds} s.`, seconds);
  };

  const admitDevice = async (account: string, deviceId: string): Promise<CountedAttempt> => {
    const taken = await byDevice.take(deviceId, attemptsPerMinute);
    if (!taken.isTaken) return refuse(taken.retryAfterSeconds);
    return {
      succeeded: async () => {
        await byDevice.giveBack(deviceId);
        return markFor(account, deviceId);
      },
    };
  };

  const admitStranger = async (account: string, caller: Caller): Promise<CountedAttempt> => {
    const network = countedAddress(caller);
    const atAddress = await byAddress.take(network, attemptsPerMinute);
    if (!atAddress.isTaken) return refuse(atAddress.retryAfterSeconds);
    const atAccount = await byAccount.take(account);
    // It stays counted at the address: who knocks without a pause would take every turn that the account has.
    if (!atAccount.isTaken) return refuse(atAccount.retryAfterSeconds);
    return {
      succeeded: async () => {
        // The address keeps its wrong guesses: an account of one's own would wash them off.
        await Promise.all([byAddress.giveBack(network), byAccount.clear(account)]);
        return markFor(account, newId());
      },
    };
  };

  return {
    admit: (account, { deviceMark, ...caller }) => {
      const deviceId = knownDevice(account, deviceMark);
      return deviceId === null ? admitStranger(account, caller) : admitDevice(account, deviceId);
    },
  };
};
