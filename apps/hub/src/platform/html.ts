/** HTML that the hub writes itself: pages and mails. Pure. */

export const htmlType = "text/html; charset=utf-8"

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\"": "&quot;",
  "'": "&#39;"
}

/** For text and for quoted attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/gu, (character) => escapes[character] ?? "")
