import { expect } from 'chai';
import { CHECKOUT_SCOPE } from '#agents/access-tokens.ts';
import { disableAgent, enableAgent, listAgents } from '#command/cli/agents-command.ts';
import { agentLinkStream } from '#command/contexts/identity-linking/agent-link.stream.ts';
import { isoInstant } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import {
  answerIn,
  authorization,
  credentials,
  LinkingClient,
  LinkingMember,
  linkingEnvironment,
  max,
  newVerifier,
  pia,
  type Fields,
} from '#test/support/agents/linking.ts';
import { Browser, type ApiResponse } from '#test/support/browser.ts';
import { agentMeta } from '#test/support/builders/agent-session.ts';
import { goodPassword, openMemberShop, type MemberShop } from '#test/support/member-shop.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const email = 'ada@example.com';

const refuses = ({ status, body }: ApiResponse, error: string, expected = 400): void => {
  expect({ status, error: body.error }).to.deep.equal({ status: expected, error });
  expect(body.error_description).to.be.a('string');
};

describe('linking an agent to an account (docs/rules/identity-linking.md)', () => {
  let opened: MemberShop;
  let ada: LinkingMember;
  let server: LinkingClient;
  let app: LinkingClient;
  before(async () => {
    opened = await openMemberShop({ environment: linkingEnvironment });
    const { base } = opened.shop;
    server = new LinkingClient(base, pia);
    app = new LinkingClient(base, max);
    ada = new LinkingMember(base);
    await ada.signUp(email);
  });
  after(() => opened.close());

  const stranger = (): LinkingMember => new LinkingMember(opened.shop.base);
  const advance = (advanceSeconds: number) => opened.shop.tester.post('/testing/clock', { advanceSeconds });
  /** Types of what has happened to links since, with the reasons of ends. */
  const linkEvents = async (run: () => Promise<unknown>): Promise<readonly string[]> => {
    const count = (await eventsIn(opened.shop)).length;
    await run();
    const events = (await eventsIn(opened.shop)).slice(count);
    return events
      .filter(({ type }) => type.startsWith('Agent'))
      .map(({ type, data }) => [type, (data as { reason?: string }).reason].filter(Boolean).join(' '));
  };

  it('is described for clients', async () => {
    const { base } = opened.shop;
    const metadata = await server.get('/.well-known/oauth-authorization-server');
    expect(metadata.body).to.deep.equal({
      issuer: base,
      authorization_endpoint: `${base}/oauth/authorize`,
      token_endpoint: `${base}/oauth/token`,
      revocation_endpoint: `${base}/oauth/revoke`,
      scopes_supported: [CHECKOUT_SCOPE],
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
      revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
      authorization_response_iss_parameter_supported: true,
    });
    const resource = await server.get('/.well-known/oauth-protected-resource');
    expect(resource.body).to.deep.equal({
      resource: base,
      authorization_servers: [base],
      scopes_supported: [CHECKOUT_SCOPE],
      bearer_methods_supported: ['header'],
    });
  });

  it('goes from the agent to the shop and back, and the log says that it was done', async () => {
    const verifier = newVerifier();
    const back = await ada.press(await ada.open(authorization(pia, verifier)), 'allow');
    expect(back.status).to.equal(303);
    expect(back.headers.get('location')).to.match(/^https:\/\/pia\.example\/linked\?/);
    const { code = '', ...rest } = answerIn(back);
    expect(rest).to.deep.equal({ state: 'xyz', iss: opened.shop.base });
    const happened = await linkEvents(async () => {
      const { status, body, headers } = await server.redeem(code, verifier);
      expect(status).to.equal(200);
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(body).to.deep.include({ token_type: 'Bearer', expires_in: 3600, scope: CHECKOUT_SCOPE });
      const next = await server.refresh(body.refresh_token);
      expect(next.status).to.equal(200);
      expect(next.body.refresh_token).not.to.equal(body.refresh_token);
      expect(next.body.access_token).not.to.equal(body.access_token);
    });
    expect(happened).to.deep.equal(['AgentLinked']);
  });

  it('serves an app that cannot keep a secret, on whichever port it listens', async () => {
    const verifier = newVerifier();
    const redirect_uri = 'http://127.0.0.1:49152/callback';
    const code = await ada.consent(max, verifier, { redirect_uri });
    refuses(
      await app.redeem(code, verifier, { redirect_uri: 'http://127.0.0.1:49153/callback' }),
      'invalid_grant',
    );
    expect((await app.redeem(code, verifier, { redirect_uri })).status).to.equal(200);
  });

  describe('the pages', () => {
    it('say who asks, run nothing and cannot be framed', async () => {
      const page = await ada.open(authorization(pia, newVerifier()));
      for (const element of ['title', 'h1'])
        expect(page.text).to.include(`<${element}>Let Pia &amp; Friends shop for you?</${element}>`);
      expect(page.text).to.include(email);
      expect(page.text).not.to.match(/<script|Pia & Friends| on[a-z]+=/i);
      expect(page.headers.get('cache-control')).to.equal('no-store');
      expect(page.headers.get('x-frame-options')).to.equal('DENY');
      expect(page.headers.get('content-security-policy')).to.match(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' https:; frame-ancestors 'none'; base-uri 'none'$/,
      );
    });

    it('let who has not signed in do so, and remember what was asked', async () => {
      const visitor = stranger();
      const asked = await visitor.open(authorization(pia, newVerifier(), { state: '"><b>' }));
      expect(asked.text).to.include('type="password"').and.not.include('"><b>');
      const wrong = await visitor.signInOn(asked, email, 'not the password');
      expect(wrong.status).to.equal(400);
      expect(wrong.text).to.include('role="alert"').and.not.include('not the password');
      const right = await visitor.signInOn(wrong, email);
      expect(right.status).to.equal(303);
      const consent = await visitor.get(right.headers.get('location') ?? '');
      const back = await visitor.press(consent, 'allow');
      expect(answerIn(back)).to.include({ state: '"><b>' }).and.to.have.property('code');
    });

    it('bound guesses at a password together with the checkout', async () => {
      const guesser = stranger();
      guesser.from = '203.0.113.99';
      let page = await guesser.open(authorization(pia, newVerifier()));
      for (let guess = 0; guess < 4; guess++) page = await guesser.signInOn(page, email, 'a wrong guess');
      await guesser.signIn(email, 'a wrong guess');
      const locked = await guesser.signInOn(page, email);
      expect(locked.status).to.equal(400);
      expect(locked.text).to.include('Too many failed attempts');
    });

    it('send a no back, also of who has not signed in', async () => {
      for (const visitor of [ada, stranger()]) {
        const happened = await linkEvents(async () => {
          const page = await visitor.open(authorization(pia, newVerifier()));
          const { error, state, code } = answerIn(await visitor.press(page, 'deny'));
          expect({ error, state, code }).to.deep.equal({
            error: 'access_denied',
            state: 'xyz',
            code: undefined,
          });
        });
        expect(happened).to.deep.equal([]);
      }
    });

    it('let a member take another account', async () => {
      const page = await ada.open(authorization(pia, newVerifier()));
      const other = await ada.press(page, 'switch');
      expect(other.text).to.include('type="password"');
    });

    it('take each form once, and only from the browser that it was shown in', async () => {
      const page = await ada.open(authorization(pia, newVerifier()));
      const other = new LinkingMember(opened.shop.base);
      await other.signIn(email);
      for (const forged of [
        await other.press(page, 'allow'),
        await ada.press(page, 'allow', { form_token: undefined }),
        await ada.press(page, 'allow', { form_token: 'a.b.c' }),
        await ada.press(page, 'allow', { state: 'another' }),
        await ada.press(page, 'allow', { redirect_uri: pia.redirectUris[1] }),
      ]) {
        expect(forged.status).to.equal(400);
        expect(forged.headers.get('location')).to.equal(null);
        expect(forged.text).to.include('out of date');
      }
      expect((await ada.press(page, 'allow')).status).to.equal(303);
      expect((await ada.press(page, 'allow')).status).to.equal(400);
    });

    it('know two tabs apart, and who has signed in in the other one', async () => {
      const [one, two] = [
        await ada.open(authorization(pia, newVerifier(), { state: 'one' })),
        await ada.open(authorization(max, newVerifier(), { state: 'two' })),
      ];
      expect(answerIn(await ada.press(two, 'allow')).state).to.equal('two');
      expect(answerIn(await ada.press(one, 'allow')).state).to.equal('one');
      const bob = stranger();
      await bob.signUp('bob@example.com');
      const stale = await bob.open(authorization(pia, newVerifier()));
      await bob.signIn(email);
      expect((await bob.press(stale, 'allow')).status).to.equal(400);
    });

    it('are good for half an hour', async () => {
      const page = await ada.open(authorization(pia, newVerifier()));
      await advance(30 * 60);
      expect((await ada.press(page, 'allow')).status).to.equal(400);
    });

    const homeless: readonly Fields[] = [
      { client_id: 'nobody' },
      { redirect_uri: 'https://evil.example/linked' },
      { redirect_uri: 'https://pia.example/linked/' },
      { redirect_uri: undefined },
    ];
    for (const changes of homeless)
      it(`send no one anywhere with ${JSON.stringify(changes, (_, value: unknown) => value ?? 'none')}`, async () => {
        const fields = authorization(pia, newVerifier(), changes);
        for (const answer of [await ada.open(fields), await ada.sendForm({ ...fields, action: 'allow' })]) {
          expect(answer.status).to.equal(400);
          expect(answer.headers.get('location')).to.equal(null);
          expect(answer.headers.get('content-type')).to.include('text/html');
        }
      });

    it('send back to the client what is wrong with its request', async () => {
      const answer = await ada.open(authorization(pia, newVerifier(), { code_challenge_method: 'plain' }));
      expect(answer.status).to.equal(302);
      const { error, state, iss } = answerIn(answer);
      expect({ error, state, iss }).to.deep.equal({
        error: 'invalid_request',
        state: 'xyz',
        iss: opened.shop.base,
      });
    });
  });

  describe('a code', () => {
    let verifier: string;
    let code: string;
    beforeEach(async () => {
      verifier = newVerifier();
      code = await ada.consent(pia, verifier);
    });

    it('is spent by nothing that the client gets wrong', async () => {
      refuses(await server.redeem(code, newVerifier()), 'invalid_grant');
      refuses(await server.redeem(code, verifier, { code_verifier: undefined }), 'invalid_request');
      refuses(await server.redeem(code, verifier, { code_verifier: 'short' }), 'invalid_request');
      refuses(await server.redeem(code, verifier, { redirect_uri: pia.redirectUris[1] }), 'invalid_grant');
      refuses(await server.redeem(code, verifier, { redirect_uri: undefined }), 'invalid_request');
      refuses(await server.redeem('another', verifier), 'invalid_grant');
      refuses(await server.redeem(code, verifier, { grant_type: 'password' }), 'unsupported_grant_type');
      refuses(await server.redeem(code, verifier, { grant_type: undefined }), 'invalid_request');
      const redirect_uri = pia.redirectUris[0];
      refuses(await app.redeem(code, verifier, { redirect_uri }), 'invalid_grant');
      expect((await server.redeem(code, verifier)).status).to.equal(200);
    });

    it('is good for a minute', async () => {
      await advance(60);
      refuses(await server.redeem(code, verifier), 'invalid_grant');
    });

    it('that comes twice ends everything that came of it', async () => {
      const { body } = await server.redeem(code, verifier);
      const happened = await linkEvents(async () =>
        refuses(await server.redeem(code, verifier), 'invalid_grant'),
      );
      expect(happened).to.deep.equal(['AgentUnlinked code-reused']);
      refuses(await server.refresh(body.refresh_token), 'invalid_grant');
    });

    it('that comes again after its minute does, too', async () => {
      await server.redeem(code, verifier);
      await advance(3600);
      const happened = await linkEvents(() => server.redeem(code, verifier));
      expect(happened).to.deep.equal(['AgentUnlinked code-reused']);
    });

    it('buys tokens once, however many ask at the same time', async () => {
      const answers = await Promise.all([1, 2, 3].map(() => server.redeem(code, verifier)));
      const good = answers.filter(({ status }) => status === 200);
      expect(good).to.have.lengthOf(1);
      for (const answer of answers) if (answer.status !== 200) refuses(answer, 'invalid_grant');
      refuses(await server.refresh(good[0]?.body.refresh_token), 'invalid_grant');
    });
  });

  describe('a client', () => {
    const redeeming = (headers: Record<string, string>, fields: Fields = {}) =>
      server.token({ grant_type: 'refresh_token', refresh_token: 'x', ...fields }, headers);

    it('must show who it is', async () => {
      const basic = credentials(pia);
      const refused = [
        await redeeming(credentials(pia, 'wrong')),
        await redeeming(credentials(pia, '')),
        await redeeming({}),
        await redeeming({}, { client_id: 'pia' }),
        await redeeming({}, { client_id: 'pia', client_secret: 'in the form' }),
        await redeeming({}, { client_id: 'nobody' }),
        await redeeming(basic, { client_id: 'max-app' }),
        await redeeming({ Authorization: 'Basic nonsense' }, { client_id: 'max-app' }),
        await redeeming({ Authorization: 'Bearer x' }, { client_id: 'max-app' }),
        await server.revoke('x', credentials(pia, 'wrong')),
      ];
      for (const answer of refused) {
        refuses(answer, 'invalid_client', 401);
        expect(answer.headers.get('www-authenticate')).to.match(/^Basic realm=/);
      }
    });

    it('speaks in forms', async () => {
      const json = await server.post('/oauth/token', { grant_type: 'refresh_token' }, credentials(pia));
      refuses(json, 'invalid_request');
      const large = await server.refresh('x'.repeat(20_000));
      refuses(large, 'invalid_request', 413);
    });
  });

  describe('a refresh token', () => {
    let tokens: Awaited<ReturnType<LinkingClient['link']>>;
    beforeEach(async () => {
      tokens = await server.link(ada);
    });

    it('that comes twice ends its family', async () => {
      const { body } = await server.refresh(tokens.refresh_token);
      const happened = await linkEvents(async () =>
        refuses(await server.refresh(tokens.refresh_token), 'invalid_grant'),
      );
      expect(happened).to.deep.equal(['AgentUnlinked refresh-token-reused']);
      refuses(await server.refresh(body.refresh_token), 'invalid_grant');
    });

    it('is exchanged once, however many ask at the same time', async () => {
      const answers = await Promise.all([1, 2, 3].map(() => server.refresh(tokens.refresh_token)));
      expect(answers.filter(({ status }) => status === 200)).to.have.lengthOf(1);
      for (const { status, body } of answers)
        if (status === 200) refuses(await server.refresh(body.refresh_token), 'invalid_grant');
    });

    it('is good for its client alone, for thirty days, and for no more than was granted', async () => {
      refuses(await app.refresh(tokens.refresh_token), 'invalid_grant');
      refuses(await server.refresh(tokens.refresh_token, { scope: 'openid' }), 'invalid_scope');
      refuses(await server.refresh(`${tokens.refresh_token.slice(0, -4)}AAAA`), 'invalid_grant');
      refuses(await server.refresh(''), 'invalid_request');
      await advance(30 * 24 * 3600 - 10);
      const { status, body } = await server.refresh(tokens.refresh_token, { scope: CHECKOUT_SCOPE });
      expect(status).to.equal(200);
      await advance(30 * 24 * 3600);
      refuses(await server.refresh(body.refresh_token), 'invalid_grant');
      const happened = await linkEvents(() => opened.shop.tester.post('/testing/jobs/purge-oauth'));
      expect(happened).to.include('AgentUnlinked expired');
      await ada.signIn(email);
    });

    it('given back ends its grant, spent or not; by another client, nothing', async () => {
      expect((await app.revoke(tokens.refresh_token)).status).to.equal(200);
      const { body } = await server.refresh(tokens.refresh_token);
      const happened = await linkEvents(async () => {
        const { status, text } = await server.revoke(tokens.refresh_token);
        expect({ status, text }).to.deep.equal({ status: 200, text: '' });
      });
      expect(happened).to.deep.equal(['AgentUnlinked client']);
      refuses(await server.refresh(body.refresh_token), 'invalid_grant');
    });

    it('outlives an access token that is given back', async () => {
      const happened = await linkEvents(async () => {
        for (const text of [tokens.access_token, 'nonsense', tokens.access_token])
          expect((await server.revoke(text)).status).to.equal(200);
        await app.revoke(tokens.access_token);
      });
      expect(happened).to.deep.equal(['AgentTokenRevoked']);
      expect((await server.refresh(tokens.refresh_token)).status).to.equal(200);
      refuses(await server.revoke(''), 'invalid_request');
    });
  });
});

