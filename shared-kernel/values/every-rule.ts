/** In place of a rule's id: what is counted of all rules together. */
export const EVERY_RULE = 'every';
