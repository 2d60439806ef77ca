import { expect } from 'chai';
import type { AgentRequest, DialectName } from '#agents/agent-request.ts';
import { agent as surface } from '#http/surfaces/agent.ts';
import { errorReply, HttpRejection } from '#http/errors.ts';
import { ProtocolRejection } from '#http/protocol-rejection.ts';
import { invalidRequest, Rejection } from '#kernel/rejection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';

const correlationId = 'abc-1';
const inDialect = (dialect: DialectName): AgentRequest => ({
  identity: null,
  member: null,
  ownVersion: dialect === 'draft' ? '2026-07-draft' : '2026-04-08',
  requestedVersion: null,
  dialect,
});

const said = (error: unknown, agent: AgentRequest | null) => {
  const { status, code, text = '', headers } = errorReply(surface, error, correlationId, agent);
  return { status, code, body: JSON.parse(text) as Record<string, unknown>, headers };
};

/** Refusals of the protocol itself: one form whoever asks. */
const ofProtocol: readonly (readonly [
  what: string,
  error: unknown,
  status: number,
  code: string,
  retryAfter?: string,
])[] = [
  ['an address with nothing', new Rejection('not-found', 'Nothing here.'), 404, 'not_found'],
  [
    'another method',
    new HttpRejection('method-not-allowed', 'GET only.', { Allow: 'GET' }),
    405,
    'method_not_allowed',
  ],
  ['no JSON', new Rejection('invalid-json', 'No JSON.'), 400, 'invalid_json'],
  ['a body too large', new Rejection('body-too-large', 'Too large.'), 413, 'payload_too_large'],
  ['a busy stream', new Rejection('conflict', 'Busy.'), 409, 'conflict', '1'],
  [
    'another body under a key',
    new Rejection('idempotency-key-reused', 'Used.'),
    409,
    'idempotency_conflict',
    '1',
  ],
  ['a key at work', new Rejection('request-in-progress', 'Wait.'), 409, 'idempotency_in_progress', '1'],
  ['too much', new Rejection('too-many-requests', 'Too many.'), 429, 'rate_limited', '60'],
  ['an engine away', new EngineUnavailable('gone'), 503, 'service_unavailable', '5'],
  ['a hook', new Rejection('access_denied', 'Not you.'), 403, 'access_denied'],
  ['HTTP', new Rejection('https_required', 'HTTPS.'), 400, 'https_required'],
  ['an old TLS', new Rejection('tls_version_unsupported', 'Old.'), 400, 'tls_version_unsupported'],
  ['no profile', new Rejection('invalid_profile_url', 'None.'), 400, 'invalid_profile_url'],
  ['another body than signed', new Rejection('digest_mismatch', 'Other.'), 400, 'digest_mismatch'],
  ['a kind of key', new Rejection('algorithm_unsupported', 'RSA.'), 400, 'algorithm_unsupported'],
  ['no signature', new Rejection('signature_missing', 'Sign it.'), 401, 'signature_missing'],
  ['a wrong signature', new Rejection('signature_invalid', 'Wrong.'), 401, 'signature_invalid'],
  ['an unknown key', new Rejection('key_not_found', 'No key.'), 401, 'key_not_found'],
  ['an agent that is not listed', new Rejection('profile_not_trusted', 'No.'), 403, 'profile_not_trusted'],
  ['too little scope', new Rejection('insufficient_scope', 'More.'), 403, 'insufficient_scope'],
  ['a profile out of reach', new Rejection('profile_unreachable', 'Away.'), 424, 'profile_unreachable'],
  ['a profile that is none', new Rejection('profile_malformed', 'HTML.'), 422, 'profile_malformed'],
  ['a future version', new Rejection('version_unsupported', '2099.'), 422, 'version_unsupported'],
  [
    'a version that an older shop does not know',
    new ProtocolRejection({ code: 'version_unsupported', text: '2099.', httpStatus: 400 }),
    400,
    'version_unsupported',
  ],
  ['lost keys', new Rejection('idempotency_unavailable', 'No.'), 503, 'idempotency_unavailable', '1'],
];

