/** As an image is written: to a tenth, which is all that is seen. */
export const at = (coordinate: number): string => String(Math.round(coordinate * 10) / 10);
