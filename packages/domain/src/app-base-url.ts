/**
 * `${app.name}` in the base URL of a service that uses a connected app: the value that was kept under this name when
 * the app was connected. Spec: reference/apps.md "Services".
 */
const reference = /\$\{app\.([a-z][a-z0-9_]{0,31})\}/g

export const appReferences = (baseUrl: string): ReadonlyArray<string> =>
  [...baseUrl.matchAll(reference)].map(([, name = ""]) => name)

/** The value at the beginning is a URL; elsewhere a value is escaped. Undefined when a value is missing. */
export const filledBaseUrl = (
  baseUrl: string,
  values: Readonly<Record<string, string>>
): string | undefined => {
  const names = appReferences(baseUrl)
  if (names.some((name) => !Object.hasOwn(values, name) || values[name] === "")) return undefined
  return baseUrl.replace(reference, (_, name: string, at: number) => {
    const value = (values[name] ?? "").toWellFormed()
    return at === 0 ? value.replace(/\/+$/, "") : encodeURIComponent(value)
  })
}

/** A URL of the same form, for checks before the app is known. */
export const sampleBaseUrl = (baseUrl: string): string =>
  baseUrl.replace(reference, (_, _name: string, at: number) => at === 0 ? "https://app.invalid" : "x")

/** Whether the host is known before the app is. */
export const hasOwnHost = (baseUrl: string): boolean => !/^[a-z]*:?\/{0,2}[^/]*\$\{app\./i.test(baseUrl)
