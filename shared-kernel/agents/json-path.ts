/** `$.line_items[0].quantity`, of the names and places that lead there. */
export const jsonPath = (parts: readonly PropertyKey[]): string =>
  parts.reduce<string>((path, part) => {
    const name = String(part);
    if (/^\d+$/.test(name)) return `${path}[${name}]`;
    return /^[A-Za-z_]\w*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
  }, '$');
