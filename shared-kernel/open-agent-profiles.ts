import type { AgentProfiles } from '#agents/agent-profile.ts';
import { createAgentProfiles, MOST_PROFILE_BYTES } from '#http/agent-profiles.ts';
import { createOwnAgents } from '#http/own-agents.ts';
import { createResolver } from '#runtime/check-target.ts';
import type { Config } from '#runtime/config.ts';
import { createSender } from '#runtime/send.ts';
import type { Runtime } from './open-runtime.ts';

/** The profiles of agents, for the process that they call. */
export const openAgentProfiles = (
  { protocol: { ucp }, allowLoopbackTargets }: Config,
  { clock, reference }: Pick<Runtime, 'clock' | 'reference'>,
): { readonly profiles: AgentProfiles; readonly close: () => void } => {
  const allowLoopback = allowLoopbackTargets || ucp.allowInsecureLoopback;
  const sender = createSender({
    policy: { allowLoopback, allowPrivate: false },
    resolve: createResolver(),
    maxResponseBytes: MOST_PROFILE_BYTES + 1,
  });
  const ownAgent = createOwnAgents({ settings: ucp, signingKeys: () => reference.signingKeys.published() });
  const profiles = createAgentProfiles({ sender, now: () => clock.now(), ucp, allowLoopback, ownAgent });
  return { profiles, close: () => sender.close() };
};
