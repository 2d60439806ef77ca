import { lookup } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import { pause } from './back-off.ts';
import { checkTargetUrl, refusedAddress, type TargetPolicy } from '#values/target-address.ts';

/** The IP addresses of a host name. Empty, or thrown, when there are none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/** What a target turned out to be. `addresses` have all been checked: a connection goes to one of them. */
export type ResolvedTarget =
  | { readonly kind: 'allowed'; readonly url: URL; readonly addresses: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string }
  /** The name cannot be resolved at the moment. */
  | { readonly kind: 'unresolved'; readonly reason: string };

/** Checks a target's text and every address that its name has (docs/rules/webhooks.md#targets). */
export const checkTarget = async (
  targetUrl: string,
  policy: TargetPolicy,
  resolve: ResolveHost,
): Promise<ResolvedTarget> => {
  const checked = checkTargetUrl(targetUrl, policy);
  if (!checked.isAllowed) return { kind: 'refused', reason: checked.reason };
  const { url, address } = checked;
  if (address !== null) return { kind: 'allowed', url, addresses: [address] };
  const addresses = await resolve(url.hostname).catch(() => []);
  if (addresses.length === 0) return { kind: 'unresolved', reason: `${url.hostname} cannot be resolved` };
  for (const one of addresses) {
    const reason = refusedAddress(one, policy);
    if (reason !== null) return { kind: 'refused', reason: `${url.hostname} resolves to ${reason}` };
  }
  return { kind: 'allowed', url, addresses };
};

const rememberedMs = 5000;
const rememberedNames = 1000;
/** For how long an answer still serves while the resolver is silent. */
const lastAnswerMs = 300_000;

export interface ResolverOptions {
  /** Default: the system's resolver, IPv4 addresses first. */
  readonly ask?: ResolveHost;
  /** For so long it is waited for; then the name counts as one that cannot be resolved. Default 5,000. */
  readonly patienceMs?: number;
  /** The same where there is an earlier answer, which then serves. Default 500. */
  readonly patienceWithAnswerMs?: number;
  /** Real time in milliseconds. */
  readonly now?: () => number;
}

interface ResponseSent {
  /** Empty: the name has none. */
  readonly addresses: readonly string[];
  readonly freshUntil: number;
}

const askSystem: ResolveHost = async (hostname) =>
  (await lookup(hostname, { all: true, order: 'ipv4first' })).map(({ address }) => address);

/**
 * Callers at the same time share one question and its answer serves for five seconds more, so that a busy receiver is
 * not asked for with every delivery. The system asks for few names at a time, and one whose server is dead takes long:
 * those who wait behind it go on with the answer from before.
 */
export const createResolver = (options: ResolverOptions = {}): ResolveHost => {
  const { ask = askSystem, patienceMs = 5000, patienceWithAnswerMs = 500 } = options;
  const now = options.now ?? (() => performance.now());
  const known = new LRUCache<string, ResponseSent>({ max: rememberedNames, ttl: lastAnswerMs });
  const asking = new Map<string, Promise<readonly string[]>>();

  const remember = (hostname: string, addresses: readonly string[]): readonly string[] => {
    known.set(hostname, { addresses, freshUntil: now() + rememberedMs });
    return addresses;
  };

  const question = (hostname: string): Promise<readonly string[]> => {
    const asked = asking.get(hostname);
    if (asked) return asked;
    const answer = ask(hostname)
      .catch(() => [])
      .then((addresses) => remember(hostname, addresses))
      .finally(() => asking.delete(hostname));
    asking.set(hostname, answer);
    return answer;
  };

  return async (hostname) => {
    const last = known.get(hostname);
    if (last && now() < last.freshUntil) return last.addresses;
    const over = new AbortController();
    const wait = last ? patienceWithAnswerMs : patienceMs;
    const answer = await Promise.race([question(hostname), pause(wait, over.signal)]);
    over.abort();
    if (answer) return answer;
    // No other caller waits for the silent resolver either, and the answer keeps its age.
    const ttl = known.getRemainingTTL(hostname);
    if (last && ttl > 0) known.set(hostname, { ...last, freshUntil: now() + rememberedMs }, { ttl });
    return last?.addresses ?? [];
  };
};

/** Where the shop may connect to on a caller's word: as for webhooks (docs/rules/webhooks.md#targets). */
export const addressChecker = ({
  allowLoopbackTargets: allowLoopback,
  webhooks: { allowPrivateTargets: allowPrivate },
}: {
  readonly allowLoopbackTargets: boolean;
  readonly webhooks: { readonly allowPrivateTargets: boolean };
}) => {
  const resolve = createResolver();
  return (address: string): Promise<ResolvedTarget> =>
    checkTarget(address, { allowLoopback, allowPrivate }, resolve);
};
