/**
 * The text and the HTML of a mail. The HTML has no image, no script, and nothing to load; its colors are set for light
 * and dark mode. Pure. Spec: reference/notices.md "Appearance".
 */
import { escapeHtml } from "../platform/html.ts"

export interface MailItem {
  readonly title: string
  readonly details: ReadonlyArray<string>
  readonly link: { readonly label: string; readonly href: string }
}

export interface MailBody {
  readonly heading: string
  readonly lead: string
  readonly items: ReadonlyArray<MailItem>
  /** After the items: how many are left out. */
  readonly more?: string
  /** Why the person gets the mail. */
  readonly reason: string
  /** Where the person changes it. */
  readonly settings?: { readonly label: string; readonly href: string }
}

export const textOf = ({ items, lead, more, reason, settings }: MailBody): string =>
  [
    lead,
    ...items.map(({ details, link, title }) =>
      [title, ...details.length === 0 ? [] : [details.join(" · ")], `${link.label}: ${link.href}`].join("\n")
    ),
    ...more === undefined ? [] : [more],
    `--\n${reason}${settings === undefined ? "" : `\n${settings.label}: ${settings.href}`}`
  ].join("\n\n") + "\n"

/**
 * Inline, because some clients drop style elements, and again by class for dark mode, which only a style element can
 * tell apart.
 */
const light = {
  page: "background-color:#f6f5f2;color:#23262d",
  panel: "background-color:#fdfdfb;color:#23262d;border:1px solid #dfddd8;border-radius:8px",
  quiet: "color:#4d525c",
  rule: "border-top:1px solid #dfddd8",
  button: "background-color:#23262d;color:#fdfdfb;border-radius:5px",
  link: "color:#1c6f75"
} as const

const style = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page{background-color:#14161b!important;color:#ecebe6!important}
.panel{background-color:#1b1e24!important;color:#ecebe6!important;border-color:#363a44!important}
.quiet{color:#b9b7af!important}
.rule{border-color:#363a44!important}
.button{background-color:#ecebe6!important;color:#14161b!important}
.link{color:#7cc7cc!important}
}`

const font = "font-family:'Instrument Sans',system-ui,-apple-system,'Segoe UI',sans-serif"

const itemHtml = ({ details, link, title }: MailItem): string =>
  `<tr><td class="rule" style="padding:16px 0;${light.rule}">
<p style="margin:0;font-size:15px;line-height:22px;font-weight:600">${escapeHtml(title)}</p>
${
    details.length === 0
      ? ""
      : `<p class="quiet" style="margin:4px 0 0;font-size:13px;line-height:20px;${light.quiet}">${
        escapeHtml(details.join(" · "))
      }</p>\n`
  }<p style="margin:12px 0 0"><a class="button" href="${
    escapeHtml(link.href)
  }" style="display:inline-block;padding:8px 14px;font-size:13px;line-height:20px;font-weight:600;text-decoration:none;${light.button}">${
    escapeHtml(link.label)
  }</a></p>
</td></tr>`

export const htmlOf = ({ heading, items, lead, more, reason, settings }: MailBody): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(heading)}</title>
<style>${style}</style>
</head>
<body class="page" style="margin:0;padding:24px 12px;${light.page};${font}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<table class="panel" role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;text-align:left;${light.panel}"><tr><td style="padding:24px">
<h1 style="margin:0 0 8px;font-size:18px;line-height:24px;font-weight:600">${escapeHtml(heading)}</h1>
<p style="margin:0 0 16px;font-size:13px;line-height:20px">${escapeHtml(lead)}</p>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0">
${items.map(itemHtml).join("\n")}
</table>
${
    more === undefined
      ? ""
      : `<p style="margin:0 0 16px;font-size:13px;line-height:20px">${escapeHtml(more)}</p>\n`
  }<p class="quiet rule" style="margin:0;padding-top:16px;font-size:12px;line-height:18px;${light.quiet};${light.rule}">${
    escapeHtml(reason)
  }${
    settings === undefined
      ? ""
      : ` <a class="link" href="${escapeHtml(settings.href)}" style="${light.link}">${escapeHtml(settings.label)}</a>`
  }</p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`
