import { z } from 'zod';

/** Of whichever type. */
const anyObject = z.record(z.string(), z.unknown());

const delivery = {
  id: z.string(),
  status: z.string(),
  dateCreated: z.string(),
  dateSent: z.string().nullable(),
  requestBody: z.string().nullable(),
  responseBody: z.string().nullable(),
};

/** All that is held about a customer. `isComplete` comes last: an answer without it was cut off. */
export const heldDataSchema = z.object({
  customerId: z.string(),
  at: z.string(),
  account: anyObject.nullable(),
  streams: z.array(
    z.object({
      stream: z.string(),
      events: z.array(
        z.object({
          position: z.int(),
          revision: z.int(),
          type: z.string(),
          recordedAt: z.string(),
          actor: z.object({ kind: z.string(), id: z.string().nullable() }),
          data: anyObject,
        }),
      ),
    }),
  ),
  deliveries: z.array(z.object({ topic: z.string(), ...delivery })),
  /** What agents were told of them. */
  agentNotices: z.array(z.object({ eventType: z.string(), agent: z.string(), ...delivery })),
  mails: z.array(
    z.object({
      id: z.string(),
      topic: z.string().nullable(),
      status: z.string(),
      dateCreated: z.string(),
      dateSent: z.string().nullable(),
      content: anyObject.nullable(),
    }),
  ),
  isComplete: z.literal(true),
});
