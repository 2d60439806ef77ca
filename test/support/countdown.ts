/** A barrier: `all` resolves once so many have arrived. */
export const countdown = (expected: number) => {
  const { promise: all, resolve } = Promise.withResolvers<void>();
  let left = expected;
  const arrive = (): void => {
    left--;
    if (left === 0) resolve();
  };
  return { arrive, all };
};
