import { z } from 'zod';

/** A parameter that comes twice is a list, and is refused where it is read. */
const parameter = z.union([z.string(), z.array(z.string())]).optional();

const authorization = {
  response_type: parameter,
  client_id: parameter,
  redirect_uri: parameter,
  scope: parameter,
  state: parameter,
  code_challenge: parameter,
  code_challenge_method: parameter,
};

export const authorizeQuery = z.object(authorization);

/** What a page sends: the request, the decision, and the sign-in. */
export const authorizeForm = z.object({
  ...authorization,
  form_token: z.string().optional(),
  action: z.enum(['sign-in', 'allow', 'deny', 'switch']),
  email: z.string().max(320).default(''),
  password: z.string().max(1000).default(''),
});

const once = z.string().optional();

export const tokenForm = z.object({
  grant_type: z.string(),
  client_id: once,
  code: once,
  redirect_uri: once,
  code_verifier: once,
  refresh_token: once,
  scope: once,
});

export const tokenResponse = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  refresh_token: z.string(),
  scope: z.string(),
});

export const revokeForm = z.object({ client_id: once, token: z.string().min(1), token_type_hint: once });

/** RFC 8414. */
export const authorizationServerResponse = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  revocation_endpoint: z.string(),
  scopes_supported: z.array(z.string()),
  response_types_supported: z.array(z.string()),
  grant_types_supported: z.array(z.string()),
  code_challenge_methods_supported: z.array(z.string()),
  token_endpoint_auth_methods_supported: z.array(z.string()),
  revocation_endpoint_auth_methods_supported: z.array(z.string()),
  authorization_response_iss_parameter_supported: z.boolean(),
});

/** RFC 9728. */
export const protectedResourceResponse = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()),
  scopes_supported: z.array(z.string()),
  bearer_methods_supported: z.array(z.string()),
});
