import { LRUCache } from 'lru-cache';
import type {
  AgentProfile,
  AgentProfiles,
  ResolvedProfile,
  UnresolvedReason,
} from '#agents/agent-profile.ts';
import { readProfile } from '#agents/read-profile.ts';
import { defined } from '#kernel/defined.ts';
import type { Sender } from '#ports/sender.ts';
import { targetNotAllowed } from '#runtime/send.ts';
import { isLoopbackHost } from '#values/target-address.ts';
import { createOwnLimit } from './own-limit.ts';
import { countedAddress, type Taken } from './rate-limit.ts';

/** The largest profile that is read. */
export const MOST_PROFILE_BYTES = 262_144;

export interface AgentProfilesOptions {
  /** Reads one byte more than the largest profile has. */
  readonly sender: Pick<Sender, 'send'>;
  /** The shop's time in milliseconds. */
  readonly now: () => number;
  readonly ucp: {
    readonly profileFetchTimeoutMs: number;
    readonly profileCacheSeconds: number;
    readonly profileCacheSize: number;
    readonly rateLimits: { readonly profileFetchesPerMinute: number };
  };
  /** Whether agents may be on this machine, without TLS. */
  readonly allowLoopback: boolean;
  /** The profile of one of the shop's own test agents; null: there is none at that address. */
  readonly ownAgent: (uri: string, baseUrl: string) => AgentProfile | null;
}

interface Kept {
  readonly found: ResolvedProfile;
  readonly fetchedAt: number;
  readonly freshUntil: number;
}

const NEGATIVE_MILLISECONDS = 30_000;
/** So long a good profile outlasts fetches that fail. */
const OUTLASTING_MILLISECONDS = 3_600_000;
const FORCED_SECONDS = 60;
/** One address may have this part of the fetches of a minute: strangers leave some to others. */
const PART_OF_ADDRESS = 0.25;

const unresolved = (
  reason: UnresolvedReason,
  message: string,
  retryAfterSeconds?: number,
): ResolvedProfile => ({ kind: 'unresolved', reason, message, ...defined({ retryAfterSeconds }) });

/** The address as the shop may call it; null: no profile can be there. */
const addressOf = (uri: string, allowLoopback: boolean): URL | null => {
  const url = URL.parse(uri);
  if (!url || url.username !== '' || url.password !== '') return null;
  if (url.protocol === 'https:') return url;
  return url.protocol === 'http:' && allowLoopback && isLoopbackHost(url.hostname) ? url : null;
};

const request = { method: 'GET', headers: { Accept: 'application/json' }, body: Buffer.alloc(0) } as const;

const fetchProfile = async (
  uri: string,
  { sender, ucp: { profileFetchTimeoutMs: timeoutMs } }: AgentProfilesOptions,
): Promise<ResolvedProfile> => {
  const { statusCode, body, error } = await sender.send({ ...request, targetUrl: uri, timeoutMs });
  const away = (why: string) => unresolved('unreachable', `The profile of the agent cannot be read: ${why}.`);
  // A refused address is not told what it stands for.
  if (error !== null) return away(error.startsWith(targetNotAllowed) ? 'its address is not public' : error);
  if (statusCode !== 200) return away(`its address answers ${statusCode}`);
  if (Buffer.byteLength(body ?? '') > MOST_PROFILE_BYTES)
    return away(`it is larger than ${MOST_PROFILE_BYTES} bytes`);
  const read = readProfile(uri, body ?? '');
  if (read.kind === 'profile') return { kind: 'resolved', profile: read.profile };
  return unresolved('malformed', `The profile of the agent is malformed: ${read.problem}.`);
};

