import type { AgentIdentity } from '#agents/agent-request.ts';

/** An agent whose profile was read, unsigned. */
export const agentIdentity = (given: Partial<AgentIdentity> = {}): AgentIdentity => ({
  profileUri: 'https://agent.example/profile',
  profileState: 'resolved',
  name: 'Shopping helper',
  version: '2026-04-08',
  capabilities: [],
  signingKeys: [],
  webhookUrl: null,
  checkoutWebhookUrl: null,
  supportsMultiGroup: false,
  isVerified: false,
  ...given,
});
