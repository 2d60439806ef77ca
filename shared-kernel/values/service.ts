/** The parts of the shop that can run as processes of their own, in the order in which their ports count on. */
export const services = ['command', 'projection', 'dispatcher'] as const;

export type Service = (typeof services)[number];
