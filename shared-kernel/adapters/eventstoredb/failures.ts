import type { ServiceError } from '@grpc/grpc-js';
import { EngineUnavailable, WrongExpectedRevision } from '#ports/engine-errors.ts';

/** gRPC's numbers of such refusals. */
const refusals = new Set([3, 5, 7, 9, 11, 12, 16]);
export const UNIMPLEMENTED = 12;

/** The server understood and said no, as to an append that is too large; trying again changes nothing. */
export class RefusedByServer extends Error {
  override readonly name = 'RefusedByServer';
}

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && 'code' in error && typeof error.code === 'number';

export const codeOf = (error: unknown): number | undefined =>
  isServiceError(error) ? error.code : undefined;

/** The server's own name for what went wrong, such as `wrong-expected-version`. */
export const exceptionOf = (error: unknown): string | undefined =>
  isServiceError(error) ? error.metadata?.get('exception')[0]?.toString() : undefined;

/**
 * What a failed call is to the callers of the port. A server that is down is told by gRPC's bare error, one that no
 * node of a cluster leads to by a plain `Error`, one that steps down by `not-leader`: all are `EngineUnavailable`.
 */
export const portError = (error: unknown): Error => {
  if (error instanceof EngineUnavailable || error instanceof WrongExpectedRevision) return error;
  if (error instanceof RefusedByServer) return error;
  if (isServiceError(error) && exceptionOf(error) !== 'not-leader' && refusals.has(error.code)) {
    return new RefusedByServer(`EventStoreDB refused: ${error.details}`, { cause: error });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new EngineUnavailable(`EventStoreDB did not answer: ${reason}`, { cause: error });
};
