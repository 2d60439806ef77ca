import { refusals } from './refusal.ts';

/** Refusals on agent paths: `conflict` is that of all requests. */
export const agents = refusals('Agents', {
  https_required: {
    status: 400,
    when: 'The shop takes requests of agents over HTTPS only, and this one came without.',
    remedy: 'Use the `https` address.',
  },
  tls_version_unsupported: {
    status: 400,
    when: 'The connection uses an older version of TLS than the shop takes.',
    remedy: 'Connect with a newer one.',
  },
  invalid_profile_url: {
    status: 400,
    when: 'The header `UCP-Agent` is missing, names no profile, or one whose address is none.',
    remedy: 'Send `UCP-Agent: profile="https://…"`.',
  },
  profile_not_trusted: {
    status: 403,
    when: 'The shop sells to listed agents only, and this profile is not among them.',
    remedy: 'Ask the shop to list the profile, letter by letter.',
  },
  profile_unreachable: {
    status: 424,
    when: 'The profile of the agent could not be fetched, so that its signature cannot be checked either.',
    remedy: 'See that the address answers, over HTTPS and without redirects.',
  },
  profile_malformed: {
    status: 422,
    when: 'What is at the address of the profile is none.',
    remedy: 'Publish JSON with `ucp.version`.',
  },
  version_unsupported: {
    status: 422,
    when: 'The shop does not speak the version of the protocol that `UCP-Agent` names. 400 where the shop speaks 2026-01-11 only.',
    remedy: 'Use one of the versions that the text names.',
  },
  access_denied: {
    status: 403,
    when: 'A hook of the shop owner turns this agent away; the text is theirs.',
    remedy: 'Show the text.',
  },
  digest_mismatch: {
    status: 400,
    when: 'A signed request has no `Content-Digest` of its body, or one that does not match.',
    remedy: 'Send the sha-256 or sha-512 of the bytes that you send.',
  },
  algorithm_unsupported: {
    status: 400,
    when: 'The request is signed with a key that is not EC P-256, or by another algorithm.',
    remedy: 'Use ES256.',
  },
  signature_missing: {
    status: 401,
    when: 'The shop takes signed requests only, and this one is not.',
    remedy: 'Sign it.',
  },
  signature_invalid: {
    status: 401,
    when: 'The signature does not match the request, does not cover all it must, or is too old; the text says which.',
    remedy: 'Sign everything required, with the current time.',
  },
  key_not_found: {
    status: 401,
    when: 'The profile publishes no key with the id that the signature names.',
    remedy: 'Publish the key at least a minute before it signs.',
  },
  invalid_token: {
    status: 401,
    when: 'The token of the buyer is wrong or expired.',
    remedy: 'Get a new one.',
  },
  insufficient_scope: {
    status: 403,
    when: 'The token of the buyer does not cover this.',
    remedy: 'Ask the buyer for the scope.',
  },
  idempotency_conflict: {
    status: 409,
    retryAfterSeconds: 1,
    when: 'This `Idempotency-Key` came with another body before.',
    remedy: 'Use a new key for a new request.',
  },
  idempotency_in_progress: {
    status: 409,
    retryAfterSeconds: 1,
    when: 'The first request with this `Idempotency-Key` is still being carried out.',
    remedy: 'Send the same request again, under the same key.',
  },
  idempotency_unavailable: {
    status: 503,
    retryAfterSeconds: 1,
    when: 'The shop cannot remember the `Idempotency-Key` at the moment; nothing was carried out.',
    remedy: 'Send the same request again, under the same key.',
  },
  rate_limited: {
    status: 429,
    retryAfterSeconds: 60,
    when: 'More requests or new customers of an agent, or from one address, than the shop takes in a minute; too many unpaid orders, open checkouts or carts; or a large order too soon after one that was not paid.',
    remedy: 'Wait as long as `Retry-After` says.',
  },
  invalid_json: {
    status: 400,
    when: 'The body is not JSON, or has a `Content-Encoding`: the text then names it.',
    remedy: 'Correct the body, or send it without.',
  },
  method_not_allowed: {
    status: 405,
    when: 'The address takes other methods only; `Allow` names them.',
    remedy: 'Use one of those.',
  },
  payload_too_large: {
    status: 413,
    when: 'The body is larger than the shop takes; the text says how large it may be.',
    remedy: 'Send less.',
  },
  internal_error: {
    status: 500,
    when: 'Something went wrong at the shop; the text has the correlation id.',
    remedy: 'Quote the correlation id when you report it.',
  },
  service_unavailable: {
    status: 503,
    retryAfterSeconds: 5,
    when: 'The shop cannot reach its storage, or is being opened.',
    remedy: 'Send the same request again.',
  },
  missing: {
    status: 400,
    when: 'A member of the body is missing; `path` says which. 422 where a test changes an order.',
    remedy: 'Send it.',
  },
  invalid: {
    status: 400,
    when: 'A member of the body, or the `Idempotency-Key`, is not as expected; `path` says which. 422 where a test changes an order.',
    remedy: 'Correct it.',
  },
  request_too_large: {
    status: 400,
    when: 'More ids than one request may have.',
    remedy: 'Send them in several requests.',
  },
  out_of_stock: {
    status: 400,
    when: 'There are not as many units; 409 when they went while the session was completed. A 2026-04-08 create without any line that can be sold is 200, with this as a message.',
    remedy: 'Ask for fewer.',
  },
  item_unavailable: {
    status: 400,
    when: 'There is no such product, or it is not on sale. A 2026-04-08 create without any line that can be sold is 200, with this as a message.',
    remedy: 'Choose another one from the catalogue.',
  },
  fulfillment_required: {
    status: 400,
    when: 'The session has no destination or no delivery option yet.',
    remedy: 'Select both, then complete it.',
  },
  address_undeliverable: {
    status: 400,
    when: 'The shop does not deliver to the destination.',
    remedy: 'Choose another destination.',
  },
  account_required: {
    status: 400,
    when: 'The goods need a customer account.',
    remedy: 'Send the buyer on to `continue_url`.',
  },
  invalid_payment_handler: {
    status: 400,
    when: 'The instrument names a payment handler that the shop does not offer here.',
    remedy: 'Use one of those in `payment_handlers`.',
  },
  identity_required: {
    status: 401,
    when: 'What was asked for belongs to a buyer who has not linked this agent.',
    remedy: 'Have the buyer link it.',
  },
  mandate_required: {
    status: 400,
    when: 'Shop and agent use mandates, and the completion has none in `ap2.checkout_mandate`.',
    remedy: 'Have the buyer agree, and send the mandate.',
  },
  agent_missing_key: {
    status: 400,
    when: 'The mandate cannot be checked: the profile of the agent has no EC P-256 key.',
    remedy: 'Publish the key that signs mandates.',
  },
  mandate_invalid_signature: {
    status: 400,
    when: 'The mandate is not an SD-JWT signed by a key of the profile, or its key binding is not valid for this shop.',
    remedy: 'Sign it with ES256, and bind it to the address of the shop.',
  },
  mandate_expired: {
    status: 400,
    when: 'The mandate has expired, or is not valid yet.',
    remedy: 'Have the buyer agree again.',
  },
  merchant_authorization_missing: {
    status: 400,
    when: 'The mandate has no claim `checkout`, or one without `ap2.merchant_authorization`.',
    remedy: 'Put the whole answer of the shop into the mandate.',
  },
  merchant_authorization_invalid: {
    status: 400,
    when: 'The shop has not signed the checkout in the mandate, or with a key that it no longer accepts.',
    remedy: 'Read the session again, and leave the answer as it is.',
  },
  mandate_scope_mismatch: {
    status: 400,
    when: 'The mandate is for another checkout, for other lines or totals, or not for a single checkout.',
    remedy: 'Show the buyer the checkout as it is now, and have them agree to that.',
  },
  payment_failed: {
    status: 402,
    when: 'The provider declined the payment; the session stays open. 403 where it suspects fraud.',
    remedy: 'Try another instrument.',
  },
  payment_unavailable: {
    status: 503,
    retryAfterSeconds: 5,
    when: 'The payment provider cannot be reached; nothing was charged and the session stays open.',
    remedy: 'Complete it again.',
  },
  not_found: {
    status: 404,
    when: 'There is no such session, cart or order of this agent, or nothing at this address.',
    remedy: 'Correct the id or the address.',
  },
  checkout_not_modifiable: {
    status: 409,
    retryAfterSeconds: 1,
    when: 'The session has ended, or its payment is under way.',
    remedy: 'Read the session; begin a new one if it has ended.',
  },
  cart_not_modifiable: {
    status: 409,
    retryAfterSeconds: 1,
    when: 'A session was made from the cart and is open.',
    remedy: 'Change the session that the text names.',
  },
});
