import { agents } from './agents.ts';
import { availability } from './availability.ts';
import { backoffice } from './backoffice.ts';
import { baskets } from './baskets.ts';
import { callers } from './callers.ts';
import { checkout } from './checkout.ts';
import { identityLinking } from './identity-linking.ts';
import { orders } from './orders.ts';
import { payments } from './payments.ts';
import { recovery } from './recovery.ts';
import type { RefusalGroup } from './refusal.ts';
import { requests } from './requests.ts';

/** In the order of docs/errors.md. */
export const refusalGroups = [
  requests,
  callers,
  availability,
  baskets,
  checkout,
  recovery,
  payments,
  orders,
  backoffice,
  agents,
  identityLinking,
] as const satisfies readonly RefusalGroup[];

type CodeOf<Group> = Group extends RefusalGroup<infer Code> ? Code : never;
export type RefusalCode = CodeOf<(typeof refusalGroups)[number]>;
