/** A page of documentation without scripts. */
import { HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { contentSecurityPolicy, pageHeaders } from "../edge/page-headers.ts"

const style =
  "body{max-width:42rem;margin:2rem auto;padding:0 1rem;font:16px/1.6 system-ui,sans-serif;color:#1d1f24;background:#fff}" +
  "h1{font-size:1.6rem}h2{margin-top:2rem;font-size:1.2rem}a{color:inherit}" +
  "table{border-collapse:collapse;font-size:.9em}td,th{padding:.3em .6em;border:1px solid #8886;text-align:left;vertical-align:top}" +
  "pre{overflow:auto;padding:.8em;border:1px solid #8886;border-radius:4px;font-size:.85em}code{font-family:ui-monospace,monospace}" +
  "@media(prefers-color-scheme:dark){body{color:#edece8;background:#15161a}}"

/** `inner` is HTML. */
export const documentPage = (title: string, inner: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · Countersign</title><style>${style}</style></head>
<body>
<main>
${inner}
</main>
</body>
</html>
`,
    {
      contentType: "text/html; charset=utf-8",
      headers: {
        ...pageHeaders,
        "cache-control": "no-cache",
        "content-security-policy": contentSecurityPolicy({
          "default-src": "'none'",
          "style-src": `'sha256-${createHash("sha256").update(style).digest("base64")}'`,
          "base-uri": "'none'",
          "form-action": "'none'",
          "frame-ancestors": "'none'"
        })
      }
    }
  )
