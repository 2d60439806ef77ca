import {
  decodeProtectedHeader,
  importJWK,
  importSPKI,
  importX509,
  jwtVerify,
  type CryptoKey,
  type JWK,
} from 'jose';
import { LRUCache } from 'lru-cache';
import { keySet, referralClaims, type ReferralOffer } from '#contracts/referral.contract.ts';
import { fetchText, type CheckAddress } from '#runtime/fetch-json.ts';
import type { ReferralDiscountSettings } from '#values/store-settings.ts';

const limits = { timeoutMs: 2000, maxBytes: 100_000 };
const HOUR = 3_600_000;
const keysLastMs = 24 * HOUR;
/** After a failure, and before a key that is missing is asked for: else every visitor would wait for it. */
const askedAgainAfterMs = 60_000;
const rememberedAddresses = 10;
const mostKeys = 20;
const longestToken = 4096;
const pageLastsMs = 30 * 60_000;
const checkoutLastsMs = 48 * HOUR;

interface SigningKey {
  /** Null: it is for tokens that name any key, or none. */
  readonly kid: string | null;
  readonly key: CryptoKey;
}

const isSigning = ({ kty, crv, use, alg }: JWK): boolean =>
  kty === 'EC' && crv === 'P-256' && (use ?? 'sig') === 'sig' && (alg ?? 'ES256') === 'ES256';

const ofKeySet = async (document: unknown): Promise<SigningKey[]> => {
  const { keys } = keySet.parse(document);
  const signing = (keys as JWK[]).filter(isSigning).slice(0, mostKeys);
  return Promise.all(
    signing.map(async (jwk) => ({
      kid: jwk.kid ?? null,
      // Never the private part, whatever was published.
      key: (await importJWK(
        { kty: 'EC', crv: 'P-256', x: jwk.x ?? '', y: jwk.y ?? '' },
        'ES256',
      )) as CryptoKey,
    })),
  );
};

/** The keys in a document: a JWK set, or one in PEM. */
const keysIn = async (text: string): Promise<readonly SigningKey[]> => {
  if (!text.trimStart().startsWith('-----')) return ofKeySet(JSON.parse(text));
  const importPem = text.includes('BEGIN CERTIFICATE') ? importX509 : importSPKI;
  return [{ kid: null, key: await importPem(text.trim(), 'ES256') }];
};

interface Known {
  readonly keys: readonly SigningKey[];
  readonly askedAt: number;
  readonly isFailure: boolean;
}

export interface ReferralTokenOptions {
  /** Says whether an address may be called, and which IP addresses are meant by it. */
  readonly check: CheckAddress;
  /** For tests: keys over http. */
  readonly allowHttp: boolean;
  readonly now: () => number;
  /** Told why keys could not be had. */
  readonly onFailure: (reason: string) => void;
}

/** The keys of advertisers, remembered for a day; an address is asked by one visitor at a time. */
const createKeys = ({ check, allowHttp, now, onFailure }: ReferralTokenOptions) => {
  const known = new LRUCache<string, Known>({ max: rememberedAddresses });
  const asking = new Map<string, Promise<Known>>();

  const ask = async (keyUrl: string): Promise<Known> => {
    const before = known.get(keyUrl);
    try {
      if (!allowHttp && !/^https:/i.test(keyUrl)) throw new Error('its address is not https');
      const keys = await keysIn(await fetchText(keyUrl, check, limits));
      return { keys, askedAt: now(), isFailure: false };
    } catch (error) {
      onFailure(error instanceof Error ? error.message : String(error));
      return { keys: before?.keys ?? [], askedAt: now(), isFailure: true };
    }
  };

  return async (keyUrl: string, isKnown: (keys: readonly SigningKey[]) => boolean) => {
    const remembered = known.get(keyUrl);
    if (remembered) {
      const age = now() - remembered.askedAt;
      const isFresh = age < keysLastMs && !remembered.isFailure;
      if (age < askedAgainAfterMs || (isFresh && isKnown(remembered.keys))) return remembered.keys;
    }
    const asked =
      asking.get(keyUrl) ??
      ask(keyUrl)
        .then((found) => {
          known.set(keyUrl, found);
          return found;
        })
        .finally(() => asking.delete(keyUrl));
    asking.set(keyUrl, asked);
    return (await asked).keys;
  };
};

const fitting = (keys: readonly SigningKey[], kid: string | undefined): readonly SigningKey[] =>
  keys.filter((key) => key.kid === null || kid === undefined || key.kid === kid);

/**
 * Reads what a link promises, by ES256 only. Null for anything invalid: a wrong signature, another merchant, a bad
 * percentage; the request then continues without it.
 */
export const createReferralTokens = (options: ReferralTokenOptions) => {
  const keysAt = createKeys(options);

  const verified = async (token: string, keys: readonly SigningKey[], now: number) => {
    for (const { key } of keys) {
      const verifying = { algorithms: ['ES256'], requiredClaims: ['exp'], currentDate: new Date(now) };
      const { payload } = await jwtVerify(token, key, verifying).catch(() => ({ payload: null }));
      if (payload !== null) return referralClaims.safeParse(payload).data ?? null;
    }
    return null;
  };

  return {
    read: async (
      token: string,
      { keyUrl, merchantIds }: ReferralDiscountSettings,
    ): Promise<ReferralOffer | null> => {
      if (keyUrl === null || token.length > longestToken) return null;
      const kid = kidOf(token);
      if (kid === null) return null;
      const keys = await keysAt(keyUrl, (all) => fitting(all, kid).length > 0);
      const now = options.now();
      const said = await verified(token, fitting(keys, kid), now);
      if (said === null || !merchantIds.includes(said.m)) return null;
      const until = (lasts: number): string =>
        new Date(Math.min(now + lasts, Math.floor(said.exp) * 1000)).toISOString();
      return {
        discountedPrice: said.p,
        discountPercentage: said.dp,
        discountCode: said.dc ?? null,
        currencyCode: said.c ?? null,
        offerId: said.o,
        pageExpiryUtc: until(pageLastsMs),
        checkoutExpiryUtc: until(checkoutLastsMs),
      };
    },
  };
};

/** The key that a token names, undefined where it names none; null for what is no token by ES256. */
const kidOf = (token: string): string | undefined | null => {
  try {
    const { alg, kid } = decodeProtectedHeader(token);
    return alg === 'ES256' ? kid : null;
  } catch {
    return null;
  }
};

export type ReferralTokens = ReturnType<typeof createReferralTokens>;
