/** Tables of pages, each of which scrolls sideways on its own. Pure. */
import { escapeHtml } from "../platform/html.ts"

interface TableParts {
  readonly label: string
  readonly className?: string
  /** HTML: the cells of the head. */
  readonly head?: string
  /** HTML. */
  readonly rows: ReadonlyArray<string>
}

export const tableHtml = ({ className, head = "", label, rows }: TableParts): string =>
  `<div class="table" tabindex="0" role="group" aria-label="${escapeHtml(label)}"><table${
    className === undefined ? "" : ` class="${className}"`
  }>${head === "" ? "" : `<thead><tr>${head}</tr></thead>`}<tbody>${rows.join("")}</tbody></table></div>`
