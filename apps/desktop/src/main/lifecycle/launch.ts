/**
 * Reads the arguments of a start: of this process, of a second instance, or from the operating system with a link.
 * Other arguments are ignored.
 */
import { type DeepLink, deepLinkIn, deepLinkOf, isLink } from "./deep-links.ts"

export interface Launch {
  /** Starts in the tray, without a window. */
  readonly hidden: boolean
  readonly link?: DeepLink
}

export const readLaunch = (argv: ReadonlyArray<string>): Launch => {
  const link = deepLinkIn(argv)
  return { hidden: argv.includes("--hidden"), ...link === undefined ? {} : { link } }
}

/** macOS passes no arguments at login, so the setting decides. */
export const atLogin = (launch: Launch, wasOpenedAtLogin: boolean, startHidden: boolean): Launch =>
  wasOpenedAtLogin && startHidden ? { ...launch, hidden: true } : launch

/**
 * Arguments for the start that was requested while this app ended: its own arguments, with the requested link in place
 * of an older one.
 */
export const launchArguments = (argv: ReadonlyArray<string>, { link }: Launch): Array<string> => [
  ...argv.filter((arg) => arg !== "--hidden" && !isLink(arg)),
  ...link === undefined ? [] : [deepLinkOf(link)]
]
