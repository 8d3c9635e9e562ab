/** Where the browser goes after a sign-in at the provider: a path of this console, never another site. Pure. */
const base = "http://console"

/** `/` for everything else. Dot segments are resolved, because `/.//host` would become the address of another host. */
export const returnPathOf = (requested: string | undefined): string => {
  if (requested === undefined || !/^\/(?![/\\])[^\p{Cc}\s]*$/u.test(requested)) return "/"
  const url = URL.parse(requested, base)
  return url === null || url.origin !== base || url.pathname.startsWith("//")
    ? "/"
    : `${url.pathname}${url.search}${url.hash}`
}

/** The same path with the reason of a failure. */
export const withError = (path: string, code: string): string => {
  const { hash, pathname, searchParams } = new URL(path, base)
  searchParams.set("error", code)
  return `${pathname}?${searchParams}${hash}`
}
