/**
 * Where Tillroll may open a connection to on a caller's word: http or https, and never into the network that it runs
 * in (docs/rules/webhooks.md#targets). Pure: the caller resolves the name, asks `refusedAddress` about every address
 * and connects to one of those very addresses.
 */
export interface TargetPolicy {
  /** For tests: loopback addresses and `localhost`. */
  readonly allowLoopback: boolean;
  /** For tests: every address. */
  readonly allowPrivate: boolean;
  /** http only to loopback, where that is allowed. Default: wherever https may go. */
  readonly isHttpsNeeded?: true;
}

/** A target that may be called as far as its text goes, or why it may not. */
export type CheckedTarget =
  | {
      readonly isAllowed: true;
      readonly url: URL;
      /** Null for a name: it has yet to be resolved. */ readonly address: string | null;
    }
  | { readonly isAllowed: false; readonly reason: string };

const refused = (reason: string): CheckedTarget => ({ isAllowed: false, reason });

/** Names that mean this machine or its network. */
const isLoopbackName = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');
/** Also as an address. */
export const isLoopbackHost = (host: string): boolean =>
  isLoopbackName(host) || /^127\.|^\[::1\]$/.test(host);
const isInternalName = (host: string): boolean =>
  ['.local', '.internal', '.home.arpa'].some((ending) => host.endsWith(ending)) || host === 'metadata.goog';

/**
 * Checks a target's text. The URL parser turns every way to write an IPv4 address (hex, octal, one number) into the
 * plain one.
 */
export const checkTargetUrl = (text: string, policy: TargetPolicy): CheckedTarget => {
  if (text.trim() === '') return refused('it is empty');
  if (!URL.canParse(text)) return refused('it is not an absolute URL');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refused('only http and https are allowed');
  if (url.username !== '' || url.password !== '') return refused('it must not hold user information');
  const host = url.hostname.replace(/\.$/, '');
  if (host === '') return refused('it names no host');
  if (policy.isHttpsNeeded && url.protocol === 'http:' && !(policy.allowLoopback && isLoopbackHost(host)))
    return refused('only https is allowed');
  const address = host.startsWith('[') ? host.slice(1, -1) : parseIpv4(host) === null ? null : host;
  if (address !== null) {
    const reason = refusedAddress(address, policy);
    return reason === null ? { isAllowed: true, url, address } : refused(reason);
  }
  if (isLoopbackName(host) && !policy.allowLoopback && !policy.allowPrivate)
    return refused(`${host} is this machine`);
  if (isInternalName(host) && !policy.allowPrivate) return refused(`${host} is an internal name`);
  return { isAllowed: true, url, address: null };
};

/** Why no connection may go to this IP address; null when one may. What cannot be read as an address is refused. */
export const refusedAddress = (address: string, policy: TargetPolicy): string | null => {
  const octets = parseIpv4(address) ?? embeddedIpv4(parseIpv6(address));
  const groups = octets === null ? parseIpv6(address) : null;
  if (octets === null && groups === null) return `${address} is not an IP address`;
  if (policy.allowPrivate) return null;
  const isLoopback = octets === null ? isIpv6Loopback(groups ?? []) : octets[0] === 127;
  if (isLoopback) return policy.allowLoopback ? null : `${address} is a loopback address`;
  const isReserved = octets === null ? isReservedIpv6(groups ?? []) : isReservedIpv4(octets);
  return isReserved ? `${address} is a private or reserved address` : null;
};

/** Four octets; null when it is not dotted decimal. */
const parseIpv4 = (text: string): readonly number[] | null => {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return null;
  const octets = text.split('.').map(Number);
  return octets.every((octet) => octet <= 255) ? octets : null;
};

