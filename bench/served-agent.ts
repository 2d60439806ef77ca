import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PublicKey } from '#agents/agent-profile.ts';
import { agentKey } from '#test/support/agents/agent-key.ts';
import { agentOf } from './agent.ts';

/*
 * An agent away from the shop: this process serves its profile, and answers each notice of a purchase at once, as a
 * receiver on a machine of its own does. The shop's own test agent would have the shop send notices to itself.
 */

export const ownKey = agentKey('bench-key-1');

const profileAt = async (shopPort: number, notices: string, published: PublicKey): Promise<string> => {
  const ofTestAgent = await (await fetch(agentOf(shopPort))).text();
  const own = ofTestAgent.replace(/"webhook_url":"[^"]*"/, `"webhook_url":${JSON.stringify(notices)}`);
  if (own === ofTestAgent) throw new Error('the profile of the test agent names no address for notices');
  return JSON.stringify({ ...(JSON.parse(own) as object), signing_keys: [published] });
};

/** It can do all that a shop can, and is told of its orders. */
const serve = async (shopPort: number): Promise<string> => {
  let profile = '';
  const server = createServer((request, response) => {
    request.resume();
    response.end(request.method === 'GET' ? profile : '{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  profile = await profileAt(shopPort, `${base}/notices`, ownKey.published);
  return `${base}/profile.json`;
};

const profiles = new Map<number, Promise<string>>();

/** The address of its profile, for the shop at this port. */
export const servedAgent = (shopPort: number): Promise<string> => {
  const profile = profiles.get(shopPort) ?? serve(shopPort);
  profiles.set(shopPort, profile);
  return profile;
};
