/** Arguments of a start, whoever made it: this one's, a second one's, or the operating system with a link. All else in them is ignored. */

export interface Launch {
  /** Into the tray. */
  readonly hidden: boolean
  /** `countersign://…` as it was given; what it may open is decided where links are read. */
  readonly link?: string
}

const linkLengthMax = 2_000

export const readLaunch = (argv: ReadonlyArray<string>): Launch => {
  const link = argv.find((each) => /^countersign:\/\//iu.test(each) && each.length <= linkLengthMax)
  return { hidden: argv.includes("--hidden"), ...link === undefined ? {} : { link } }
}
