/** Arguments of a start, whoever made it: this one's, a second one's, or the operating system with a link. All else in them is ignored. */
import { type DeepLink, deepLinkIn, deepLinkOf, isLink } from "./deep-links.ts"

export interface Launch {
  /** Into the tray. */
  readonly hidden: boolean
  readonly link?: DeepLink
}

export const readLaunch = (argv: ReadonlyArray<string>): Launch => {
  const link = deepLinkIn(argv)
  return { hidden: argv.includes("--hidden"), ...link === undefined ? {} : { link } }
}

/** macOS passes no arguments to what it starts at login: the setting is asked for. */
export const atLogin = (launch: Launch, wasOpenedAtLogin: boolean, startHidden: boolean): Launch =>
  wasOpenedAtLogin && startHidden ? { ...launch, hidden: true } : launch

/** Of the start that was asked for while this app ended: its own arguments, and the link that was asked for in the place of an older one. */
export const launchArguments = (argv: ReadonlyArray<string>, { link }: Launch): Array<string> => [
  ...argv.filter((arg) => arg !== "--hidden" && !isLink(arg)),
  ...link === undefined ? [] : [deepLinkOf(link)]
]
