import { refusals } from './refusal.ts';

export const requests = refusals('What was sent', {
  'invalid-request': {
    status: 400,
    when: 'A field of the body or the query is not as expected. `errors` names each.',
    remedy: 'Correct the fields and send it again.',
  },
  'invalid-json': {
    status: 400,
    when: 'The body is not JSON, or has a `Content-Encoding` that is not taken: `message` then names it.',
    remedy: 'Correct the body, or send it without.',
  },
  'body-too-large': {
    status: 413,
    when: 'The body is larger than the endpoint takes; `message` says how large it may be.',
    remedy: 'Send less, or in several requests.',
  },
  'command-too-large': {
    status: 413,
    when: 'What this would record at once is too large.',
    remedy: 'Split the request.',
  },
  'not-found': {
    status: 404,
    when: 'There is no endpoint at this address, or an id in it is not a GUID.',
    remedy: 'Correct the address; `/reference` lists all of them.',
  },
  'method-not-allowed': {
    status: 405,
    when: 'The address takes other methods only; `Allow` names them.',
    remedy: 'Use one of those.',
  },
  'entity-not-found': {
    status: 404,
    when: 'What the address names does not exist, or no longer.',
    remedy: 'Load the list again.',
  },
  conflict: {
    status: 409,
    retryAfterSeconds: 1,
    when: 'Somebody changed the same thing at that moment.',
    remedy: 'Send the same request again.',
  },
  'not-offered': {
    status: 400,
    when: 'The shop does not offer this, or not for this country; `message` says which.',
    remedy: 'Hide it.',
  },
  cancelled: {
    status: 400,
    when: 'A hook of the shop owner objects; `message` is theirs.',
    remedy: 'Show the message.',
  },
  'idempotency-key-reused': {
    status: 409,
    when: 'This `Idempotency-Key` came with another body before.',
    remedy: 'Use a new key for a new request.',
  },
  'request-in-progress': {
    status: 409,
    retryAfterSeconds: 1,
    when: 'The first request with this `Idempotency-Key` is still being carried out.',
    remedy: 'Send the same request again, under the same key.',
  },
});