/** Takes a fetch out of those of a minute: of all, and of the caller's address. */
const createFetchLimit = ({ now, ucp }: Pick<AgentProfilesOptions, 'now' | 'ucp'>) => {
  const { profileFetchesPerMinute: limit } = ucp.rateLimits;
  const all = createOwnLimit({ now, windowSeconds: 60, mostKeys: 1 });
  const byAddress = createOwnLimit({ now, windowSeconds: 60 });
  return (ip: string): Taken => {
    const ofAddress = ip === '' ? 0 : Math.ceil(limit * PART_OF_ADDRESS);
    const taken = byAddress.take(countedAddress({ ip }), ofAddress);
    return taken.isTaken ? all.take('all', limit) : taken;
  };
};

/** What is known without a connection; null: it has to be fetched. */
const knownIn =
  ({ allowLoopback, ownAgent }: AgentProfilesOptions) =>
  (uri: string, baseUrl: string): ResolvedProfile | null => {
    const isBelow = uri.startsWith(`${baseUrl}/`);
    const url = isBelow ? null : addressOf(uri, allowLoopback);
    if (isBelow || (url !== null && url.origin === URL.parse(baseUrl)?.origin)) {
      const profile = ownAgent(uri, baseUrl);
      if (profile) return { kind: 'resolved', profile };
      return unresolved(
        'unreachable',
        'The profile of the agent cannot be read: this shop has no such agent.',
      );
    }
    if (url) return null;
    return unresolved('malformed-address', 'The profile of an agent must be an https address.');
  };

/** Profiles by their addresses, each fetched once at a time and kept for a while (docs/rules/agents.md#profiles). */
export const createAgentProfiles = (options: AgentProfilesOptions): AgentProfiles => {
  const { now, ucp } = options;
  const kept = new LRUCache<string, Kept>({ max: ucp.profileCacheSize });
  const underWay = new Map<string, Promise<ResolvedProfile>>();
  const takeFetch = createFetchLimit(options);
  const forced = createOwnLimit({ now, windowSeconds: FORCED_SECONDS, mostKeys: ucp.profileCacheSize });

  const goodOf = (uri: string): Kept | null => {
    const last = kept.get(uri);
    return last?.found.kind === 'resolved' ? last : null;
  };

  const keep = (uri: string, found: ResolvedProfile): ResolvedProfile => {
    const at = now();
    if (found.kind === 'resolved') {
      kept.set(uri, { found, fetchedAt: at, freshUntil: at + ucp.profileCacheSeconds * 1000 });
      return found;
    }
    const good = goodOf(uri);
    const outlasting = good && at - good.fetchedAt < OUTLASTING_MILLISECONDS ? good : null;
    const last = outlasting ?? { found, fetchedAt: at };
    kept.set(uri, { ...last, freshUntil: at + NEGATIVE_MILLISECONDS });
    return last.found;
  };

  /** `tooMany`: told where nothing is fetched. */
  const fetched = (uri: string, ip: string, tooMany?: () => void): Promise<ResolvedProfile> => {
    const running = underWay.get(uri);
    if (running) return running;
    const taken = takeFetch(ip);
    if (!taken.isTaken) {
      tooMany?.();
      const good = goodOf(uri);
      if (good) return Promise.resolve(good.found);
      const { retryAfterSeconds } = taken;
      const message = `Too many profiles are asked for. Try again in ${retryAfterSeconds} seconds.`;
      return Promise.resolve(unresolved('too-many', message, retryAfterSeconds));
    }
    const fetch = fetchProfile(uri, options)
      .then((found) => keep(uri, found))
      .finally(() => underWay.delete(uri));
    underWay.set(uri, fetch);
    return fetch;
  };

  const known = knownIn(options);

  return {
    resolve: async (uri, baseUrl, ip) => {
      const last = kept.get(uri);
      if (last && now() < last.freshUntil) return last.found;
      return known(uri, baseUrl) ?? fetched(uri, ip);
    },
    refresh: async (uri, baseUrl, ip) => {
      const own = known(uri, baseUrl);
      if (own) return own;
      const { origin } = new URL(uri);
      const last = kept.get(uri);
      if (last && !forced.take(origin, 1).isTaken) return last.found;
      // Who has used up the fetches of their address does not use up that of an origin.
      return fetched(uri, ip, () => forced.giveBack(origin));
    },
  };
};
