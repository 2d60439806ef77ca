import type { PersonalTexts } from '#log/personal-texts.ts';
import type { SendOutcome } from '#ports/sender.ts';
import { keptOf } from '#topics/delivery-outcome.ts';

/** An outcome as its row keeps it: a receiver may repeat what it was sent, so its answer is sealed like that. */
export const keptOutcome = async (
  { sealLike }: Pick<PersonalTexts, 'sealLike'>,
  requestBody: string,
  outcome: SendOutcome,
): Promise<SendOutcome> => {
  const { body } = outcome;
  return { ...outcome, body: body && (await sealLike(requestBody, keptOf(body))) };
};
