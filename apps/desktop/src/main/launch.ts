/** Arguments of a start, whoever made it: this one's, a second one's, or the operating system with a link. All else in them is ignored. */
import { type DeepLink, deepLinkIn } from "./deep-links.ts"

export interface Launch {
  /** Into the tray. */
  readonly hidden: boolean
  readonly link?: DeepLink
}

export const readLaunch = (argv: ReadonlyArray<string>): Launch => {
  const link = deepLinkIn(argv)
  return { hidden: argv.includes("--hidden"), ...link === undefined ? {} : { link } }
}
