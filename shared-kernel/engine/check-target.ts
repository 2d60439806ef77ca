import { lookup } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import { checkTargetUrl, refusedAddress, type TargetPolicy } from '#values/target-address.ts';

/** The IP addresses of a host name. Throws when there are none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/** What a target turned out to be. `addresses` have all been checked: a connection goes to one of them. */
export type ResolvedTarget =
  | { readonly kind: 'allowed'; readonly url: URL; readonly addresses: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string }
  /** The name cannot be resolved at the moment. */
  | { readonly kind: 'unresolved'; readonly reason: string };

/** Checks a target's text and every address that its name has (decisions, backoffice 1.7). */
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

/**
 * Asks the system's resolver, IPv4 addresses first. Callers at the same time share one question and its answer serves
 * for five seconds more, so that a busy receiver is not asked for with every delivery.
 */
export const createResolver = (
  ask: ResolveHost = async (hostname) =>
    (await lookup(hostname, { all: true, order: 'ipv4first' })).map(({ address }) => address),
): ResolveHost => {
  const known = new LRUCache<string, Promise<readonly string[]>>({ max: rememberedNames, ttl: rememberedMs });
  return (hostname) => {
    const found = known.get(hostname);
    if (found) return found;
    const asked = ask(hostname);
    known.set(hostname, asked);
    return asked;
  };
};
