/** Files in folders of a workspace, for screenshots and for the walk over all screens. */
import type { Ask } from "./example-fleet.ts"

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

export interface ExampleFiles {
  readonly object: string
}

/** The last file is deleted. */
export const makeExampleFiles = async (ask: Ask): Promise<ExampleFiles> => {
  const ids: Array<string> = []
  for (const [key, contentType, text] of files) {
    const { object_id: id, url } = await ask("POST", "/storage/objects/presign-upload", {
      body: { key, content_type: contentType, size_bytes: Buffer.byteLength(text) }
    })
    const sent = await fetch(url, { method: "PUT", headers: { "content-type": contentType }, body: text })
    if (!sent.ok) throw new Error(`the upload of ${key} was answered ${sent.status}`)
    await ask("POST", `/storage/objects/${id}/confirm`)
    ids.push(id)
  }
  await ask("DELETE", `/storage/objects/${ids.at(-1)}`)
  return { object: ids[0]! }
}
