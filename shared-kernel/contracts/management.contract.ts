import { z } from 'zod';
import { guid } from '#fields/body-fields.ts';

// What endpoints of the management API share.

export const entityParams = z.object({ id: guid });

/** Members of a body beside its fields, which stand for some of them: the description of the API names them. */
export const otherNames = (...names: readonly string[]) => ({ 'x-other-names': names });

/** POST …/toggle. */
export const toggleBody = z.object({ isEnabled: z.boolean() });

/** PUT …/reorder: ids in the order wanted; at most as many as a page shows. */
export const reorderBody = z.object({ ids: z.array(guid).min(1).max(200) });
