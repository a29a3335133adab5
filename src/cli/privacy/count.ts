/** Numbers of things, in words. */

export const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;
