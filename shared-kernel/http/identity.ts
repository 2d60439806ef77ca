import { createHash, timingSafeEqual } from 'node:crypto';
import type { BackofficeCaller } from '#runtime/backoffice-users.ts';
import type { MemberFinder } from '#runtime/members.ts';
import type { Tokens } from '#runtime/tokens.ts';
import type { AgentStep } from './agent-step.ts';
import type { Cookies } from './cookies.ts';

/** By what the shop tells whose a credential is; `callers/` says who is admitted with which. */
export interface Identity {
  /** Constant time. */
  readonly isApiKey: (credential: string) => boolean;
  /** Constant time; never, where there are no test endpoints. */
  readonly isTestingSecret: (given: string) => boolean;
  readonly tokens: Tokens;
  /** The user as they are now; null when unknown or disabled. Errors: `EngineUnavailable`. */
  readonly findUser: (id: string) => Promise<BackofficeCaller | null>;
  /** Of shoppers who have an account. */
  readonly memberTokens: Tokens;
  readonly findMember: MemberFinder;
  /** Whether the cookies prove that this invoice was paid by their holder. Constant time. */
  readonly hasPaid: (cookies: Cookies, invoiceId: string) => boolean;
  readonly agents: AgentStep;
}

export interface IdentityOptions extends Omit<Identity, 'isApiKey' | 'isTestingSecret'> {
  /** Its bearer is an admin. */
  readonly backofficeApiKey: string;
  /** Null: there are no test endpoints. */
  readonly testingSecret: string | null;
}

/** Compares in constant time, for any lengths. */
export const isSecret = (secret: string): ((given: string) => boolean) => {
  const digest = createHash('sha256').update(secret).digest();
  return (given) => timingSafeEqual(createHash('sha256').update(given).digest(), digest);
};

export const createIdentity = (options: IdentityOptions): Identity => ({
  isApiKey: isSecret(options.backofficeApiKey),
  isTestingSecret: options.testingSecret === null ? () => false : isSecret(options.testingSecret),
  tokens: options.tokens,
  findUser: options.findUser,
  memberTokens: options.memberTokens,
  findMember: options.findMember,
  hasPaid: options.hasPaid,
  agents: options.agents,
});
