import { z } from 'zod';

export const notificationsResponse = z.array(
  z.object({
    name: z.string(),
    domain: z.string(),
    isCancelable: z.boolean(),
    handlers: z.array(z.object({ name: z.string(), priority: z.number() })),
  }),
);