/** Refusals of the business, in the words of each dialect. */
const ofBusiness: readonly (readonly [what: string, error: unknown, status: number, code: string])[] = [
  ['a session of another agent', new Rejection('not_found', 'No such session.'), 404, 'not_found'],
  ['a hook that objects', new Rejection('cancelled', 'Closed today.'), 400, 'invalid'],
  [
    'a final session',
    new Rejection('checkout_not_modifiable', 'It has ended.'),
    409,
    'checkout_not_modifiable',
  ],
  ['a declined card', new Rejection('payment_failed', 'Declined.'), 402, 'payment_failed'],
  ['a provider away', new Rejection('payment_unavailable', 'Away.'), 503, 'payment_unavailable'],
  ['a broken rule', invalidRequest('quantity: must be 1 or more'), 400, 'invalid'],
  ['a member that is not there', new Rejection('missing', 'Send it.'), 400, 'missing'],
  ['too many ids', new Rejection('request_too_large', 'Fewer.'), 400, 'request_too_large'],
  ['goods that are unknown', new Rejection('item_unavailable', 'Not found.'), 400, 'item_unavailable'],
  ['no stock', new Rejection('out_of_stock', 'Insufficient stock'), 400, 'out_of_stock'],
  ['no destination', new Rejection('fulfillment_required', 'Select.'), 400, 'fulfillment_required'],
  ['an unknown handler', new Rejection('invalid_payment_handler', 'No.'), 400, 'invalid_payment_handler'],
  ['an unlinked buyer', new Rejection('identity_required', 'Link.'), 401, 'identity_required'],
  ['a cart that is held', new Rejection('cart_not_modifiable', 'Held.'), 409, 'cart_not_modifiable'],
  [
    'suspected fraud',
    new ProtocolRejection({ code: 'payment_failed', text: 'Suspicious.', httpStatus: 403 }),
    403,
    'payment_failed',
  ],
  [
    'what cannot become of an order',
    new ProtocolRejection({ code: 'invalid', text: '$.adjustments', httpStatus: 422 }),
    422,
    'invalid',
  ],
  [
    'stock that has gone',
    new ProtocolRejection({ code: 'out_of_stock', text: 'Insufficient stock', httpStatus: 409 }),
    409,
    'out_of_stock',
  ],
];

describe('Refusals on agent paths', () => {
  for (const [what, error, status, code, retryAfter] of ofProtocol) {
    it(`have the protocol’s own form: ${what}`, () => {
      for (const agent of [null, inDialect('2026-04-08'), inDialect('2026-01-11')]) {
        const reply = said(error, agent);
        expect([reply.status, reply.code]).to.deep.equal([status, code]);
        expect(reply.body)
          .to.include({ code, error: code })
          .and.to.have.all.keys('code', 'content', 'error', 'message');
        expect(reply.body['content']).to.equal(reply.body['message']);
        expect(reply.headers?.['Retry-After']).to.equal(retryAfter);
      }
    });
  }

  it('ask for a signature where one is wrong, and for no token: clients would throw theirs away', () => {
    for (const code of ['signature_missing', 'signature_invalid', 'key_not_found'] as const) {
      const { status, headers } = said(new ProtocolRejection({ code, text: 'Sign it.' }), null);
      expect([status, headers?.['WWW-Authenticate']], code).to.deep.equal([401, 'Signature']);
    }
    const unlinked = said(new ProtocolRejection({ code: 'identity_required', text: 'Link.' }), null);
    expect(unlinked.headers?.['WWW-Authenticate']).to.equal('Bearer');
  });

  for (const [what, error, status, code] of ofBusiness) {
    it(`are written in the dialect of the request: ${what}`, () => {
      const current = said(error, inDialect('2026-04-08'));
      expect(current.status).to.equal(status);
      expect('Retry-After' in (current.headers ?? {})).to.equal(status === 409 || status === 503);
      expect(current.body).to.have.all.keys('ucp', 'messages');
      expect(current.body['ucp']).to.deep.equal({ version: '2026-04-08', status: 'error' });
      const [message] = current.body['messages'] as Record<string, unknown>[];
      expect(message).to.include({ type: 'error', code, severity: 'recoverable' });
      const older = said(error, inDialect('2026-01-11'));
      expect(older.status).to.equal(status);
      expect(older.body).to.include({
        detail: message?.['content'],
        code,
        error: code,
        message: message?.['content'],
      });
      const draft = said(error, inDialect('draft'));
      expect(draft.body['ucp']).to.deep.equal({ version: '2026-07-draft', status: 'error' });
    });
  }

  it('name the correlation id of what nobody foresaw, and nothing else of it', () => {
    for (const agent of [null, inDialect('2026-04-08'), inDialect('2026-01-11'), inDialect('draft')]) {
      const { status, body } = said(new Error('secret'), agent);
      expect(status).to.equal(500);
      expect(body).to.include({ code: 'internal_error', error: 'internal_error' });
      expect(body['content']).to.include(correlationId).and.not.to.include('secret');
    }
  });

  it('say what is wrong with each member, and to whom the older version leaves it', () => {
    const error = new ProtocolRejection({
      code: 'missing',
      text: 'two things',
      continueUrl: 'https://shop.example',
      messages: [
        {
          type: 'error',
          code: 'missing',
          content: 'must be there',
          path: '$.line_items',
          severity: 'unrecoverable',
        },
        { type: 'warning', code: 'currency_not_supported', content: 'ignored' },
      ],
    });
    const current = said(error, inDialect('2026-04-08')).body;
    expect(current['continue_url']).to.equal('https://shop.example');
    expect(current['messages']).to.deep.equal([
      {
        type: 'error',
        code: 'missing',
        content: 'must be there',
        path: '$.line_items',
        severity: 'unrecoverable',
      },
      { type: 'warning', code: 'currency_not_supported', content: 'ignored' },
    ]);
    const [older] = said(error, inDialect('2026-01-11')).body['messages'] as Record<string, unknown>[];
    expect(older?.['severity']).to.equal('requires_buyer_input');
  });
});
