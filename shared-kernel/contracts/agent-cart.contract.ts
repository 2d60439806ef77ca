import { z } from 'zod';
import { lineInputs, sharedMembers, inputOf, type AgentLimits } from './agent-session.contract.ts';

/** POST /api/v1/carts and PUT /api/v1/carts/{id}: the whole cart, each time. */
export const cartBody = (limits: AgentLimits) =>
  z.object({ ...sharedMembers(limits), line_items: lineInputs(limits) }).transform(inputOf);
