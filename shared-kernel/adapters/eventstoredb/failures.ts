import type { ServiceError } from '@grpc/grpc-js';
import {
  EngineUnavailable,
  NoSuchPosition,
  StreamDamaged,
  WrongExpectedRevision,
} from '#ports/engine-errors.ts';
import type { EndPoint } from './address.ts';

const CANCELLED = 1;
const UNKNOWN = 2;
const INVALID_ARGUMENT = 3;
const PERMISSION_DENIED = 7;
const ABORTED = 10;
const UNIMPLEMENTED = 12;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;
/** gRPC's numbers for a server that understood and said no. */
const refusals = new Set([INVALID_ARGUMENT, 5, PERMISSION_DENIED, 9, 11, UNIMPLEMENTED, UNAUTHENTICATED]);

/** The server said no, as to an append that is too large, or we to the server: trying again changes nothing. */
export class RefusedByServer extends Error {
  override readonly name = 'RefusedByServer';
}

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && 'code' in error && typeof error.code === 'number';

/**
 * gRPC makes a code of the status of one who speaks HTTP only: 404 of a proxy whose server is away looks like a call
 * that the server does not know, 403 like a user without the right.
 */
const isOfProxy = ({ details }: ServiceError): boolean => details.startsWith('Received HTTP status code');

const isRefusal = (error: ServiceError): boolean =>
  (refusals.has(error.code) && !isOfProxy(error)) || isInsideRecord(error);

/** The server has no such call. */
export const isUnknownCall = (error: unknown): boolean =>
  isServiceError(error) && isRefusal(error) && error.code === UNIMPLEMENTED;

const trailer = (error: unknown, key: string): string | undefined =>
  isServiceError(error) ? error.metadata?.get(key)[0]?.toString() : undefined;

/** The server's own name for what went wrong, such as `wrong-expected-version`. */
export const exceptionOf = (error: unknown): string | undefined => trailer(error, 'exception');

/** A live subscription has more events waiting than the server keeps for it. */
export const isTooSlow = (error: unknown): boolean =>
  isServiceError(error) && error.code === ABORTED && error.details.includes('Consumer too slow');

/**
 * A read of all was to begin inside a record: servers up to 23.10 say that they do not know why they cannot, later ones
 * that the position is invalid.
 */
const isInsideRecord = ({ code, details }: ServiceError): boolean =>
  (code === UNKNOWN && /^Unexpected (?:Filtered)?ReadAllResult: Error/.test(details)) ||
  (code === INVALID_ARGUMENT && details.includes('invalid position'));

/** Why a certificate is refused that has another name; gRPC hands it on inside a text of its own. */
export const wrongName = (names: string, address: string): string =>
  `EventStoreDB's certificate is for ${names}, and EVENT_STORE or the gossip of its nodes names ${address}: they must agree`;
const wrongNameIn = /EventStoreDB's certificate is for .*?: they must agree/;
/** What OpenSSL says of a certificate that it cannot trust. */
const untrusted =
  /self.signed certificate(?: in certificate chain)?|unable to (?:get (?:local )?issuer certificate|verify the first certificate)|certificate (?:has expired|is not yet valid|signature failure)/;

/** The sentence for an operator whose server has a certificate that is not trusted; null for any other failure. */
export const certificateProblem = (error: unknown): string | null => {
  const text = error instanceof Error ? error.message : '';
  const otherName = wrongNameIn.exec(text)?.[0];
  if (otherName) return otherName;
  const reason = untrusted.exec(text)?.[0];
  return reason
    ? `EventStoreDB's certificate is not trusted (${reason}): tlsCAFile in EVENT_STORE must name the file of the CA that signed it`
    : null;
};

/** What a failed call says about the node that it was on. */
export type Cause = 'the call' | 'a doubtful node' | 'a lost connection' | { readonly leader: EndPoint };

export const causeOf = (error: unknown): Cause => {
  if (exceptionOf(error) === 'not-leader') {
    const address = trailer(error, 'leader-endpoint-host') ?? '';
    const port = Number(trailer(error, 'leader-endpoint-port'));
    return address !== '' && port > 0 ? { leader: { address, port } } : 'a doubtful node';
  }
  if (!isServiceError(error)) return error instanceof EngineUnavailable ? 'a doubtful node' : 'the call';
  if (isRefusal(error) || isTooSlow(error)) return 'the call';
  // "Server Is Not Ready" and the like are said by a node that is there.
  const isSaid = error.code === UNAVAILABLE && error.details.startsWith('Server Is');
  const isLost = error.code === UNAVAILABLE || error.code === CANCELLED;
  return isLost && !isSaid ? 'a lost connection' : 'a doubtful node';
};

/** What a call is about, for messages: a stream, the whole log from a position, or without one. */
export type Target = { readonly stream: string } | { readonly from: number } | '$all';

const isStream = (target: Target): target is { readonly stream: string } =>
  typeof target === 'object' && 'stream' in target;
const isPosition = (target: Target): target is { readonly from: number } =>
  typeof target === 'object' && 'from' in target;

/**
 * What a failed call is to the callers of the port. A server that is down is told by gRPC's bare error, one that no
 * node of a cluster leads to by a plain `Error`, one that steps down by `not-leader`: all are `EngineUnavailable`.
 */
export const portError = (error: unknown, target: Target): Error => {
  if (error instanceof EngineUnavailable || error instanceof WrongExpectedRevision) return error;
  if (error instanceof RefusedByServer || error instanceof StreamDamaged) return error;
  const exception = exceptionOf(error);
  if (exception === 'stream-deleted' && isStream(target))
    return new StreamDamaged(target.stream, 'it was deleted', { cause: error });
  if (isServiceError(error) && isInsideRecord(error) && isPosition(target))
    return new NoSuchPosition(target.from, { cause: error });
  if (isServiceError(error) && isRefusal(error) && exception !== 'not-leader') {
    return new RefusedByServer(refusalOf(error, target), { cause: error });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new EngineUnavailable(`EventStoreDB did not answer: ${reason}`, { cause: error });
};

const refusalOf = ({ code, details }: ServiceError, target: Target): string => {
  if (code === UNAUTHENTICATED)
    return `EventStoreDB does not know the user of EVENT_STORE, or the password is wrong: ${details}`;
  if (code !== PERMISSION_DENIED) return `EventStoreDB refused: ${details}`;
  if (isStream(target))
    return `EventStoreDB does not let the user of EVENT_STORE use stream ${target.stream}: ${details}`;
  return (
    'EventStoreDB does not let the user of EVENT_STORE read $all, the whole log, which the shop follows: ' +
    'make the user one of $admins, or name it in the metadata of $all, ' +
    '{"$acl":{"$r":["$admins","<user>"]}} in the stream $$$all'
  );
};
