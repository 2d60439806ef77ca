import { z } from 'zod';
import { guid, notes } from './management.contract.ts';

/** What the management API says of segments of customers beside what every managed thing has. */

/** As many as a page shows. */
export const addMembers = z.object({
  customerIds: z.array(guid).min(1).max(200),
  notes: notes.default(null),
});

export const membersAdded = z.object({ added: z.int(), alreadyMembers: z.int() });

export const memberParams = z.object({ id: guid, customerId: guid });

/** Criteria as somebody types them: what is wrong with them is the answer. */
export const validateCriteria = z.object({ criteria: z.array(z.unknown()) });

export const criteriaVerdict = z.object({
  isValid: z.boolean(),
  errors: z.array(z.string()),
  warnings: z.array(z.string()),
});
