/** Files in folders of a workspace, for screenshots and for the walk over all screens. */
const chart = `<svg xmlns="http://www.w3.org/2000/svg" width="480" height="240"><path d="M20 220 140 120 260 160 460 40"
  fill="none" stroke="teal" stroke-width="6"/></svg>`

const files: ReadonlyArray<readonly [key: string, contentType: string, text: string]> = [
  ["readme.md", "text/markdown", "# Reports\n\nThe agents write one report a month.\n"],
  ["prices.csv", "text/csv", `item,cents\n${"paper,420\n".repeat(900)}`],
  ["chart.svg", "image/svg+xml", chart],
  ["reports/2026/june.txt", "text/plain", "Revenue grew by 4 %.\n"],
  ["reports/2026/a report with a rather long name that does not end so soon.txt", "text/plain", "Long.\n"],
  ["recordings/hello.txt", "text/plain", "Not a recording.\n"],
  ["old notes.txt", "text/plain", "To be deleted.\n"]
]

/** Adds a file; returns the id of its object. */
export type Store = (key: string, contentType: string, text: string) => Promise<string>

/** The last file is to be deleted. */
export const makeExampleFiles = async (store: Store): Promise<{ readonly object: string; readonly last: string }> => {
  const ids: Array<string> = []
  for (const file of files) ids.push(await store(...file))
  return { object: ids[0]!, last: ids.at(-1)! }
}
