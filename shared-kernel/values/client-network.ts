const ipv4InIpv6 = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/i;

/** The first bits of an IPv6 address, each group without leading zeros. */
const prefixOf = (address: string, bits: number): string => {
  const [plain = ''] = address.toLowerCase().split('%');
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? 0 : tail.split(':').length;
    groups.push(...Array.from({ length: Math.max(0, 8 - groups.length - after) }, () => '0'));
    groups.push(...(tail === '' ? [] : tail.split(':')));
  }
  return groups
    .slice(0, bits / 16)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
};

/**
 * Whom a limit by address counts together: an IPv4 address by itself, also in its IPv6 form, and an IPv6 address with
 * its /64, which is what one subscriber line is given; or with its /48, which is what one site may have. Takes
 * addresses as sockets and proxies write them.
 */
export const clientNetwork = (address: string, bits: 48 | 64 = 64): string => {
  const ipv4 = ipv4InIpv6.exec(address)?.[1];
  return ipv4 ?? (address.includes(':') ? `${prefixOf(address, bits)}::/${bits}` : address);
};
