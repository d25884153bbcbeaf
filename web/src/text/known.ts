/** Return the one of `all` that the value is; undefined when it is none of them. */
export const known = <T extends string>(all: readonly T[], value: string): T | undefined =>
  all.find((one) => one === value);
