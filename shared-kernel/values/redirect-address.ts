/** A loopback address, at which an app listens on any free port (RFC 8252, 7.3). */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/;

/** A private-use scheme: the domain of the app's owner, reversed (RFC 8252, 7.1). */
const appScheme = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:/;

/** Whether an owner may register an address to which members are sent back, with a code. */
export const isRedirectAddress = (text: string): boolean => {
  const url = URL.parse(text);
  if (!url || /[#\s\\]/.test(text) || url.username !== '' || url.password !== '') return false;
  return text.startsWith('https://') || loopback.test(text) || appScheme.test(text);
};

const withoutPort = (address: string): string => address.replace(loopback, '$1');

/** Letter by letter, but for the port of an address on the member's own machine. */
export const isSameRedirect = (registered: string, given: string): boolean =>
  registered === given ||
  (URL.canParse(given) && loopback.test(given) && withoutPort(registered) === withoutPort(given));

/**
 * An address as a Content-Security-Policy names it, which has no syntax for IPv6, and where it may send browsers on to:
 * Chromium holds every redirect after a form to the policy of the form's page.
 */
export const formTargetsOf = (address: string): readonly string[] => {
  const { origin, protocol, hostname } = new URL(address);
  if (protocol === 'https:') return [protocol];
  return [origin === 'null' || hostname.startsWith('[') ? protocol : origin, 'https:'];
};
