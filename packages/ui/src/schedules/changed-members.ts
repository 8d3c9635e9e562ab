export const json = (value: unknown): string => JSON.stringify(value) ?? ""

/** The members of an edited input that differ from the saved ones; none while the draft is incomplete. */
export const changedMembers = <T extends object>(before: T | undefined, after: T | undefined): Partial<T> =>
  Object.fromEntries(
    Object.entries(after ?? {}).filter(([name, value]) => json(value) !== json(before?.[name as keyof T]))
  ) as Partial<T>
