import { z } from 'zod';
import { isEmail, normalEmail } from '#values/email-address.ts';
import { listFields, pageSchema } from './listing.contract.ts';

const role = z.enum(['admin', 'analyst', 'auditor']);
const email = z
  .string()
  .max(250)
  .refine(isEmail, 'must be an e-mail address')
  .transform(normalEmail)
  .pipe(z.email());

/** POST /users. */
const password = z.string().min(10).max(250);
export const addUserBody = z.object({ email, password, role });

/** PUT /users/{id}: the given fields are replaced. */
export const changeUserBody = z.object({
  role: role.exactOptional(),
  password: password.exactOptional(),
  enabled: z.boolean().exactOptional(),
});

export const userParams = z.object({ id: z.guid().toLowerCase() });

export const userResponse = z.object({
  id: z.string(),
  email: z.string(),
  role,
  enabled: z.boolean(),
  isDisabled: z.boolean(),
  dateCreated: z.string(),
  dateUpdated: z.string(),
});

const { page, pageSize, search } = listFields();
/** GET /users: by e-mail address. */
export const usersQuery = z.object({ page, pageSize, search });
export const usersResponse = pageSchema(userResponse);

/** POST /users/{id}/token. */
export const tokenBody = z.object({ hours: z.number().positive().max(8760).default(8) });

/** POST /sign-in. What is no e-mail address is refused like a wrong password. */
export const signInBody = z.object({ email: z.string().max(250), password: z.string().max(250) });

export const tokenResponse = z.object({ token: z.string(), expiresUtc: z.string(), role });
