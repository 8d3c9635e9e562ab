/** The pages at the end of a sign-in: each returns to the console. */
import type { OrgId } from "@countersign/domain/ids"
import { escapeHtml } from "../platform/html.ts"

const document = (title: string, head: string, body: string): string =>
  `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
${head}<title>${escapeHtml(title)}</title>
<h1>${escapeHtml(title)}</h1>
${body}
</html>
`

export const connectedPage = (
  { app, connected, org }: { readonly org: OrgId; readonly app: string; readonly connected: boolean }
): string => {
  const place = `/w/${encodeURIComponent(org)}/apps?app=${encodeURIComponent(app)}`
  return document(
    connected ? "The app is connected" : "The app was not connected",
    `<meta http-equiv="refresh" content="0;url=${escapeHtml(place)}">\n`,
    `<p><a href="${escapeHtml(place)}">Return to the console</a></p>`
  )
}

export const failedPage = (message: string): string =>
  document(
    "The app was not connected",
    "",
    `<p>${escapeHtml(message)}</p>\n<p><a href="/">Return to the console</a></p>`
  )
