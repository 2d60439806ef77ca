import { z } from 'zod';
import { listFields, pageSchema } from './listing.contract.ts';

const named = { alias: z.string(), name: z.string(), description: z.string(), icon: z.string() };

export const healthChecksResponse = z.array(z.object({ ...named, sortOrder: z.int() }));

export const healthCheckParams = z.object({ alias: z.string().max(250) });

export const healthCheckRunResponse = z.object({
  ...named,
  status: z.enum(['success', 'warning', 'error']),
  summary: z.string(),
  affectedCount: z.int(),
});

const { page, pageSize, search } = listFields(25);
export const healthCheckDetailsQuery = z.object({ page, pageSize, search });

export const healthCheckDetailsResponse = pageSchema(
  z.object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    editPath: z.string().nullable(),
    imageUrl: z.string().nullable(),
  }),
);
