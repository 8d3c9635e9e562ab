/** A text link; wrap it with the router's `createLink`. */
import type { ComponentProps } from "react"
import { classNames } from "./class-names.ts"
import styles from "./link.module.css"

export interface LinkProps extends ComponentProps<"a"> {
  /** Underlined only on hover, if its place already marks it as a link, such as a table's first column. */
  readonly quiet?: boolean | undefined
}

export const Link = ({ quiet = false, className, ...rest }: LinkProps) => (
  <a {...rest} className={classNames(styles.link, quiet && styles.quiet, className)} />
)
