/** The one origin from which the app's pages come. Node gives schemes of its own no origin, so its parts are compared. */
export const appScheme = "app"
export const appHost = "countersign"
export const appOrigin = `${appScheme}://${appHost}`

export const isOwnPage = (url: string): boolean => {
  const parsed = URL.parse(url)
  return parsed !== null && parsed.protocol === `${appScheme}:` && parsed.host === appHost && parsed.username === "" &&
    parsed.password === ""
}
