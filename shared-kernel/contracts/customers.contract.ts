import { shownFigures } from '#entities/customer.entity.ts';
import { z } from 'zod';
import { listFields } from './listing.contract.ts';
import { guid, notes } from '#fields/body-fields.ts';

/** What the management API says of segments of customers beside what every resource has. */

/** As many as a page shows. */
export const addMembers = z.object({
  customerIds: z.array(guid).min(1).max(200),
  notes: notes.default(null),
});

export const membersAdded = z.object({ added: z.int(), alreadyMembers: z.int() });

export const memberParams = z.object({ id: guid, customerId: guid });

/** Criteria as typed: the response lists their problems. */
export const validateCriteria = z.object({ criteria: z.array(z.unknown()) });

export const criteriaVerdict = z.object({
  isValid: z.boolean(),
  errors: z.array(z.string()),
  warnings: z.array(z.string()),
});

/** Of customers, tags and members alike. */
export const customerListQuery = z.object(listFields());
export const customerSearchQuery = z.object(listFields(20));

/** Of whom staff look for at the order desk. */
export const customerLookupQuery = z.object({
  ...listFields(10, 25),
  /** A part of either. */
  email: z.string().trim().max(250).optional(),
  name: z.string().trim().max(250).optional(),
});

export const customerByEmailParams = z.object({ email: z.string().trim().min(1).max(250) });

export const customerTagRow = z.object({ name: z.string(), customerCount: z.int() });

export const customerSegmentRow = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  segmentType: z.string(),
});

export const segmentMemberRow = z.object({
  id: z.string(),
  customerId: z.string(),
  customerName: z.string().nullable(),
  customerEmail: z.string().nullable(),
  dateAdded: z.string(),
  notes: z.string().nullable(),
});

export const segmentPreviewRow = z.object({
  id: z.string(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  ...shownFigures,
});

export const segmentStatistics = z.object({
  totalMembers: z.int(),
  /** Those with an order. */
  activeMembers: z.int(),
  totalRevenue: z.number(),
  averageOrderValue: z.number(),
});

/** What a criterion can ask, and how. */
export const criteriaFields = z.array(
  z.object({ field: z.string(), label: z.string(), type: z.string(), operators: z.array(z.string()) }),
);

export const creditCheckBody = z.object({ email: z.string().min(1) });

/** Amounts in the store's currency; null where they are not the caller's to see. */
export const creditCheckResponse = z.object({
  hasCreditLimit: z.boolean(),
  creditLimitExceeded: z.boolean(),
  creditLimit: z.number().nullable(),
  outstandingBalance: z.number().nullable(),
  /** Never below 0. */
  availableCredit: z.number().nullable(),
});
export type CreditCheckResponse = z.output<typeof creditCheckResponse>;