/** Eight groups of 16 bits; null when it is no IPv6 address. A zone (`%eth0`) is left out. */
const parseIpv6 = (text: string): readonly number[] | null => {
  const [plain = ''] = text.split('%');
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(plain);
  const octets = tail?.[2] === undefined ? null : parseIpv4(tail[2]);
  if (tail && octets === null) return null;
  const [a = 0, b = 0, c = 0, d = 0] = octets ?? [];
  const hex =
    octets === null ? plain : `${tail?.[1]}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  const halves = hex.split('::');
  if (halves.length > 2) return null;
  const [head, rest] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const given = [...(head ?? []), ...(rest ?? [])];
  if (!given.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
  const missing = 8 - given.length;
  if (rest === undefined ? missing !== 0 : missing < 1) return null;
  const zeros = Array.from({ length: missing }, () => '0');
  return [...(head ?? []), ...zeros, ...(rest ?? [])].map((group) => Number.parseInt(group, 16));
};

/** The IPv4 address that an IPv6 address stands for: `::ffff:a.b.c.d`. */
const embeddedIpv4 = (groups: readonly number[] | null): readonly number[] | null => {
  if (groups === null || groups[5] !== 0xffff || groups.slice(0, 5).some((group) => group !== 0)) return null;
  return groups.slice(6).flatMap((group) => [group >> 8, group & 0xff]);
};

/** Network and length of its prefix. */
type Range = readonly [network: string, bits: number];

/**
 * What is not the open internet (docs/rules/webhooks.md#targets): the special-purpose registries of IANA, and addresses
 * that look public but lead into a cloud's own network. Loopback has a rule of its own.
 */
const reservedIpv4: readonly Range[] = [
  // this network
  ['0.0.0.0', 8],
  // private
  ['10.0.0.0', 8],
  // shared by carriers; Alibaba: metadata 100.100.100.200, name servers 100.100.2.136 and .138
  ['100.64.0.0', 10],
  // IBM Cloud: name servers, time, mirrors, reached from inside only
  ['161.26.0.0', 16],
  // IBM Cloud: private endpoints of its services
  ['166.8.0.0', 14],
  // Azure: the host of every machine hands out settings, keys and names
  ['168.63.129.16', 32],
  // link-local; metadata of nearly every cloud 169.254.169.254; AWS: names .253, time .123, ECS 169.254.170.2, EKS .23;
  // Tencent 169.254.0.23; Scaleway 169.254.42.42; Oracle's disks
  ['169.254.0.0', 16],
  // private
  ['172.16.0.0', 12],
  // protocol assignments; Oracle: older metadata 192.0.0.192
  ['192.0.0.0', 24],
  // documentation
  ['192.0.2.0', 24],
  // AS112: name servers that swallow questions about private addresses
  ['192.31.196.0', 24],
  // automatic multicast tunnels
  ['192.52.193.0', 24],
  // relays of 6to4, given up
  ['192.88.99.0', 24],
  // private
  ['192.168.0.0', 16],
  // AS112, delegated directly
  ['192.175.48.0', 24],
  // benchmarks
  ['198.18.0.0', 15],
  // documentation
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // multicast
  ['224.0.0.0', 4],
  // reserved, and the broadcast address
  ['240.0.0.0', 4],
];

/**
 * Addresses that carry an IPv4 address to be translated or tunnelled to are always refused; only the mapped form
 * (`::ffff:a.b.c.d`) is the IPv4 address itself and is judged as one.
 */
const reservedIpv6: readonly Range[] = [
  // all below global unicast (2000::/3): unspecified, IPv4-compatible, IPv4-translated (::ffff:0:a.b.c.d),
  // NAT64 (64:ff9b::/96, 64:ff9b:1::/48), discard-only (100::/64), dummy prefix (100:0:0:1::/64)
  ['::', 3],
  // protocol assignments: Teredo (2001::/32), benchmarks (2001:2::/48), multicast tunnels (2001:3::/32),
  // AS112 (2001:4:112::/48), ORCHID (2001:10::/28, 2001:20::/28), drones (2001:30::/28)
  ['2001::', 23],
  // documentation
  ['2001:db8::', 32],
  // 6to4
  ['2002::', 16],
  // AS112, delegated directly
  ['2620:4f:8000::', 48],
  // documentation
  ['3fff::', 20],
  // all above global unicast: segment routing (5f00::/16), unique local (fc00::/7) with the metadata of AWS
  // (fd00:ec2::254, names ::253, time ::123, EKS ::23), Google (fd20:ce::254), Oracle (fd00:c1::a9fe:a9fe) and
  // Scaleway (fd00:42::42), link-local (fe80::/10) with OpenStack's (fe80::a9fe:a9fe), site-local (fec0::/10),
  // multicast (ff00::/8)
  ['4000::', 2],
  ['8000::', 1],
];

const numberOf = (parts: readonly number[], bitsEach: number): bigint =>
  parts.reduce((sum, part) => (sum << BigInt(bitsEach)) | BigInt(part), 0n);

const within = (value: bigint, width: number, ranges: readonly (readonly [bigint, number])[]): boolean =>
  ranges.some(([network, bits]) => value >> BigInt(width - bits) === network >> BigInt(width - bits));

const ipv4Ranges = reservedIpv4.map(
  ([network, bits]) => [numberOf(parseIpv4(network) ?? [], 8), bits] as const,
);
const ipv6Ranges = reservedIpv6.map(
  ([network, bits]) => [numberOf(parseIpv6(network) ?? [], 16), bits] as const,
);

const isReservedIpv4 = (octets: readonly number[]): boolean => within(numberOf(octets, 8), 32, ipv4Ranges);
const isReservedIpv6 = (groups: readonly number[]): boolean => within(numberOf(groups, 16), 128, ipv6Ranges);
const isIpv6Loopback = (groups: readonly number[]): boolean => numberOf(groups, 16) === 1n;
