/** A provider that says nothing in time has an unknown outcome: never a failure. */
export const withProviderTimeout = async <Answer>(
  asked: Promise<Answer>,
  milliseconds: number,
): Promise<Answer | { readonly kind: 'unknownOutcome' }> => {
  const unknown = { kind: 'unknownOutcome' } as const;
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<typeof unknown>((resolve) => {
    timer = setTimeout(() => resolve(unknown), milliseconds);
  });
  try {
    return await Promise.race([asked.catch(() => unknown), silence]);
  } finally {
    clearTimeout(timer);
  }
};

export const PROVIDER_TIMEOUT_MILLISECONDS = 25_000;
