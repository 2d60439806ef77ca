import type { IncomingMessage } from 'node:http';

/** What proxies say of their caller. */
const forwarding = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
];

const loopbackAddress = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;
const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/**
 * True when the caller is on this machine, and not a proxy for another: the connection is of the loopback interface,
 * no proxy has left its mark, and the host asked for is a loopback address. That keeps out pages of other sites in a
 * browser here, and a proxy that adds nothing but passes the name on. A private address proves nothing: what comes
 * through a published port of a container, or a gateway, has one.
 */
export const isFromThisMachine = ({
  socket,
  headers,
}: Pick<IncomingMessage, 'socket' | 'headers'>): boolean =>
  loopbackAddress.test(socket.remoteAddress ?? '') &&
  loopbackHost.test(headers.host ?? '') &&
  forwarding.every((name) => headers[name] === undefined);
