/** Markdown of the contract's descriptions, inside a line. Pure. */
import { escapeHtml } from "../platform/html.ts"

export const inlineHtml = (text: string): string =>
  text.split(/(`[^`]+`)/u).map((part) =>
    part.startsWith("`") && part.length > 1 ? `<code>${escapeHtml(part.slice(1, -1))}</code>` : escapeHtml(part)
  ).join("")
