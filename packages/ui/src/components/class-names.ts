/** Joins the classes that apply into one attribute; undefined for none. */
export const classNames = (...names: ReadonlyArray<string | false | undefined | null>): string | undefined =>
  names.filter(Boolean).join(" ") || undefined
