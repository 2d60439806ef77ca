import { lookup } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import { pause } from './back-off.ts';
import { checkTargetUrl, refusedAddress, type TargetPolicy } from '#values/target-address.ts';

/** The IP addresses of a host name. Empty, or throws, if there are none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/** The result of a check. All `addresses` have passed it: a connection goes to one of them. */
export type ResolvedTarget =
  | { readonly kind: 'allowed'; readonly url: URL; readonly addresses: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string }
  /** The name cannot be resolved just now. */
  | { readonly kind: 'unresolved'; readonly reason: string };

/** Checks the text of a target, and every address of its host (docs/rules/webhooks.md#targets). */
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
/** How long an earlier answer serves while the resolver is silent. */
const lastAnswerMs = 300_000;

export interface ResolverOptions {
  /** Default: the system's resolver, IPv4 addresses first. */
  readonly ask?: ResolveHost;
  /** How long to wait until the name counts as unresolvable. Default 5,000. */
  readonly patienceMs?: number;
  /** The same if an earlier answer can serve. Default 500. */
  readonly patienceWithAnswerMs?: number;
  /** Real time in milliseconds. */
  readonly now?: () => number;
}

interface ResponseSent {
  /** Empty if the name has none. */
  readonly addresses: readonly string[];
  readonly freshUntil: number;
}

const askSystem: ResolveHost = async (hostname) =>
  (await lookup(hostname, { all: true, order: 'ipv4first' })).map(({ address }) => address);

/**
 * Concurrent callers share one question, and its answer serves for five more seconds, so that a busy receiver is not
 * looked up for every delivery. The system resolves few names at a time, and one with a dead server takes long: callers
 * queued behind it use the earlier answer.
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
    // Other callers do not wait for the silent resolver either, and the answer keeps its age.
    const ttl = known.getRemainingTTL(hostname);
    if (last && ttl > 0) known.set(hostname, { ...last, freshUntil: now() + rememberedMs }, { ttl });
    return last?.addresses ?? [];
  };
};

/** Checks addresses that callers name, as for webhooks (docs/rules/webhooks.md#targets). */
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
