/** The single origin of the app's pages. Node reports no origin for custom schemes, so the URL's parts are compared. */
export const appScheme = "app"
export const appHost = "countersign"
export const appOrigin = `${appScheme}://${appHost}`

export const isOwnPage = (url: string): boolean => {
  const parsed = URL.parse(url)
  return parsed !== null && parsed.protocol === `${appScheme}:` && parsed.host === appHost && parsed.username === "" &&
    parsed.password === ""
}
