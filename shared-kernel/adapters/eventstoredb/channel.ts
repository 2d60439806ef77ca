import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { Channel, ChannelCredentials, type ChannelOptions } from '@grpc/grpc-js';
import type { EndPoint, ServerAddress } from './address.ts';
import { wrongName } from './failures.ts';

/** The largest event that the server may hold, and the frame around it. */
const LARGEST_MESSAGE_BYTES = 17 * 1024 * 1024;
/** The common name that a server's certificate has unless configured otherwise. */
const NODE_NAME = 'eventstoredb-node';

/** As `dns:` targets and messages write it; an IP address of version 6 in brackets. */
export const textOf = ({ address, port }: EndPoint): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;

/**
 * Opens a connection of its own to one node. By default gRPC gives all channels to a node the same connection, which
 * may be the one that has died.
 */
export const openChannel = (endPoint: EndPoint, server: ServerAddress): Channel => {
  const { keepAliveIntervalMilliseconds: interval, keepAliveTimeoutMilliseconds: timeout } = server;
  const options: ChannelOptions = {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.max_receive_message_length': LARGEST_MESSAGE_BYTES,
    ...(interval >= 0 && { 'grpc.keepalive_time_ms': interval }),
    ...(timeout >= 0 && { 'grpc.keepalive_timeout_ms': timeout }),
    // TLS has no server name that is an address (RFC 6066), and from version 26 on Node refuses one.
    ...(isIP(endPoint.address) !== 0 && { 'grpc.ssl_target_name_override': NODE_NAME }),
  };
  return new Channel(`dns:${textOf(endPoint)}`, credentialsFor(endPoint, server), options);
};

/** The certificate must name the host, or hold the address among its IP entries: Node's own check, in our words. */
const checkName = (address: string, certificate: PeerCertificate): Error | undefined => {
  if (!checkServerIdentity(address, certificate)) return undefined;
  const names = certificate.subjectaltname ?? String(certificate.subject.CN);
  return new Error(wrongName(names, address));
};

const credentialsFor = ({ address }: EndPoint, { tls }: ServerAddress): ChannelCredentials =>
  tls === null
    ? ChannelCredentials.createInsecure()
    : ChannelCredentials.createSsl(tls.authorities, tls.key, tls.certificate, {
        checkServerIdentity: (_name, certificate) => checkName(address, certificate),
      });
