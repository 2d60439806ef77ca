import { Rejection } from '#kernel/rejection.ts';
import type { ProtocolMessage, Severity } from './protocol-parts.ts';

/**
 * Refusals of the protocol itself: they have a form of their own, the same in every dialect. All others are those of
 * the business, and are written by dialects (docs/rules/agents.md#refusals).
 */
const ofProtocol = [
  'https_required',
  'tls_version_unsupported',
  'invalid_profile_url',
  'profile_not_trusted',
  'profile_unreachable',
  'profile_malformed',
  'version_unsupported',
  'access_denied',
  'digest_mismatch',
  'algorithm_unsupported',
  'signature_missing',
  'signature_invalid',
  'key_not_found',
  'invalid_token',
  'insufficient_scope',
  'idempotency_conflict',
  'idempotency_in_progress',
  'idempotency_unavailable',
  'rate_limited',
  'invalid_json',
  'method_not_allowed',
  'payload_too_large',
  'conflict',
  'internal_error',
  'service_unavailable',
] as const;

const ofBusiness = [
  'missing',
  'invalid',
  'request_too_large',
  'out_of_stock',
  'item_unavailable',
  'fulfillment_required',
  'address_undeliverable',
  'account_required',
  'invalid_payment_handler',
  'identity_required',
  'mandate_required',
  'agent_missing_key',
  'mandate_invalid_signature',
  'mandate_expired',
  'merchant_authorization_missing',
  'merchant_authorization_invalid',
  'mandate_scope_mismatch',
  'payment_failed',
  'payment_unavailable',
  'not_found',
  'checkout_not_modifiable',
  'cart_not_modifiable',
] as const;

/** What programs go by. */
export type ProtocolErrorCode = (typeof ofProtocol)[number] | (typeof ofBusiness)[number];

const protocolCodes: ReadonlySet<string> = new Set(ofProtocol);
const businessCodes: ReadonlySet<string> = new Set(ofBusiness);

export const isOfProtocol = (code: string): boolean => protocolCodes.has(code);

export const isProtocolErrorCode = (code: string): code is ProtocolErrorCode =>
  protocolCodes.has(code) || businessCodes.has(code);

/** A refusal, before a dialect writes it. */
export interface ProtocolError {
  readonly code: ProtocolErrorCode;
  /** For people. */
  readonly text: string;
  /** JSONPath of what it is about. */
  readonly path?: string;
  /** Default: recoverable. */
  readonly severity?: Severity;
  /** All that is wrong, where that is more than one thing: code and text are those of the first. */
  readonly messages?: readonly ProtocolMessage[];
  /** Where it differs from that of its code. */
  readonly httpStatus?: number;
  /** Where people go on. */
  readonly continueUrl?: string;
  readonly retryAfterSeconds?: number;
  /** How to prove who buys: the `WWW-Authenticate` of the answer. */
  readonly authenticate?: string;
}

/** For those who refuse and know nothing of HTTP. */
export const protocolRefusal = (error: ProtocolError): Rejection =>
  new Rejection(error.code, error.text, { protocolError: error });