describe('a member who chooses another password (docs/rules/identity-linking.md#grants)', () => {
  it('ends what was linked before, and what had only been agreed to', async () => {
    const opened = await openMemberShop({ environment: linkingEnvironment });
    try {
      const member = new LinkingMember(opened.shop.base);
      const server = new LinkingClient(opened.shop.base, pia);
      await member.signUp(email);
      const newPasswords = [
        () =>
          member.account('PUT', '/password', {
            currentPassword: goodPassword,
            newPassword: 'another good one',
          }),
        () => member.prove(email, goodPassword),
      ];
      for (const choose of newPasswords) {
        const tokens = await server.link(member);
        const verifier = newVerifier();
        const code = await member.consent(pia, verifier);
        await choose();
        refuses(await server.refresh(tokens.refresh_token), 'invalid_grant');
        refuses(await server.redeem(code, verifier), 'invalid_grant');
      }
      const ends = (await eventsIn(opened.shop)).filter(({ type }) => type === 'AgentUnlinked');
      expect(ends.map(({ data }) => (data as { reason: string }).reason)).to.deep.equal([
        'password-changed',
        'password-changed',
      ]);
    } finally {
      await opened.close();
    }
  });
});

describe('a client that is disabled (docs/rules/identity-linking.md#disabling)', () => {
  let opened: MemberShop;
  before(async () => {
    opened = await openMemberShop({ environment: linkingEnvironment });
  });
  after(() => opened.close());

  const running = {
    call: async (
      method: 'GET' | 'POST' | 'PUT' | 'DELETE',
      path: string,
      given?: unknown,
    ): Promise<unknown> => {
      const { status, body } = await opened.shop.admin.call(method, `/backoffice/api/v1${path}`, given);
      expect(status, body.message).to.equal(200);
      return body;
    },
  };

  it('is unknown from then on, and what it had stays dead when it is enabled', async () => {
    const { base } = opened.shop;
    const member = new LinkingMember(base);
    const server = new LinkingClient(base, pia);
    const shown = async () => (await member.get('/api/shop/storefront/linked-agents')).body;
    const agent = (accessToken: string) =>
      new Browser(base, {
        'UCP-Agent': `profile="${pia.profileUri}"`,
        Authorization: `Bearer ${accessToken}`,
      });
    const askWith = async (accessToken: string) =>
      (await agent(accessToken).get(`/api/v1/orders/${newId()}`)).status;
    await member.signUp(email);
    const tokens = await server.link(member);
    const verifier = newVerifier();
    const code = await member.consent(pia, verifier);
    const openPage = await member.open(authorization(pia, newVerifier()));
    expect(await listAgents({ call: async () => ({ items: [], hasNextPage: false }) })).to.contain(
      'OAuth.Clients',
    );
    expect(await listAgents(running)).to.equal('pia  Pia & Friends  1 link\nmax-app  Max  0 links\n');

    expect(await disableAgent(running, 'pia', 'its secret has leaked')).to.match(
      /^pia {2}Pia & Friends {2}disabled \S+: its secret has leaked\n$/,
    );
    for (const page of [openPage, await member.open(authorization(pia, newVerifier()))]) {
      const answer = page === openPage ? await member.press(page, 'allow') : page;
      expect([answer.status, answer.headers.get('location')]).to.deep.equal([400, null]);
      expect(answer.text).to.include('does not know the app');
    }
    refuses(await server.redeem(code, verifier), 'invalid_client', 401);
    refuses(await server.refresh(tokens.refresh_token), 'invalid_client', 401);
    refuses(await server.revoke(tokens.refresh_token), 'invalid_client', 401);
    expect(await askWith(tokens.access_token)).to.equal(401);
    expect(await shown()).to.deep.equal([]);

    await enableAgent(running, 'pia');
    refuses(await server.redeem(code, verifier), 'invalid_grant');
    refuses(await server.refresh(tokens.refresh_token), 'invalid_grant');
    expect(await askWith(tokens.access_token)).to.equal(401);
    expect(await shown()).to.deep.equal([]);
    const again = await server.link(member);
    expect(await askWith(again.access_token)).to.equal(404);
    expect((await server.refresh(again.refresh_token)).status).to.equal(200);
    expect(await shown()).to.have.lengthOf(1);
  });

  it('may be one that the settings do not name any more, while members have it linked', async () => {
    const { streams } = opened.shop.shop.command.deps;
    const clientId = 'https://gone.example/app';
    const consent = { profileUri: pia.profileUri, scopes: [], timesDisabled: 0, consentedAt: isoInstant(0) };
    const link = { type: 'LinkAgent', grantId: newId(), clientId, ...consent } as const;
    await streams.send(agentLinkStream, newId(), link, agentMeta(pia.profileUri));
    const line = `${clientId}  ${clientId}  not in the settings, `;
    await opened.shop.settle();
    expect(await listAgents(running)).to.match(new RegExp(`\n${line}1 link\n$`));
    expect(await disableAgent(running, clientId, 'a leak')).to.match(
      new RegExp(`^${line}disabled \\S+: a leak\n$`),
    );
    expect(await enableAgent(running, clientId, 'all clear')).to.equal(`${line}0 links\n`);
  });
});

describe('a shop that links no accounts (docs/rules/identity-linking.md)', () => {
  it('has nothing at these addresses, and says so to each in its way', async () => {
    const shop = await TestShop.open();
    try {
      const client = new LinkingClient(shop.base, pia);
      for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource'])
        expect((await client.get(path)).status, path).to.equal(404);
      expect((await client.get('/oauth/authorize?client_id=pia')).status).to.equal(404);
      expect((await client.refresh('x')).status).to.equal(404);
      expect((await client.revoke('x')).status).to.equal(404);
    } finally {
      await shop.close();
    }
  });
});
