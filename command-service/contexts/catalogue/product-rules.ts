import type { ProductRoot, ProductVariant } from '#events/catalogue.events.ts';

/** What is wrong with a product as a whole, as `path: what was expected`. */
export const ruleProblems = (root: ProductRoot, variants: readonly ProductVariant[]): string[] => {
  const problems: string[] = [];
  if (root.isDigitalProduct && root.options.length > 0) {
    problems.push('options: a digital product has no variant options');
  }
  for (const { sku, selectedOptions } of variants) {
    for (const { optionName, valueName } of selectedOptions) {
      const option = root.options.find(({ name }) => name === optionName);
      if (option?.values.some(({ name }) => name === valueName)) continue;
      problems.push(`variants: ${sku} chooses ${optionName} ${valueName}, which the options do not offer`);
    }
  }
  return problems;
};
