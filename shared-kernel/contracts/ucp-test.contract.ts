import { z } from 'zod';
import { isTestAgentId } from '#agents/test-agent.ts';

const agentId = z
  .string()
  .refine(isTestAgentId, { error: 'must be 1 to 64 letters, digits, dots, underscores or hyphens' });
/** What the agent sends, as the protocol has it. */
const request = z.record(z.string(), z.unknown()).optional();
const id = z.string().min(1).max(100);

export const ucpTestBody = z.object({ agentId, request });
export const ucpTestSessionBody = z.object({ agentId, sessionId: id, request });
export const ucpTestCompleteBody = ucpTestSessionBody.extend({ dryRun: z.boolean().default(true) });
export const ucpTestOrderBody = z.object({ agentId, orderId: id });

const headers = z.record(z.string(), z.string());

export const ucpTestResponse = z.object({
  step: z.string(),
  success: z.boolean(),
  sessionId: z.string().nullable(),
  status: z.string().nullable(),
  orderId: z.string().nullable(),
  durationMs: z.number(),
  request: z.object({ method: z.string(), url: z.string(), headers, body: z.unknown() }),
  response: z.object({ statusCode: z.int(), headers, body: z.unknown() }),
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
});
export type UcpTestResponse = z.output<typeof ucpTestResponse>;

export const ucpTestDiagnosticsResponse = z.object({
  version: z.string(),
  supportedVersions: z.array(z.string()),
  manifestUrl: z.string(),
  protocols: z.array(z.object({ alias: z.string(), operations: z.array(z.string()) })),
  capabilities: z.array(z.string()),
  paymentHandlers: z.array(z.string()),
  signingKeys: z.array(z.string()),
  profileResolution: z.string(),
  allowedAgents: z.array(z.string()),
  testAgentEnabled: z.boolean(),
  testEndpointsEnabled: z.boolean(),
});
