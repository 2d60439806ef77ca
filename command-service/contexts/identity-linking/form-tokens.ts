import { randomBytes } from 'node:crypto';
import { isSecret } from '#http/identity.ts';
import type { Document } from '#kernel/projection.ts';
import type { CodeStoreDeps } from './authorization-codes.ts';

/** What a form was made for: with anything else it is refused. */
export interface FormFor {
  readonly page: 'sign-in' | 'consent';
  /** Identifies the browser before sign-in. */
  readonly browser: string;
  readonly memberId: string | null;
  /** What the client asks for. */
  readonly request: string;
}

/** Tokens in forms: another site can neither read nor guess one (docs/rules/identity-linking.md#consent). */
export interface FormTokens {
  issue(form: FormFor): string;
  /** True for the first request with a token of this form, in time. */
  take(token: string, form: FormFor): Promise<boolean>;
}

/** A form that was sent back, which counts once. */
interface FormRow extends Document {
  readonly expiresAt: number;
}

export const consentForms = 'consentForms';
/** How long a page may stay open. */
const LIFE_MS = 30 * 60_000;

/** Keeps only forms that came back, until they would have expired. Declares its collection: call it once at start. */
export const createFormTokens = async ({
  stateStore,
  keyedHash,
  clock,
}: CodeStoreDeps): Promise<FormTokens> => {
  await stateStore.declare(consentForms, [{ fields: ['expiresAt'] }]);
  const signatureOf = (
    id: string,
    expiresAt: number,
    { page, browser, memberId, request }: FormFor,
  ): string => keyedHash('consent form', JSON.stringify([id, expiresAt, page, browser, memberId, request]));
  return {
    issue: (form) => {
      const id = randomBytes(16).toString('base64url');
      const expiresAt = clock.now() + LIFE_MS;
      return `${id}.${expiresAt}.${signatureOf(id, expiresAt, form)}`;
    },
    take: async (token, form) => {
      const [id = '', until = '', signature = ''] = token.split('.');
      const expiresAt = Number(until);
      if (!(expiresAt > clock.now()) || !isSecret(signatureOf(id, expiresAt, form))(signature)) return false;
      const row: FormRow = { _id: id, expiresAt };
      return stateStore.insertIfAbsent(consentForms, row);
    },
  };
};
