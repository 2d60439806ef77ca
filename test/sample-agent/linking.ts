import { createHash, randomBytes } from 'node:crypto';
import type { Inbox } from './inbox.ts';
import type { Member } from './options.ts';
import { signInAsMember } from './member-browser.ts';
import type { Transcript } from './transcript.ts';

interface Metadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly revocation_endpoint: string;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

export interface LinkOptions {
  readonly shop: string;
  readonly clientId: string;
  /** Null: a person does it, in a browser. */
  readonly member: Member | null;
  readonly inbox: Inbox;
  readonly transcript: Transcript;
}

/** A member for whom this agent may act. */
export interface LinkedMember {
  accessToken(): string | null;
  /** Gives the permission back: the shop forgets its tokens. */
  unlink(): Promise<void>;
}

const SCOPE = 'ucp:scopes:checkout_session';
const FIVE_MINUTES = 300_000;

const random = (): string => randomBytes(32).toString('base64url');

const postForm = async (url: string, fields: Record<string, string>): Promise<Response> =>
  fetch(url, { method: 'POST', body: new URLSearchParams(fields) });

const metadataOf = async (shop: string): Promise<Metadata> => {
  const response = await fetch(`${shop}/.well-known/oauth-authorization-server`);
  if (!response.ok) throw new Error('this shop links no members (Protocol.Ucp.Capabilities.IdentityLinking)');
  return (await response.json()) as Metadata;
};

/** RFC 7636: only the client that began can redeem the code. */
const authorize = async (
  { authorization_endpoint: endpoint, issuer }: Metadata,
  { clientId, member, inbox, transcript }: LinkOptions,
): Promise<{ readonly code: string; readonly verifier: string }> => {
  const [verifier, state] = [random(), random()];
  const page = new URL(endpoint);
  page.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: inbox.callbackUrl,
    scope: SCOPE,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  transcript.say(
    member ? `Signing in as ${member.email}.` : `Open this page, sign in and agree:\n   ${page.href}`,
  );
  if (member) await signInAsMember(page, member, inbox.callbackUrl);
  const query = await inbox.returned(FIVE_MINUTES);
  if (!query) throw new Error('no one has come back from the page');
  const code = query.get('code');
  if (query.get('state') !== state || query.get('iss') !== issuer)
    throw new Error('the answer is not one to this question');
  if (code === null) throw new Error(`the member has not agreed: ${query.get('error')}`);
  return { code, verifier };
};

/** Asks a member to let this agent act for them, and is given tokens. */
export const linkMember = async (options: LinkOptions): Promise<LinkedMember> => {
  const { shop, clientId, inbox, transcript } = options;
  const metadata = await metadataOf(shop);
  const { code, verifier } = await authorize(metadata, options);
  const response = await postForm(metadata.token_endpoint, {
    grant_type: 'authorization_code',
    ...{ code, code_verifier: verifier, redirect_uri: inbox.callbackUrl, client_id: clientId },
  });
  if (!response.ok) throw new Error(`the shop gives no token: ${await response.text()}`);
  const tokens = (await response.json()) as Tokens;
  transcript.say(`Linked for ${tokens.expires_in} seconds, and to be renewed.`);
  return {
    accessToken: () => tokens.access_token,
    unlink: async () => {
      const { status } = await postForm(metadata.revocation_endpoint, {
        ...{ token: tokens.refresh_token, token_type_hint: 'refresh_token', client_id: clientId },
      });
      transcript.say(status === 200 ? 'The tokens are given back.' : `The shop answered ${status}.`);
    },
  };
};
