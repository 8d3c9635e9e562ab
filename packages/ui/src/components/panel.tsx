/** A surface with a border and no shadow; panels are never nested. */
import { type ReactNode, useId } from "react"
import { classNames } from "./class-names.ts"
import styles from "./panel.module.css"

export interface PanelProps {
  readonly title?: ReactNode
  /** After the title, at the end of its line. */
  readonly actions?: ReactNode
  readonly children: ReactNode
  /** Without padding, for a table or a list of rows. */
  readonly flush?: boolean | undefined
  readonly level?: 2 | 3 | undefined
  readonly className?: string | undefined
}

export const Panel = ({ title, actions, children, flush = false, level = 2, className }: PanelProps) => {
  const id = useId()
  const Heading = level === 2 ? "h2" : "h3"
  const titled = title !== undefined
  return (
    <section className={classNames(styles.panel, className)} aria-labelledby={titled ? id : undefined}>
      {(titled || actions !== undefined) && (
        <header className={styles.head}>
          {titled && <Heading id={id} className={styles.title}>{title}</Heading>}
          {actions !== undefined && <div className="flex items-center gap-8 ms-auto">{actions}</div>}
        </header>
      )}
      <div className={flush ? styles.flush : "p-16"}>{children}</div>
    </section>
  )
}
