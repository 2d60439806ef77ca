/** What a refusal says on the command line: its message, and a line for each problem that it names. */
export const refusalText = (message: string, errors: unknown): string => {
  const problems = Array.isArray(errors) ? errors.map((problem) => `\n  ${String(problem)}`) : [];
  return `${message}${problems.join('')}`;
};
