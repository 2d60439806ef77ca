import type { PublicKey } from '#agents/agent-profile.ts';
import type { Signer } from '#agents/own-keys.ts';
import type { RequestMessage } from '#signatures/http-message.ts';
import type { FindKey } from '#signatures/public-keys.ts';
import { signMessage } from '#signatures/sign-message.ts';
import { verifyMessage } from '#signatures/verify-message.ts';
import { manifestPath, type AgentOptions, type Ask } from './agent.ts';
import { ownKey, servedAgent } from './served-agent.ts';
import { expectStatus, WrongResponse } from './shopper.ts';

const COMPONENTS = ['@method', '@authority', '@path', 'ucp-agent', 'content-digest', 'content-type'];

/** A request with its agent's signature. */
export const signedRequest = (
  url: string,
  agent: string,
  body: Buffer,
  signer: Signer,
): RequestMessage & { readonly added: Readonly<Record<string, string>> } => {
  const headers = { 'ucp-agent': `profile="${agent}"`, 'content-type': 'application/json' };
  const message = { method: 'POST', url, headers, body };
  const added = { ...signMessage(message, COMPONENTS, signer, { at: Date.now() }) };
  const inLowerCase = Object.entries(added).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...message, headers: { ...headers, ...Object.fromEntries(inLowerCase) }, added };
};

const keysOfShop = async (port: number): Promise<FindKey> => {
  const response = await fetch(`http://127.0.0.1:${port}${manifestPath}`);
  const { signing_keys: keys } = (await response.json()) as { readonly signing_keys: readonly PublicKey[] };
  return (kid) => keys.find((key) => key.kid === kid);
};

const fieldsIn = (head: string): Record<string, string> =>
  Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
  );

const keys = new Map<number, Promise<FindKey>>();

/** Signs its requests, and fails on an answer that the shop has not signed. */
export const askingSigned =
  ({ connection, port }: AgentOptions): Ask =>
  async (path, asked, status) => {
    const findKey = keys.get(port) ?? keysOfShop(port);
    keys.set(port, findKey);
    const agent = await servedAgent(port);
    const text = JSON.stringify(asked);
    const { added } = signedRequest(`http://127.0.0.1:${port}${path}`, agent, Buffer.from(text), ownKey);
    const lines = Object.entries(added).map(([name, value]) => `${name}: ${value}\r\n`);
    const answer = await connection.request('POST', path, '', text, '', '', agent, lines.join(''));
    expectStatus(answer, path, status);
    const { head, body } = answer;
    const message = { status: answer.status, headers: fieldsIn(head), body };
    const { kind } = verifyMessage(message, await findKey, { now: Date.now() });
    if (kind !== 'verified') throw new WrongResponse(`the answer of ${path} is ${kind}, not verified`);
    return answer;
  };
