/** The classes that apply, in one attribute; nothing where none does. */
export const classNames = (...names: ReadonlyArray<string | false | undefined | null>): string | undefined =>
  names.filter(Boolean).join(" ") || undefined
