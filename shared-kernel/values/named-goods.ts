interface NamedGoods {
  readonly name: string;
  readonly productRootName: string;
}

/** `Sencha, 50 g pouch`: a variant's own name says little by itself. */
export const wholeName = ({ name, productRootName }: NamedGoods): string =>
  name.includes(productRootName) ? name : `${productRootName}, ${name}`;
